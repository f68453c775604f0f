import { toIso } from '../dates.ts';
import { MAX_NAMED_DATES, type Operation } from '../records/operation.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import { DATE_CLASSES, type DateClass } from '../snapshot/learned-state.ts';
import type { DueSlice } from './agenda.ts';
import { CADENCE_MS } from './cadence.ts';

/** How long a date of a class may be overdue before `feed.lagging` is published. */
export const LAGGING_MS: Readonly<Record<DateClass, number>> = {
  hot: 5 * CADENCE_MS.hot.max,
  active: 4 * CADENCE_MS.active.max,
  settled: 2 * CADENCE_MS.settled.max,
};

/** What the feed remembers of late dates. */
export type Lag = FeedState['lag'];
/** The dates of one class that are overdue, the worst first. `lateMs`: of the most overdue date. */
export type ClassLag = Lag['worst'][number];

/**
 * How late the dates of each class are after a poll; classes without an overdue date are left out. What fell due while
 * the poll ran is the next one's, however long this one took.
 */
export function measureLag(
  slices: readonly DueSlice[],
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
): ClassLag[] {
  return DATE_CLASSES.flatMap((dateClass) => {
    const late = slices
      .filter((each) => each.class === dateClass && each.owedSince < startedAt)
      .toSorted((a, b) => a.owedSince - b.owedSince);
    const [worst] = late;
    if (worst === undefined) return [];
    const dates = late.slice(0, MAX_NAMED_DATES).map(({ slice }) => slice);
    return [{ class: dateClass, dates, lateMs: now - worst.owedSince }];
  });
}

/** Publishes once that dates are too late, and once that none is overdue by more than a cadence. */
export function updateLag(
  since: number | null,
  worst: ClassLag[],
  now: number,
): { readonly lag: Lag; readonly operations: readonly Operation[] } {
  const lagging = worst.filter(({ class: dateClass, lateMs }) => lateMs > LAGGING_MS[dateClass]);
  if (since === null) {
    if (lagging.length === 0) return { lag: { since: null, worst }, operations: [] };
    const data = { since: toIso(now), worst: lagging.map(describeLag) };
    return { lag: { since: now, worst }, operations: [{ type: 'feed.lagging', subject: null, data }] };
  }
  const isOver = worst.every(({ class: dateClass, lateMs }) => lateMs <= CADENCE_MS[dateClass].max);
  if (!isOver) return { lag: { since, worst }, operations: [] };
  const data = { since: toIso(since) };
  return { lag: { since: null, worst }, operations: [{ type: 'feed.caught_up', subject: null, data }] };
}

function describeLag({ class: dateClass, dates, lateMs }: ClassLag) {
  return { class: dateClass, dates: [...dates], lateSeconds: Math.round(lateMs / 1_000) };
}
