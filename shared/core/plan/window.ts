import { addDays, type DateRange, toLocalDate } from '../dates.ts';
import type { FeedName } from '../feeds.ts';
import type { FeedState } from '../snapshot/feed-state.ts';

/** Days before the window on which a record is still known when it moves into the window (rule 6). */
const LOOKBACK_DAYS = 31;

/** Days before and after today that are watched. */
export interface WatchedWindow {
  readonly backDays: number;
  readonly forwardDays: number;
}

/** What decides which dates are watched. */
export interface WindowInput {
  readonly feed: FeedName;
  readonly now: number;
  readonly timeZone: string;
  readonly window: WatchedWindow;
}

/** The dates of the window, around today in the connection's zone. */
export function computeWindow(now: number, timeZone: string, window: WatchedWindow): DateRange {
  const today = toLocalDate(now, timeZone);
  return { from: addDays(today, -window.backDays), to: addDays(today, window.forwardDays) };
}

/** The first slice whose head a poll loads: the lookback before the window, or earlier for unpublished events. */
export function findFirstSliceToLoad(input: WindowInput & { readonly state: FeedState }): string {
  if (input.feed !== 'timesheets') return '';
  const lookback = addDays(computeWindow(input.now, input.timeZone, input.window).from, -LOOKBACK_DAYS);
  const { loadFrom } = input.state;
  return loadFrom !== null && loadFrom < lookback ? loadFrom : lookback;
}
