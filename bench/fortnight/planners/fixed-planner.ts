import { datesOf, rangesOf } from '#shared/core/dates.ts';
import { type WatchedWindow, windowRange } from '#shared/core/plan/window.ts';
import type { Known, LookPlanner, Step } from '../model/planner.ts';

/** A walk over the same dates around today at a fixed interval; the next one at once when a walk takes longer. */
export function createFixedPlanner(intervalMs: number, window: WatchedWindow): LookPlanner {
  let beginsAt = 0;
  return {
    name: `every ${Math.round(intervalMs / 1_000)} s`,
    lanes: ['rescan'],
    readsPayPeriods: false,
    next(_lane: string, { now }: Known): Step {
      if (now < beginsAt) return { waitUntil: beginsAt };
      beginsAt = Math.max(now, beginsAt + intervalMs);
      if (beginsAt <= now) beginsAt = now + intervalMs;
      const [range] = rangesOf(datesOf(windowRange(now, 'UTC', window)));
      return { dates: range === undefined ? [] : datesOf(range) };
    },
    learn(): void {},
  };
}
