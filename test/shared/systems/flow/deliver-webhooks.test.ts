import { describe, expect, test } from 'vitest';
import { toTraceParent } from '#shared/core/events/envelope.ts';
import {
  CURRENT_SECRET,
  createVerifyingEndpoint,
  eventText,
  idOf,
  NEXT_SECRET,
  START,
  WebhookWorld,
} from '#test/support/webhook-world.ts';
import { play } from './webhook-script.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ID = idOf('r1', 1);
const OAUTH = { tokenUrl: 'https://login.acme.example', clientId: 'notifier', clientSecret: 'canary' };

describe('an event', () => {
  test('is posted as it is, signed, and noted', async () => {
    const world = new WebhookWorld();
    world.endpoint = createVerifyingEndpoint(CURRENT_SECRET);
    await play('send r1/1; run took r1/1', world);

    const headers = {
      'content-type': 'application/cloudevents+json',
      traceparent: toTraceParent(ID),
      'webhook-id': ID,
      'webhook-timestamp': String(START / 1_000),
      'webhook-signature': expect.stringMatching(/^v1,[\w+/=]{44}$/),
    };
    expect(world.arrivals.map(({ request }) => request)).toEqual([
      { url: 'https://payroll.acme.example/hook', headers, body: eventText('r1', 1) },
    ]);
    const delivered = { outcome: 'delivered', at: START + 20, attempts: 1, detail: null };
    expect(world.deliveryStore.all()).toEqual([
      { eventId: ID, destination: 'webhook/payroll', ...delivered },
    ]);
    expect(world.waiting).toEqual([]);
  });

  test('is one line in the log, and its batch another', async () => {
    const { lines } = await play('send r1/1; run took r1/1');
    expect(lines).toEqual([
      {
        ...{ outcome: 'delivery.attempted', webhook: 'payroll', eventId: ID },
        ...{
          type: 'workforce.timesheet.changed',
          attempt: 1,
          result: 'delivered',
          status: 204,
          reason: null,
        },
        ...{ sentAgain: false, example: false, due_ms: null, age_ms: 20, duration_ms: 20 },
      },
      {
        ...{ outcome: 'deliveries.handled', webhook: 'payroll', messages: 1, delivered: 1, retried: 0 },
        ...{ given_up: 0, put_off: 0, repeated: 0, filtered: 0, refused: 0, interrupted: 0, duration_ms: 20 },
      },
    ]);
  });

  test.each([
    ['that comes twice is posted once', 'send r1/1; run took r1/1; send r1/1; run'],
    ['of a stored state, which has no sequence, is too', 'send r1/0; send r1/0; run took r1/0'],
    ['is tried until it is taken', 'answer 503; send r1/1; run 13d refused 19; answer 204; run took r1/1'],
    [
      'starts again when its dead letter is put back, and is reported once',
      'answer 500; send r1/1; run refused 21, dead r1/1, began r1/1; redrive; run refused 21, dead r1/1; redrive; answer 200; run took r1/1, ended r1/1',
    ],
    [
      'that is taken when it is sent again is reported to be, once',
      'answer 500; send r1/1; run refused 21, dead r1/1, began r1/1; answer 200; send r1/1 again; run took r1/1, ended r1/1; send r1/1 again; run took r1/1',
    ],
  ])('%s', async (_, script) => {
    await play(script);
  });

  test('that was published again for looking back is posted again, and says so', async () => {
    const { arrivals } = await play(
      'send r1/1; run took r1/1; answer 500; send r1/1 again; run 1min refused 2; answer 200; run took r1/1',
    );
    const marks = arrivals.map(({ request }) => request.headers['webhook-sent-again']);
    expect(marks).toEqual([undefined, 'true', 'true', 'true']);
    expect(new Set(arrivals.map(({ request }) => request.body)).size).toBe(1);
  });

  test('that is not an event of this product goes to the dead letters, and does not stop the others', async () => {
    const world = new WebhookWorld();
    world.publish('{"hello":"world"}');
    world.publish(eventText('r1', 1));
    await world.run();

    expect(world.dead.map(({ body }) => body)).toEqual(['{"hello":"world"}']);
    expect(world.taken).toEqual([ID]);
    const refused = { outcome: 'delivery.refused', webhook: 'payroll', messageId: 'message-1' };
    expect(world.lines).toContainEqual(refused);
  });

  test('that there is no time for comes back a little later', async () => {
    const world = new WebhookWorld();
    world.endpoint = () => {
      world.now += world.arrivals.length === 0 ? 50_000 : 0;
      return 204;
    };
    for (const sequence of [1, 2]) world.publish(eventText('r1', sequence));
    await world.invoke();

    expect(world.taken).toEqual([ID]);
    const [waiting, ...others] = world.waiting.map((body) => JSON.parse(body));
    expect([waiting, others]).toMatchObject([{ attempt: 0, dueAt: world.now + 5_000 }, []]);
    await play('run took r1/2', world);
  });

  test('of a record waits for the earlier ones of its batch, by epoch and sequence', async () => {
    const later = '2026-03-04T21:30:00.000Z';
    const world = new WebhookWorld();
    world.publish(eventText('r1', 1, { id: idOf('r1', 1, later), epoch: later }));
    for (const sequence of [2, 1]) world.publish(eventText('r1', sequence));
    await world.invoke();
    expect(world.taken).toEqual([idOf('r1', 1), idOf('r1', 2), idOf('r1', 1, later)]);
  });
});

describe('an endpoint', () => {
  test.each(['connection_failed', '302'])('that always answers %s gets 21 attempts', async (reason) => {
    const { dead, deliveryStore, lines } = await play(
      `answer ${reason}; send r1/1; run refused 21, dead r1/1, began r1/1`,
    );
    const [{ at = 0, body = '' } = {}] = dead;
    expect(at).toBeGreaterThan(START + 14 * 24 * HOUR);
    expect(JSON.parse(body)).toEqual({
      ...{ version: 1, attempt: 21, dueAt: expect.any(Number), firstAt: START, sentAgain: false },
      ...{ lastReason: reason, givenUpAt: at, failedAt: at, event: eventText('r1', 1) },
    });
    expect(deliveryStore.all()).toEqual([
      {
        ...{ eventId: ID, destination: 'webhook/payroll', outcome: 'failed', at, attempts: 21 },
        ...{ detail: reason, answers: Array(21).fill(reason), failedAt: at },
      },
    ]);
    expect(lines.at(-2)).toMatchObject({ attempt: 21, result: 'give_up' });
  });

  test('is not told that it was not told', async () => {
    const world = new WebhookWorld({ topics: ['timesheets', 'operations'] });
    world.publish(eventText('r2', 1, { source: '/webhooks/payroll', type: 'workforce.trouble.began' }));
    await play('answer 500; send r1/1; run refused 42, dead r2/1 r1/1, began r1/1', world);
  });

  test('that does not take it again has taken it once', async () => {
    const script =
      'send r1/1; run took r1/1; answer 500; send r1/1 again; run refused 21, dead r1/1, began r1/1';
    const { deliveryStore } = await play(script);
    expect(deliveryStore.all()).toMatchObject([{ outcome: 'delivered', attempts: 1 }]);
  });

  test('that is busy is asked again when it says so', async () => {
    const world = new WebhookWorld();
    world.endpoint = () => (world.arrivals.length === 0 ? { status: 503, retryAfterMs: HOUR } : 204);
    await play('send r1/1; run refused 1, took r1/1', world);
    const [first, second] = world.arrivals;
    expect((second?.at ?? 0) - (first?.at ?? 0) - 20).toBe(HOUR);
  });

  test('has all that it answered in the delivery store, and when it is asked next', async () => {
    const answers = [500, 'timeout', 503];
    const world = new WebhookWorld();
    world.endpoint = () => answers.shift() ?? 204;
    await play('send r1/1; run 10min refused 3', world);
    const [waiting] = world.deliveryStore.all();
    expect(waiting).toMatchObject({ outcome: 'waiting', attempts: 3, answers: ['500', 'timeout', '503'] });
    expect(waiting?.nextAt).toBeGreaterThan(START + 30 * MINUTE);

    await play('run took r1/1', world);
    const [delivered] = world.deliveryStore.all();
    const kept = { outcome: 'delivered', attempts: 4, detail: null, answers: ['500', 'timeout', '503'] };
    expect(delivered).toMatchObject(kept);
    expect(delivered?.at).toBeGreaterThanOrEqual(waiting?.nextAt ?? Number.NaN);
    for (const member of ['nextAt', 'failedAt']) expect(delivered).not.toHaveProperty(member);
  });
});

describe('the secret', () => {
  test('is read again when the endpoint knows only the next one', async () => {
    const world = new WebhookWorld();
    await play('send r1/1; run took r1/1', world);
    world.secret = NEXT_SECRET;
    world.endpoint = createVerifyingEndpoint(NEXT_SECRET);
    await play('send r1/2; run refused 1, took r1/2', world);

    expect(world.reads).toEqual([false, false, true]);
    expect(world.lines.filter(({ outcome }) => outcome === 'delivery.attempted')).toMatchObject([
      { attempt: 1, status: 204, duration_ms: 20 },
      { attempt: 1, status: 204, duration_ms: 40 },
    ]);
  });

  test('that did not change is not tried twice', async () => {
    const world = new WebhookWorld();
    world.endpoint = () => 401;
    world.publish(eventText('r1', 1));
    await world.invoke();
    expect(world.arrivals).toHaveLength(1);
    expect(world.reads).toEqual([false, true]);
  });

  test.each([
    ['is missing', null, 'secret_unreadable'],
    ['is none', 'canary', 'secret_invalid'],
    ['gets no token', JSON.stringify({ current: CURRENT_SECRET, oauth: OAUTH }), 'token_refused'],
  ])('that %s is waited for like an endpoint that is down', async (_, secret, reason) => {
    const world = new WebhookWorld();
    world.secret = secret;
    await play('send r1/1; run 1d', world);
    expect(world.arrivals).toEqual([]);
    expect(world.deliveryStore.all()).toMatchObject([{ outcome: 'waiting', attempts: 7, detail: reason }]);
    const attempts = world.lines.filter(({ outcome }) => outcome === 'delivery.attempted');
    expect(attempts[0]).toMatchObject({ result: 'retry', status: null, reason });
    expect(JSON.stringify([world.lines, world.waiting])).not.toContain('canary');

    world.secret = CURRENT_SECRET;
    // What was kept of it is too old by then.
    world.forgetSecret();
    await play('run took r1/1', world);
  });
});

test('the log has a line for each attempt and none for waiting, and nothing of the event, the address or the secret', async () => {
  const world = new WebhookWorld();
  world.secret = JSON.stringify({ current: CURRENT_SECRET, headers: { 'X-Api-Key': 'canary' } });
  world.endpoint = ({ headers }) => (headers['x-api-key'] === 'canary' ? 500 : 204);
  await play('send r1/1; run refused 21, dead r1/1, began r1/1', world);

  expect(world.invocations).toBeGreaterThan(300);
  expect(world.lines).toHaveLength(42);
  const log = JSON.stringify(world.lines);
  const kept = JSON.stringify([world.dead, world.deliveryStore.all(), world.published]);
  expect(['Zo', '/hook', 'acme', 'whsec', '"r1"'].filter((text) => log.includes(text))).toEqual([]);
  expect(log + kept).not.toContain('canary');
});
