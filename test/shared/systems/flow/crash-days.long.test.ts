import { describe, expect, test } from 'vitest';
import { START } from '#test/support/webhook-world.ts';
import { deadIds, forEveryCall, IDS, withEvents } from './crash-stories.ts';

const HOUR = 3_600_000;

describe('whatever call goes wrong', () => {
  test('an endpoint that never comes back costs no event before 14 days, and each is reported', async () => {
    const checked = await forEveryCall({
      // One in so many calls: most of them only keep a message waiting.
      every: 1_201,
      make() {
        const world = withEvents();
        world.endpoint = () => 'timeout';
        return world;
      },
      check(world) {
        expect(deadIds(world)).toEqual(IDS);
        expect(Math.min(...world.dead.map(({ at }) => at))).toBeGreaterThan(START + 14 * 24 * HOUR);
        expect([...new Set(world.published.map(({ subject }) => subject))].sort()).toEqual(IDS);
      },
    });
    expect(checked).toBeGreaterThan(12);
  });
});
