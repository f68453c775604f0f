import type { SourceErrorCode } from '../errors.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import { computeBackoff, WAITS } from '../waits.ts';

/** Why the list of a slice cannot be read: the code of the source's error, or its list takes longer than a whole poll. */
export type ListingFailure = SourceErrorCode | 'list_too_slow';

/** What a poll learned about slices that the source failed to list before, or fails to list now. */
export interface ListingResult {
  readonly now: number;
  readonly window: readonly string[];
  /** Slices that failed while others of the same poll did not, with the reason. */
  readonly failed: ReadonlyMap<string, string>;
  /** Slices whose list was read to its end. */
  readonly fetchedWhole: ReadonlySet<string>;
  /** Failed tries after which that is told. */
  readonly reportAfterTries: number;
}

type Failing = FeedState['failing'];

/** A slice that fails is tried again with a backoff, until its list was read again (rule 13). */
export function updateUnreadableDates(failing: Failing, result: ListingResult): Pick<FeedState, 'failing'> {
  const watched = new Set(result.window);
  // A hot date may be read and fail in one poll: then it still counts as failing.
  const isOpen = (slice: string) => !result.fetchedWhole.has(slice) || result.failed.has(slice);
  const open = Object.entries(failing).filter(([slice]) => watched.has(slice) && isOpen(slice));
  const failed = [...result.failed]
    .filter(([slice]) => watched.has(slice))
    .map(([slice, code]) => [slice, recordFailure(failing[slice], code, result)] as const);
  return { failing: Object.fromEntries([...open, ...failed]) };
}

function recordFailure(
  before: Failing[string] | undefined,
  code: string,
  { now, reportAfterTries }: ListingResult,
): Failing[string] {
  const attempts = (before?.attempts ?? 0) + 1;
  return {
    since: before?.since ?? now,
    attempts,
    nextAt: now + computeBackoff(attempts, WAITS.unreadableDate),
    code,
    told: before?.told === true || attempts >= reportAfterTries,
  };
}
