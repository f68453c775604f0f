import { describe, expect, test } from 'vitest';
import { thinEventSchema } from '#shared/webhooks/thin-event.ts';
import { Random } from '#test/simulation/random.ts';
import {
  CURRENT_SECRET,
  createVerifyingEndpoint,
  eventText,
  idOf,
  START,
  WebhookWorld,
} from '#test/support/webhook-world.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('an endpoint that was down for 13 days', () => {
  test.each(['none', 'record'] as const)(
    'gets everything afterwards, once, without a command (order: %s)',
    async (order) => {
      const random = new Random(13);
      const world = new WebhookWorld({ order });
      world.random = () => random.next();
      world.endpoint = (_, now) =>
        now < START + 13 * DAY ? random.pick([503, 'timeout', 'connection_failed', 404]) : 204;
      const sent = Array.from(
        { length: 26 },
        (_, index) => [`r${index % 4}`, 1 + Math.floor(index / 4)] as const,
      );
      for (const [index, [record, sequence]] of sent.entries())
        world.publish(eventText(record, sequence), { delayMs: index * 12 * HOUR });
      await world.run();

      expect([...world.taken].sort()).toEqual(
        sent.map(([record, sequence]) => idOf(record, sequence)).sort(),
      );
      expect([world.dead, world.published]).toEqual([[], []]);
      expect(world.now).toBeLessThan(START + 16 * DAY);
      if (order === 'none') return;
      for (const record of ['r0', 'r1', 'r2', 'r3']) {
        const sequences = world.arrivals
          .filter((each) => each.record === record && each.at >= START + 13 * DAY)
          .map(({ sequence }) => sequence);
        expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
      }
    },
  );
});

describe('maxPerSecond', () => {
  test.each([
    [0.2, 12],
    [1, 60],
    [50, 400],
  ])(
    'of %f spaces the requests of each of two processes, and all %i events arrive',
    async (maxPerSecond, events) => {
      const world = new WebhookWorld({ maxPerSecond });
      for (let index = 0; index < events; index += 1) world.publish(eventText(`r${index}`, 1));
      await world.run();

      expect(new Set(world.taken).size).toBe(events);
      expect(world.taken).toHaveLength(events);
      const gaps = world.arrivals.slice(1).map(({ at }, index) => at - (world.arrivals[index]?.at ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual((2 * SECOND) / maxPerSecond);
    },
  );

  test('counts what the invocation before has sent, and survives a clock that is set back', async () => {
    const world = new WebhookWorld({ maxPerSecond: 1 });
    world.publish(eventText('r1', 1));
    await world.run();
    world.publish(eventText('r2', 1));
    await world.run();
    expect(world.arrivals.map(({ at }) => at - START)).toEqual([0, 2 * SECOND]);

    world.now -= DAY;
    const before = world.now;
    world.publish(eventText('r3', 1));
    await world.run();
    expect((world.arrivals.at(-1)?.at ?? 0) - before).toBe(0);
  });
});

describe('timeoutSeconds', () => {
  test.each([
    [1, [0, 20, 40]],
    [15, [0, 20]],
    [20, [0]],
  ])(
    'of %i leaves room for two requests and a token before the invocation ends',
    async (timeoutSeconds, starts) => {
      const world = new WebhookWorld({ timeoutSeconds, maxPerSecond: 0.1 });
      for (const record of ['r1', 'r2', 'r3', 'r4']) world.publish(eventText(record, 1));
      await world.invoke();
      expect(world.arrivals.map(({ at }) => (at - START) / SECOND)).toEqual(starts);
      expect(world.waiting).toHaveLength(4 - starts.length);
    },
  );
});

describe('a thin payload', () => {
  const details = {
    departmentId: '261_1',
    late: ['close'],
    changed: ['hours', 'note'],
    current: { name: 'canary-5f1c' },
  };
  const text = eventText('r1', 3, {
    dataschema: 'urn:workforce-change-notifier:schema:timesheet.changed:1',
    time: '2026-03-04T22:00:00.000Z',
    data: details,
  });

  test('says which event it is and what changed, without a value, and is signed', async () => {
    const world = new WebhookWorld({ payload: 'thin' });
    world.endpoint = createVerifyingEndpoint(() => CURRENT_SECRET);
    world.publish(text);
    await world.run();

    expect(world.taken).toEqual([idOf('r1', 3)]);
    const body = world.arrivals[0]?.request.body ?? '';
    expect(body).not.toContain('canary');
    const { data: _, dataschema, ...envelope } = JSON.parse(text);
    expect(thinEventSchema.parse(JSON.parse(body))).toEqual({
      ...envelope,
      dataschema: `${dataschema}:thin`,
      data: { changed: ['hours', 'note'], late: ['close'] },
    });
  });

  test('is the same bytes in every attempt, and the whole event passes the filter and goes to the dead letters', async () => {
    const world = new WebhookWorld({ payload: 'thin', filter: { departmentId: ['261_1'], late: true } });
    world.endpoint = () => 422;
    world.publish(text);
    await world.run();

    expect(world.arrivals).toHaveLength(10);
    expect(new Set(world.arrivals.map(({ request }) => request.body)).size).toBe(1);
    expect(JSON.parse(world.dead[0]?.body ?? '').event).toBe(text);
  });
});

describe('headers and tokens of the secret', () => {
  const oauth = {
    tokenUrl: 'https://login.acme.example/token',
    clientId: 'notifier',
    clientSecret: 'canary-5f1c',
  };
  const secretWith = (more: object) => JSON.stringify({ current: CURRENT_SECRET, ...more });

  test('are in the request, and nowhere else', async () => {
    const world = new WebhookWorld();
    world.secret = secretWith({ headers: { 'X-Api-Key': 'canary-5f1c' } });
    world.endpoint = ({ headers }) => (headers['x-api-key'] === 'canary-5f1c' ? 500 : 401);
    world.publish(eventText('r1', 1));
    await world.run();

    expect(world.arrivals.every(({ answer }) => answer.outcome === 'answered' && answer.status === 500)).toBe(
      true,
    );
    const kept = JSON.stringify([world.lines, world.dead, world.ledger.all(), world.published]);
    expect(kept).not.toContain('canary');
  });

  test('a token that the endpoint refuses is replaced within the attempt', async () => {
    const world = new WebhookWorld();
    world.secret = secretWith({ oauth });
    let given = 0;
    world.tokenServer = () => {
      given += 1;
      const text = JSON.stringify({ access_token: `token-${given}`, expires_in: 3_600 });
      return { outcome: 'answered', status: 200, retryAfterMs: null, durationMs: 5, text };
    };
    world.endpoint = ({ headers }) =>
      headers.authorization === `Bearer token-${given}` && given > 1 ? 204 : 401;
    for (const record of ['r1', 'r2']) {
      world.publish(eventText(record, 1));
      await world.run();
    }

    expect(world.taken).toEqual([idOf('r1', 1), idOf('r2', 1)]);
    expect(given).toBe(2);
    expect(world.arrivals).toHaveLength(3);
  });

  test.each([
    ['token_refused', () => undefined],
    [
      'secret_invalid',
      (world: WebhookWorld) => {
        world.secret = secretWith({ headers: { host: 'elsewhere.example' } });
      },
    ],
  ] as const)(
    '%s counts as a failed attempt: the event is tried again and not lost',
    async (reason, spoil) => {
      const world = new WebhookWorld();
      world.secret = secretWith({ oauth });
      spoil(world);
      world.publish(eventText('r1', 1));
      await world.run(START + 10 * DAY);
      expect(world.arrivals).toEqual([]);
      expect(world.lines.find(({ outcome }) => outcome === 'delivery.attempted')).toMatchObject({
        reason,
        result: 'retry',
      });

      world.secret = CURRENT_SECRET;
      world.forgetSecret();
      await world.run();
      expect(world.taken).toEqual([idOf('r1', 1)]);
    },
  );
});
