import type { DateRange } from '../dates.ts';
import type { SliceHead } from './snapshot.ts';

/**
 * Stands among the slices without being a date: it holds the records that moved to a date outside the window that
 * nobody ever looked at, such as one in a wrong year. Kept on their own dates they would make every poll load the
 * heads from there on, for ever; here they are one head. It sorts after every date and before `arrivals`, so it is
 * loaded with the dates and after them: whoever reads a date that a record has just left finds the record here.
 */
export const DISTANT_SLICE = 'afar';

/** The slice in which a record of a date stands: that of its date when it is watched or known, else `afar`. */
export function findSliceForDate(
  date: string,
  { window, heads }: { readonly window: DateRange; readonly heads: ReadonlyMap<string, SliceHead> },
): string {
  const isWatched = window.from <= date && date <= window.to;
  return isWatched || heads.get(date)?.baselinedAt != null ? date : DISTANT_SLICE;
}
