import { describe, expect, test } from 'vitest';
import {
  createVerifyingEndpoint,
  eventText,
  idOf,
  NEXT_SECRET,
  START,
  WebhookWorld,
} from '#test/support/webhook-world.ts';
import { deadIds, forEveryCall, IDS, withEvents } from './crash-stories.ts';

/** Each call of each port goes wrong once, in each of four ways; then the queue gives out again what came back. */

const AWAY_MS = 400_000;
describe('whatever call goes wrong', () => {
  test('an endpoint gets every event at least once, and nothing is given up', async () => {
    const checked = await forEveryCall({
      make: () => withEvents(),
      check(world) {
        expect([...new Set(world.taken)].sort()).toEqual(IDS);
        expect([world.dead, world.waiting, world.published]).toEqual([[], [], []]);
      },
    });
    expect(checked).toBeGreaterThan(80);
  });

  test('an endpoint that was away gets every event afterwards', async () => {
    const checked = await forEveryCall({
      make() {
        const world = withEvents();
        world.endpoint = (_, now) => (now < START + AWAY_MS ? 503 : 204);
        return world;
      },
      check(world) {
        expect([...new Set(world.taken)].sort()).toEqual(IDS);
        expect([world.dead, world.waiting, world.published]).toEqual([[], [], []]);
      },
    });
    expect(checked).toBeGreaterThan(150);
  });

  test('an endpoint whose secret was replaced gets every event', async () => {
    const checked = await forEveryCall({
      async make() {
        const world = new WebhookWorld();
        world.publish(eventText('r0', 1));
        await world.run();
        world.secret = NEXT_SECRET;
        world.endpoint = createVerifyingEndpoint(() => NEXT_SECRET);
        return withEvents(world);
      },
      check(world) {
        expect([...new Set(world.taken)].sort()).toEqual([...IDS, idOf('r0', 1)].sort());
        expect(world.dead).toEqual([]);
      },
    });
    expect(checked).toBeGreaterThan(80);
  });

  test('an endpoint that is gone is reported, and every event is among the dead letters', async () => {
    const checked = await forEveryCall({
      make() {
        const world = withEvents();
        world.endpoint = () => 410;
        return world;
      },
      check(world) {
        expect(deadIds(world)).toEqual(IDS);
        expect(world.published.map(({ type }) => type)).toContain('workforce.trouble.began');
        expect(new Set(world.deliveryStore.all().map(({ outcome }) => outcome))).toEqual(new Set(['failed']));
        expect(world.waiting).toEqual([]);
      },
    });
    expect(checked).toBeGreaterThan(80);
  });
});
