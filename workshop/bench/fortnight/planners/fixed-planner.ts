import { listDates } from '#shared/core/dates.ts';
import { computeWindow, type WatchedWindow } from '#shared/core/plan/window.ts';
import type { PlannerInput, ScanPlanner, Step } from '../model/planner.ts';

/** Walks the same dates around today at a fixed interval; a walk that takes longer is followed by the next at once. */
export function createFixedPlanner(intervalMs: number, window: WatchedWindow): ScanPlanner {
  let beginsAt = 0;
  return {
    lanes: ['rescan'],
    readsPayPeriods: false,
    next(_lane: string, { now }: PlannerInput): Step {
      if (now < beginsAt) return { waitUntil: beginsAt };
      beginsAt = Math.max(now, beginsAt + intervalMs);
      if (beginsAt <= now) beginsAt = now + intervalMs;
      return { dates: listDates(computeWindow(now, 'UTC', window)) };
    },
    learn(): void {},
  };
}
