import type { FeedState } from '../snapshot/feed-state.ts';

/** Longer than any poll runs. */
const MAX_POLL_LIFE_MS = 60 * 60_000;

/**
 * How far back heads are loaded. An older version extended the range for records that moved far back (`extendedAt`).
 * Polls that overlap with its last ones must find what those may still put there (rule 1).
 */
export type LoadRange = Pick<FeedState, 'loadFrom' | 'extendedAt'>;

/**
 * The load range of the next poll. `held`: slices with unpublished events. `usual`: the first slice that is loaded
 * anyway.
 */
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
