import { describe, expect, test } from 'vitest';
import { Random } from '#test/simulation/random.ts';
import { CURRENT_SECRET, eventText, idOf, START, WebhookWorld } from '#test/support/webhook-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('an endpoint that was down for 13 days', () => {
  test('gets everything afterwards, once, without a command', async () => {
    const random = new Random(13);
    const world = new WebhookWorld();
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

    expect([...world.taken].sort()).toEqual(sent.map(([record, sequence]) => idOf(record, sequence)).sort());
    expect([world.dead, world.published]).toEqual([[], []]);
    expect(world.now).toBeLessThan(START + 16 * DAY);
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
    const kept = JSON.stringify([world.lines, world.dead, world.deliveryStore.all(), world.published]);
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
