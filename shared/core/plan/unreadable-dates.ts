import { toIso } from '../dates.ts';
import type { SourceErrorCode } from '../errors.ts';
import type { Operation } from '../records/operation.ts';
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
  /** Failed tries after which `slice.unreadable` is published. */
  readonly reportAfterTries: number;
}

type Failing = FeedState['failing'];

/**
 * A slice that fails is tried again with a backoff. `slice.unreadable` is published once after enough tries, and
 * `slice.readable` once its list was read again (rule 13).
 */
export function updateUnreadableDates(
  failing: Failing,
  result: ListingResult,
): { readonly state: Pick<FeedState, 'failing'>; readonly operations: readonly Operation[] } {
  const watched = new Set(result.window);
  const after: Record<string, Failing[string]> = {};
  const operations: Operation[] = [];
  for (const [slice, before] of Object.entries(failing)) {
    if (!watched.has(slice)) continue;
    // A hot date may be read and fail in one poll: then it still counts as failing.
    if (!result.fetchedWhole.has(slice) || result.failed.has(slice)) after[slice] = before;
    else if (before.told) operations.push(describeReadable(slice, before));
  }
  for (const [slice, code] of result.failed) {
    if (!watched.has(slice)) continue;
    const failure = recordFailure(failing[slice], code, result);
    after[slice] = failure;
    if (failure.told && failing[slice]?.told !== true) operations.push(describeUnreadable(slice, failure));
  }
  return { state: { failing: after }, operations };
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

function describeUnreadable(slice: string, { since, attempts, code, nextAt }: Failing[string]): Operation {
  const data = { slice, since: toIso(since), attempts, reason: code, nextTryAt: toIso(nextAt) };
  return { type: 'slice.unreadable', subject: slice, data };
}

function describeReadable(slice: string, { since, attempts }: Failing[string]): Operation {
  return { type: 'slice.readable', subject: slice, data: { slice, since: toIso(since), attempts } };
}
