import type { FeedState } from './feed-state.ts';

/** Longer than any poll lives. */
const LIFE_OF_A_POLL_MS = 60 * 60_000;

/**
 * How far back the heads of slices are loaded, and when that was opened for records that move there. Nothing may be
 * forgotten that an overlapping poll is about to put there (rule 1). So an opening ends in two steps: for an hour
 * polls put records there; in the next hour they only look whether somebody did, while those that still may come to
 * their end; then it is closed.
 */
export type Reach = Pick<FeedState, 'loadFrom' | 'extendedAt'>;

/** Whether a poll that begins now may put a record on a slice that far back. */
export function isOpen({ extendedAt }: Reach, now: number): boolean {
  return extendedAt !== undefined && now - extendedAt < LIFE_OF_A_POLL_MS;
}

/** What the next poll must reach: slices that hold something of ours, and one to which a record was found to move. */
export interface Needed {
  readonly held: readonly string[];
  readonly movedTo: string | null;
}

/** The reach of the next poll, from the first slice that is usually loaded and what the last poll left. */
export function reachOf(
  { held, movedTo }: Needed,
  last: Reach,
  { usual, now }: { readonly usual: string; readonly now: number },
): Reach {
  const { extendedAt, loadFrom } = last;
  const isKept = extendedAt !== undefined && now - extendedAt < 2 * LIFE_OF_A_POLL_MS;
  const kept = isKept && loadFrom !== null ? [loadFrom] : [];
  const first = [...held, ...kept, ...(movedTo === null ? [] : [movedTo])].reduce(earlier, usual);
  if (movedTo !== null && movedTo < usual) return { loadFrom: first, extendedAt: now };
  return isKept ? { loadFrom: first, extendedAt } : { loadFrom: first };
}

function earlier(left: string, right: string): string {
  return right < left ? right : left;
}
