import { expect, test } from 'vitest';
import { toVirtualTime } from '#local/aws/functions/virtual-clock.ts';
import { createDrillClock } from '#workshop/drill/stage.ts';

const MINUTE_MS = 60_000;

test('on a busy machine time goes so slowly that a poll takes no longer than ten seconds of it', () => {
  const drillClock = createDrillClock(0);
  const elapse = (pollMs: number) => {
    drillClock.adaptTo(pollMs);
    drillClock.toNextMinute(0);
    const { clock } = drillClock;
    return toVirtualTime(clock, clock.anchorMs + pollMs) - MINUTE_MS;
  };
  expect(elapse(100)).toBe(4_000);
  expect(elapse(1_000)).toBe(10_000);
  expect(elapse(2_000)).toBe(10_000);
  // Not slower than that: pauses last as much longer.
  expect(elapse(5_000)).toBe(20_000);
});
