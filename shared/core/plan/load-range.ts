import type { FeedState } from '../snapshot/feed-state.ts';

/** Longer than any poll lives. */
const MAX_POLL_LIFE_MS = 60 * 60_000;

/**
 * How far back the heads of slices are loaded. An older version also opened the way there for records that move far
 * back (`extendedAt`); what it may still put there must be found by polls that overlap with its last ones (rule 1).
 */
export type LoadRange = Pick<FeedState, 'loadFrom' | 'extendedAt'>;

/** The reach of the next poll, from the first slice that is usually loaded and slices with unpublished events. */
export function toLoadRange(
  held: readonly string[],
  last: LoadRange,
  { usual, now }: { readonly usual: string; readonly now: number },
): LoadRange {
  const { extendedAt, loadFrom } = last;
  const isKept = extendedAt !== undefined && now - extendedAt < 2 * MAX_POLL_LIFE_MS;
  const first = [...held, ...(isKept && loadFrom !== null ? [loadFrom] : [])].reduce(minDate, usual);
  return isKept ? { loadFrom: first, extendedAt } : { loadFrom: first };
}

function minDate(left: string, right: string): string {
  return right < left ? right : left;
}
