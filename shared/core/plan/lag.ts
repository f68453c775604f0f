import type { FeedState } from '../snapshot/feed-state.ts';
import { DATE_CLASSES, type DateClass } from '../snapshot/learned-state.ts';
import type { DueSlice } from './agenda.ts';
import { CADENCE_MS } from './cadence.ts';

/** How long a date of a class may be overdue before the feed is late. */
export const LAGGING_MS: Readonly<Record<DateClass, number>> = {
  hot: 5 * CADENCE_MS.hot.max,
  active: 4 * CADENCE_MS.active.max,
  settled: 2 * CADENCE_MS.settled.max,
};

/** Dates of a class that the feed remembers as late. */
const MAX_NAMED_DATES = 10;

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

/** A feed is late from when a date is overdue by too much until none is by more than a cadence. */
export function updateLag(since: number | null, worst: ClassLag[], now: number): Lag {
  if (since === null) {
    const isLate = worst.some(({ class: dateClass, lateMs }) => lateMs > LAGGING_MS[dateClass]);
    return { since: isLate ? now : null, worst };
  }
  const isOver = worst.every(({ class: dateClass, lateMs }) => lateMs <= CADENCE_MS[dateClass].max);
  return { since: isOver ? null : since, worst };
}
