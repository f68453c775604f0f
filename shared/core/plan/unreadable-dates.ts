import { toIso } from '../dates.ts';
import type { SourceErrorCode } from '../errors.ts';
import type { Operation } from '../records/operation.ts';
import type { FeedState } from '../snapshot/feed-state.ts';

const MINUTE_MS = 60_000;
const MAX_WAIT_MS = 30 * MINUTE_MS;

/** Why a slice is not listed: the code of the source's error, or its list takes longer than a whole poll. */
export type ListingFailure = SourceErrorCode | 'list_too_slow';

/** What a poll found out about slices that the source could not list before, or cannot now. */
export interface ListingResult {
  readonly now: number;
  readonly window: readonly string[];
  /** Slices that failed while others of the same poll did not, with the code of the error. */
  readonly failed: ReadonlyMap<string, string>;
  /** Slices that were listed to the end. */
  readonly listed: ReadonlySet<string>;
  /** Tries that fail before it is told. */
  readonly reportAfterTries: number;
}

type Failing = FeedState['failing'];

/** Wait after so many failed tries: 1, 2, 4 ... 30 minutes. */
export function computeRetryWait(attempts: number): number {
  return Math.min(MAX_WAIT_MS, MINUTE_MS * 2 ** (attempts - 1));
}

/**
 * A slice that fails is tried again ever more rarely, and told once when that begins and once when it ends (rule 13).
 * Everything else goes on.
 */
export function updateUnreadableDates(
  failing: Failing,
  result: ListingResult,
): { readonly failing: Failing; readonly operations: readonly Operation[] } {
  const watched = new Set(result.window);
  const after: Record<string, Failing[string]> = {};
  const operations: Operation[] = [];
  for (const [slice, before] of Object.entries(failing)) {
    if (!watched.has(slice)) continue;
    // A hot date may be listed and fail in one poll: it is not over then.
    if (!result.listed.has(slice) || result.failed.has(slice)) after[slice] = before;
    else if (before.told) operations.push(describeReadable(slice, before));
  }
  for (const [slice, code] of result.failed) {
    if (!watched.has(slice)) continue;
    const noted = recordFailure(failing[slice], code, result);
    after[slice] = noted;
    if (noted.told && failing[slice]?.told !== true) operations.push(describeUnreadable(slice, noted));
  }
  return { failing: after, operations };
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
    nextAt: now + computeRetryWait(attempts),
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
