import type { FeedState } from './feed-state.ts';

/**
 * How long heads far behind the window are loaded after they were needed last: longer than any poll lives, so that
 * one that overlaps cannot forget what another one found there (rule 1).
 */
const EXTENSION_MS = 60 * 60_000;

/** The first slice whose head the next poll loads, and when it had to be that far back. */
export type Reach = Pick<FeedState, 'loadFrom' | 'extendedAt'>;

/** From the usual first slice, those that are needed before it, and what the last poll left. */
export function reachOf(
  needed: readonly string[],
  last: Reach,
  { usual, now }: { readonly usual: string; readonly now: number },
): Reach {
  const first = [usual, ...needed].reduce((a, b) => (b < a ? b : a));
  const { loadFrom, extendedAt } = last;
  const isRecent = extendedAt !== undefined && now - extendedAt < EXTENSION_MS;
  if (isRecent && loadFrom !== null && loadFrom < first) return { loadFrom, extendedAt };
  return first < usual ? { loadFrom: first, extendedAt: now } : { loadFrom: first };
}
