import { addDays } from '../dates.ts';
import type { DateClass } from '../snapshot/learned-state.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Longest and shortest time between two looks at a date. The longest is a promise, whatever was learned. */
export const CADENCE_MS: Readonly<Record<DateClass, { readonly min: number; readonly max: number }>> = {
  hot: { min: 10 * SECOND_MS, max: MINUTE_MS },
  active: { min: 15 * SECOND_MS, max: 5 * MINUTE_MS },
  // A poll a minute finds them within half an hour, wherever in a minute the look before was.
  settled: { min: 15 * SECOND_MS, max: 29 * MINUTE_MS },
};

/**
 * What one page of the source is worth: seconds of delay, summed over the events that wait. With it a seeded
 * fortnight of 2,000 people needs about the fewest requests for its mean delay (see `npm run bench`).
 */
const EVENT_SECONDS_PER_PAGE = 2;

/** What a date is, as far as its cadence goes. */
export interface DateOutlook {
  readonly class: DateClass;
  /** Pages that a look costs. */
  readonly pages: number;
  /** Changes a second that are expected on it now. */
  readonly changesPerSecond: number;
}

/**
 * Time between two looks, in milliseconds. A look that finds what happened since the last one spares, on average,
 * rate x age^2 / 2 seconds of delay (Cho and Garcia-Molina, 2003; Sia and Cho, 2007); it is due when that is worth
 * its pages.
 */
export function computeCadence({ class: dateClass, pages, changesPerSecond }: DateOutlook): number {
  const { min, max } = CADENCE_MS[dateClass];
  if (changesPerSecond <= 0) return max;
  const seconds = Math.sqrt((2 * EVENT_SECONDS_PER_PAGE * pages) / changesPerSecond);
  return Math.min(max, Math.max(min, seconds * SECOND_MS));
}

/** Whether a date is yesterday, today or tomorrow. */
export function isHot(date: string, today: string): boolean {
  return addDays(today, -1) <= date && date <= addDays(today, 1);
}
