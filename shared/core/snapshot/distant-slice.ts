import type { DateRange } from '../dates.ts';
import type { SliceHead } from './snapshot.ts';

/**
 * A slice that is not a date (ADR 6). It holds records that moved to a date outside the window that was never
 * scanned, such as one in a wrong year. On their own dates they would make every poll load all heads from there on;
 * here they take one head. It sorts after every date and before `arrivals`, so it is loaded after the dates: a poll
 * that reads a date just after a record left it finds the record here.
 */
export const DISTANT_SLICE = 'afar';

/** The slice that holds records of a date: the date itself when it is in the window or was scanned, else `afar`. */
export function findSliceForDate(
  date: string,
  { window, heads }: { readonly window: DateRange; readonly heads: ReadonlyMap<string, SliceHead> },
): string {
  const isWatched = window.from <= date && date <= window.to;
  return isWatched || heads.get(date)?.baselinedAt != null ? date : DISTANT_SLICE;
}
