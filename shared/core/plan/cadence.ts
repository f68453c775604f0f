import type { DateClass } from '../snapshot/learned-state.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Bounds of the time between two scans of a date. `max` is a promise, whatever rates were learned. */
export const CADENCE_MS: Readonly<Record<DateClass, { readonly min: number; readonly max: number }>> = {
  hot: { min: 10 * SECOND_MS, max: MINUTE_MS },
  active: { min: 15 * SECOND_MS, max: 5 * MINUTE_MS },
  // With one poll a minute they are scanned within half an hour, wherever in a minute the scan before was.
  settled: { min: 15 * SECOND_MS, max: 29 * MINUTE_MS },
};

/**
 * A hot date that is worth another scan within its minute, or soon after it, gets one so often: whoever clocks in last
 * waits no longer.
 */
const BUSY_HOT = { withinMs: 75 * SECOND_MS, everyMs: 20 * SECOND_MS };

/**
 * The delay, in seconds summed over the waiting events, at which a scan is worth one page of the source. A page of
 * 1,000 records is worth five of 200. With these values a seeded fortnight needs about the fewest requests for its
 * mean delay, among 2,000 and 50,000 people (`npm run bench`).
 */
const MIN_EVENT_SECONDS_PER_PAGE = 2;
const EVENT_SECONDS_PER_RECORD = 0.01;

/** What the cadence of a date depends on. */
export interface DateOutlook {
  readonly class: DateClass;
  /** Pages that a scan costs, and how many records one holds. */
  readonly pages: number;
  readonly pageSize: number;
  /** Changes a second that are expected now. */
  readonly changesPerSecond: number;
}

/**
 * Time between two scans, in milliseconds. On average a scan saves rate x age^2 / 2 seconds of delay of the changes
 * since the last one (Cho and Garcia-Molina, 2003; Sia and Cho, 2007); it is due when that is worth its pages.
 */
export function computeCadence({ class: dateClass, pages, pageSize, changesPerSecond }: DateOutlook): number {
  const { min, max } = CADENCE_MS[dateClass];
  if (changesPerSecond <= 0) return max;
  const secondsPerPage = Math.max(MIN_EVENT_SECONDS_PER_PAGE, EVENT_SECONDS_PER_RECORD * pageSize);
  const seconds = Math.sqrt((2 * secondsPerPage * pages) / changesPerSecond);
  const wanted = Math.max(min, seconds * SECOND_MS);
  if (dateClass !== 'hot') return Math.min(wanted, max);
  return wanted < BUSY_HOT.withinMs ? Math.min(wanted, BUSY_HOT.everyMs) : max;
}

/** Whether a date is expected to change within the minute, so that follow-ups read it again. */
export function isBusy({ cadenceMs }: { readonly cadenceMs: number }): boolean {
  return cadenceMs < CADENCE_MS.hot.max;
}
