import type { SourceError } from '../errors.ts';
import { isComplete, type Scan } from '../fetch/scan.ts';
import { halvePart, type PlanPart } from '../plan/parts.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';

/** Pages of a walk that is worth repeating at once when the list moved under it. */
const REPEATABLE_PAGES = 20;
/** A walk that starts later than this share of the fetch time proves nothing about the size of its list. */
const LATE_START_SHARE = 0.1;

/** A scan whose walk is over, with the heads as they were when the source was asked (rule 1). */
export interface FetchedScan {
  readonly scan: Scan;
  readonly asOf: ReadonlyMap<string, SliceHead>;
}

/** How a walk over the pages of a part went. */
export type WalkResult =
  | ({ readonly outcome: 'walked'; readonly startedAt: number } & FetchedScan)
  /** There is more than fits into a scan or into the time: nothing was kept. */
  | { readonly outcome: 'too_large'; readonly pieces: readonly PlanPart[] };

/** What a walk over the pages of a part came to. */
export type WalkOutcome = {
  readonly slices: readonly string[];
  /** Whether any page came. */
  readonly hasAnswered: boolean;
} & (
  | { readonly outcome: 'complete' }
  /** Its list moved while it was read, or its pages were not those that were requested. */
  | { readonly outcome: 'incomplete' }
  /** `isSplit`: its halves are fetched again, so that the failure is not held against its dates. */
  | { readonly outcome: 'failed'; readonly error: SourceError; readonly isSplit: boolean }
  /** Time ran out, which says nothing against its dates. */
  | { readonly outcome: 'out_of_time' }
  /** The list of this one date takes longer than a poll. */
  | { readonly outcome: 'too_slow' }
  /** There is more than fits into a scan: its pieces are fetched one by one. */
  | { readonly outcome: 'cut' }
);

/** The time of a poll for fetching, in milliseconds since 1970. */
export interface FetchTime {
  readonly startedAt: number;
  readonly now: number;
  readonly until: number;
}

export interface JudgedWalk {
  readonly outcome: WalkOutcome;
  /** What is to be fetched again in this poll, before or behind everything else. */
  readonly refetch: { readonly parts: readonly PlanPart[]; readonly place: 'first' | 'last' } | null;
  /** What is to be compared. */
  readonly fetched: FetchedScan | null;
}

/** What a walk came to, and what of its part is fetched again in this poll (rule 13). */
export function judgeWalk(part: PlanPart, walk: WalkResult, time: FetchTime): JudgedWalk {
  const { slices } = part;
  if (walk.outcome === 'too_large') {
    const outcome = { slices, hasAnswered: true, outcome: 'cut' } as const;
    return { outcome, refetch: { parts: walk.pieces, place: 'first' }, fetched: null };
  }
  const { scan, asOf, startedAt } = walk;
  const fetched = { scan, asOf };
  const base = { slices, hasAnswered: scan.startedAt !== null } as const;
  const { end } = scan;
  if (isComplete(scan) || end === null)
    return { outcome: { ...base, outcome: 'complete' }, refetch: null, fetched };
  const halves = halvePart(part);
  if (end.error !== null) {
    const isSplit = halves.length > 0;
    const outcome = { ...base, outcome: 'failed', error: end.error, isSplit } as const;
    // Behind everything else: what can be read must not wait for what cannot.
    return { outcome, refetch: isSplit ? { parts: halves, place: 'last' } : null, fetched };
  }
  if (end.problem === 'abandoned') {
    const isTooSlow = takesWholePoll(part, startedAt, time);
    return { outcome: { ...base, outcome: isTooSlow ? 'too_slow' : 'out_of_time' }, refetch: null, fetched };
  }
  const isWorthRepeating =
    end.problem === 'drifted' && end.pagesReceived <= REPEATABLE_PAGES && part.isRepeated !== true;
  const parts = markRepeated(halves.length === 0 ? [part] : halves);
  const refetch = isWorthRepeating && time.now < time.until ? ({ parts, place: 'first' } as const) : null;
  return { outcome: { ...base, outcome: 'incomplete' }, refetch, fetched };
}

/**
 * Whether the list of one date takes longer than a poll: begun first in every poll, it would starve everything else.
 * It gets a backoff of its own, like a date that cannot be read.
 */
function takesWholePoll({ slices, range }: PlanPart, walkStartedAt: number, time: FetchTime): boolean {
  const latestStart = time.startedAt + (time.until - time.startedAt) * LATE_START_SHARE;
  return range !== null && slices.length === 1 && walkStartedAt <= latestStart;
}

/** Parts that are fetched a second time in a poll, and not a third. */
export function markRepeated(parts: readonly PlanPart[]): readonly PlanPart[] {
  return parts.map((part) => ({ ...part, isRepeated: true as const }));
}
