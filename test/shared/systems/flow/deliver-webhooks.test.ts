import { describe, expect, test } from 'vitest';
import { toTraceParent } from '#shared/core/events/envelope.ts';
import {
  CURRENT_SECRET,
  createVerifyingEndpoint,
  epochText,
  eventText,
  idOf,
  NEXT_SECRET,
  START,
  WebhookWorld,
} from '#test/support/webhook-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const URL = 'https://payroll.acme.example/hook';
const ID = idOf('r1', 1);

describe('an event', () => {
  test('is posted as it is, signed, and noted', async () => {
    const world = new WebhookWorld();
    world.endpoint = createVerifyingEndpoint(() => CURRENT_SECRET);
    const text = eventText('r1', 1);
    world.publish(text);

    await world.run();

    expect(world.arrivals.map(({ request }) => request)).toEqual([
      {
        url: URL,
        headers: {
          'content-type': 'application/cloudevents+json',
          traceparent: toTraceParent(ID),
          'webhook-id': ID,
          'webhook-timestamp': String(START / 1_000),
          'webhook-signature': expect.stringMatching(/^v1,[\w+/=]{44}$/),
        },
        body: text,
      },
    ]);
    expect(world.taken).toEqual([ID]);
    expect(world.deliveryStore.all()).toEqual([
      {
        eventId: ID,
        destination: 'webhook/payroll',
        outcome: 'delivered',
        at: START + 20,
        attempts: 1,
        detail: null,
      },
    ]);
    expect(world.waiting).toEqual([]);
  });

  test('is one line in the log, and its batch another', async () => {
    const world = new WebhookWorld();
    world.publish(eventText('r1', 1));

    await world.run();

    expect(world.lines).toEqual([
      {
        outcome: 'delivery.attempted',
        webhook: 'payroll',
        eventId: ID,
        type: 'workforce.timesheet.changed',
        attempt: 1,
        result: 'delivered',
        status: 204,
        reason: null,
        sentAgain: false,
        example: false,
        due_ms: null,
        age_ms: 20,
        duration_ms: 20,
      },
      {
        outcome: 'deliveries.handled',
        webhook: 'payroll',
        messages: 1,
        delivered: 1,
        retried: 0,
        given_up: 0,
        put_off: 0,
        repeated: 0,
        filtered: 0,
        refused: 0,
        interrupted: 0,
        duration_ms: 20,
      },
    ]);
  });

  test('that comes twice is posted once', async () => {
    const world = new WebhookWorld();
    world.publish(eventText('r1', 1));
    await world.run();
    world.publish(eventText('r1', 1));
    await world.run();

    expect(world.taken).toEqual([ID]);
  });

  test('that was published again for looking back is posted again, and says so', async () => {
    const world = new WebhookWorld();
    world.publish(eventText('r1', 1));
    await world.run();
    world.endpoint = (_, now) => (now < START + MINUTE ? 500 : 200);
    world.publish(eventText('r1', 1), { sentAgain: true });
    await world.run();

    expect(world.taken).toEqual([ID, ID]);
    expect(world.arrivals.map(({ request }) => request.headers['webhook-sent-again'])).toEqual([
      undefined,
      'true',
      'true',
      'true',
    ]);
    expect(new Set(world.arrivals.map(({ request }) => request.body)).size).toBe(1);
  });

  test('that is not an event of this product goes to the dead letters, and does not stop the others', async () => {
    const world = new WebhookWorld();
    world.publish('{"hello":"world"}');
    world.publish(eventText('r1', 1));

    await world.run();

    expect(world.dead.map(({ body }) => body)).toEqual(['{"hello":"world"}']);
    expect(world.taken).toEqual([ID]);
    expect(world.lines).toContainEqual({
      outcome: 'delivery.refused',
      webhook: 'payroll',
      messageId: 'message-1',
    });
  });

  test('that there is no time for comes back a little later', async () => {
    const world = new WebhookWorld();
    let slow = true;
    world.endpoint = () => {
      if (!slow) return 204;
      slow = false;
      world.now += 50_000;
      return 204;
    };
    for (const sequence of [1, 2]) world.publish(eventText('r1', sequence));

    await world.invoke();

    expect(world.taken).toEqual([ID]);
    expect(world.waiting.map((body) => JSON.parse(body))).toMatchObject([
      { attempt: 0, dueAt: world.now + 5_000 },
    ]);
    await world.run();
    expect(world.taken).toEqual([ID, idOf('r1', 2)]);
  });
});

test('the events of a record that come in one batch are sent one after the other, by epoch and sequence', async () => {
  const later = '2026-03-04T21:30:00.000Z';
  const world = new WebhookWorld();
  world.publish(epochText('r1', { epoch: later, sequence: 1 }));
  for (const sequence of [2, 1]) world.publish(eventText('r1', sequence));
  await world.invoke();
  expect(world.taken).toEqual([idOf('r1', 1), idOf('r1', 2), idOf('r1', 1, later)]);
});

describe('an endpoint that never takes an event', () => {
  test.each<[string, Parameters<typeof failing>[0], string]>([
    ['is down', 'connection_failed', 'connection_failed'],
    ['redirects', 302, '302'],
  ])('since it %s gets 21 attempts over 14 days, and is given up', async (_, answer, reason) => {
    const world = failing(answer);

    await world.run();

    const waits = world.arrivals.slice(1).map(({ at }, index) => at - 20 - (world.arrivals[index]?.at ?? 0));
    const days = Array(12).fill(86_400);
    expect(waits.map((wait) => Math.round(wait / 1_000))).toEqual([
      ...[5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000],
      ...days,
    ]);
    expect(world.dead).toHaveLength(1);
    expect(world.dead[0]?.at).toBeGreaterThan(START + 14 * 24 * HOUR);
    expect(JSON.parse(world.dead[0]?.body ?? '')).toEqual({
      version: 1,
      attempt: 21,
      dueAt: expect.any(Number),
      firstAt: START,
      sentAgain: false,
      lastReason: reason,
      givenUpAt: world.dead[0]?.at,
      failedAt: world.dead[0]?.at,
      event: eventText('r1', 1),
    });
    expect(world.deliveryStore.all()).toEqual([
      {
        eventId: ID,
        destination: 'webhook/payroll',
        outcome: 'failed',
        at: world.dead[0]?.at,
        attempts: 21,
        detail: reason,
        answers: Array.from({ length: 21 }, () => reason),
        failedAt: world.dead[0]?.at,
      },
    ]);
    expect(world.published.map(({ type, subject }) => [type, subject])).toEqual([
      ['workforce.trouble.began', ID],
    ]);
    expect(world.lines.at(-2)).toMatchObject({ attempt: 21, result: 'give_up' });
  });

  test('and gets its dead letters again starts again, and is reported once', async () => {
    const world = failing(500);
    await world.run();
    world.publish(world.dead.splice(0)[0]?.body ?? '');
    await world.run();
    const [letter] = world.dead.splice(0);
    let attempts = 0;
    world.endpoint = () => {
      attempts += 1;
      return attempts === 3 ? 200 : 500;
    };
    world.publish(letter?.body ?? '');
    await world.run();

    expect(world.taken).toEqual([ID]);
    expect(world.dead).toEqual([]);
    expect(world.deliveryStore.all()).toMatchObject([{ outcome: 'delivered', attempts: 3 }]);
    expect(world.deliveryStore.all()[0]).not.toHaveProperty('failedAt');
    const [failed, recovered] = world.published.map(({ text }) => JSON.parse(text));
    expect(recovered).toMatchObject({ type: 'workforce.trouble.ended', subject: ID });
    expect(recovered.data).toEqual({
      ...{ feed: null, kind: 'delivery_failed', about: ['payroll', ID], since: failed.time },
    });
  });

  test('and takes what is sent again is reported to have taken it, once', async () => {
    const world = failing(500);
    await world.run();
    world.endpoint = () => 200;
    for (let times = 0; times < 2; times += 1) {
      world.publish(eventText('r1', 1), { sentAgain: true });
      await world.run();
    }

    expect(world.taken).toEqual([ID, ID]);
    expect(world.published.map(({ type }) => type)).toEqual([
      'workforce.trouble.began',
      'workforce.trouble.ended',
    ]);
  });

  test('is not reported as not delivered to it', async () => {
    const world = failing(500);
    world.webhook = { ...world.webhook, topics: ['timesheets', 'operations'] };
    const [told] = [eventText('r1', 1, { source: '/webhooks/payroll', type: 'workforce.trouble.began' })];
    world.publish(told ?? '');
    await world.run();

    expect(world.published.map(({ subject }) => subject)).toEqual([ID]);
    expect(world.dead).toHaveLength(2);
  });

  test('of one that is sent again leaves it said that it took the event once', async () => {
    const world = new WebhookWorld();
    world.publish(eventText('r1', 1));
    await world.run();
    world.endpoint = () => 500;
    world.publish(eventText('r1', 1), { sentAgain: true });
    await world.run();

    expect(world.dead).toHaveLength(1);
    expect(world.deliveryStore.all()).toMatchObject([{ outcome: 'delivered', attempts: 1 }]);
  });
});

describe('an endpoint that is busy', () => {
  test('is asked again when it says so', async () => {
    const world = new WebhookWorld();
    world.endpoint = () => (world.arrivals.length === 0 ? { status: 503, retryAfterMs: HOUR } : 204);
    world.publish(eventText('r1', 1));

    await world.run();

    const [first, second] = world.arrivals;
    expect((second?.at ?? 0) - (first?.at ?? 0) - 20).toBe(HOUR);
    expect(world.taken).toEqual([ID]);
  });
});

describe('the secret', () => {
  test('is read again when the endpoint knows only the next one', async () => {
    const world = new WebhookWorld();
    world.endpoint = createVerifyingEndpoint(() => CURRENT_SECRET);
    world.publish(eventText('r1', 1));
    await world.run();
    world.secret = NEXT_SECRET;
    world.endpoint = createVerifyingEndpoint(() => NEXT_SECRET);
    world.publish(eventText('r1', 2));
    await world.run();

    expect(world.taken).toEqual([ID, idOf('r1', 2)]);
    expect(world.arrivals).toHaveLength(3);
    expect(world.reads).toEqual([false, false, true]);
    expect(world.lines.filter(({ outcome }) => outcome === 'delivery.attempted')).toMatchObject([
      { attempt: 1, status: 204, duration_ms: 20 },
      { attempt: 1, status: 204, duration_ms: 40 },
    ]);
  });

  test('is accepted while it rotates', async () => {
    const world = new WebhookWorld();
    world.secret = JSON.stringify({ current: NEXT_SECRET, previous: CURRENT_SECRET });
    for (const known of [CURRENT_SECRET, NEXT_SECRET]) {
      world.endpoint = createVerifyingEndpoint(() => known);
      world.publish(eventText(known, 1));
      await world.run();
    }

    expect(world.arrivals.map(({ answer }) => answer)).toMatchObject([{ status: 204 }, { status: 204 }]);
  });

  test('that did not change is not tried twice', async () => {
    const world = failing(401);
    await world.invoke();

    expect(world.arrivals).toHaveLength(1);
    expect(world.reads).toEqual([false, true]);
  });

  test.each([
    ['is missing', null, 'secret_unreadable'],
    ['is none', 'hunter2', 'secret_invalid'],
  ])('that %s is waited for like an endpoint that is down', async (_, secret, reason) => {
    const world = new WebhookWorld();
    world.secret = secret;
    world.publish(eventText('r1', 1));
    await world.run(START + 24 * HOUR);

    expect(world.arrivals).toEqual([]);
    expect(world.deliveryStore.all()).toMatchObject([{ outcome: 'waiting', attempts: 7, detail: reason }]);
    expect(JSON.stringify([world.lines, world.waiting])).not.toContain('hunter2');

    world.secret = CURRENT_SECRET;
    // What was kept of it is too old by then.
    world.forgetSecret();
    await world.run();
    expect(world.taken).toEqual([ID]);
  });
});

/** A world whose endpoint always gives the same answer to the one event there is. */
function failing(answer: number | string): WebhookWorld {
  const world = new WebhookWorld();
  world.endpoint = () => answer;
  world.publish(eventText('r1', 1));
  return world;
}
