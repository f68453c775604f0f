import type { MassDeletionRule } from '../guards.ts';
import type { PollCoverage } from '../plan/coverage.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import type { Absent } from './unlisted.ts';

/** What a poll found out about slices that lost too much at once. */
export interface HeldRemovals {
  /** Slices whose removals are held now, with the number of missing records. */
  readonly shrunk: ReadonlyMap<string, number>;
  /** Those of `shrunk` that are held only because they were when this poll began. */
  readonly lingering: ReadonlySet<string>;
  /** Slices of which all that a complete scan found was committed. */
  readonly committedWhole: ReadonlySet<string>;
}

/** Whether so many of the known records changed at once that a second scan has to confirm it. */
export function exceedsShare(count: number, known: number, { share, records }: MassDeletionRule): boolean {
  return count >= records && count > share * known;
}

/** The absences of one scan after the guard. */
export interface GuardedAbsences<Row extends Absent = Absent> {
  /** Slices whose removals are held, with the number of missing records. */
  readonly shrunk: ReadonlyMap<string, number>;
  /** Those of `shrunk` that are held only because they were before: now too few are missing. */
  readonly lingering: ReadonlySet<string>;
  /** Absent records to request by id. */
  readonly toConfirm: readonly Row[];
}

/**
 * Holds the removals of slices that lost too much at once, until the records have been missing for long enough.
 * Records that are known to be unlisted do not count.
 */
export function guardAbsences<Row extends Absent>(
  absent: readonly Row[],
  heads: ReadonlyMap<string, SliceHead>,
  rule: { readonly vanishing: MassDeletionRule; readonly shrunk: FeedState['shrunk']; readonly now: number },
): GuardedAbsences<Row> {
  const counts = new Map<string, number>();
  const unlisted = new Map<string, number>();
  for (const { slice, row } of absent) {
    const of = row.unlisted === undefined ? counts : unlisted;
    of.set(slice, (of.get(slice) ?? 0) + 1);
  }
  const isTooMuch = ([slice, count]: readonly [string, number]) => {
    const known = (heads.get(slice)?.recordCount ?? 0) - (unlisted.get(slice) ?? 0);
    return exceedsShare(count, known, rule.vanishing);
  };
  // A held slice stays held until nothing is missing: its removals may be confirmed over several polls.
  const shrunk = new Map([...counts].filter((each) => rule.shrunk[each[0]] !== undefined || isTooMuch(each)));
  const lingering = new Set([...shrunk].filter((each) => !isTooMuch(each)).map(([slice]) => slice));
  const isConfirmable = (slice: string) => {
    const since = rule.shrunk[slice]?.since;
    return since !== undefined && rule.now - since >= rule.vanishing.minutes * 60_000;
  };
  return {
    shrunk,
    lingering,
    toConfirm: absent.filter(({ slice }) => !shrunk.has(slice) || isConfirmable(slice)),
  };
}

/** The slices whose removals are held after a poll, until nothing of them is missing. */
export function updateHeldRemovals(
  previous: Pick<FeedState, 'shrunk'>,
  {
    shrunk,
    lingering,
    committedWhole,
    now,
    startedAt,
    window,
  }: HeldRemovals & Pick<PollCoverage, 'now' | 'startedAt' | 'window'>,
): Pick<FeedState, 'shrunk'> {
  const watched = new Set(window);
  // A poll that began before the hold may have seen the slice before it shrank.
  const isWhole = (slice: string, since: number) =>
    !shrunk.has(slice) && watched.has(slice) && committedWhole.has(slice) && since <= startedAt;
  const kept = Object.entries(previous.shrunk)
    .filter(([slice, { since }]) => (shrunk.has(slice) || watched.has(slice)) && !isWhole(slice, since))
    // A poll with a clock ahead must not prolong the hold.
    .map(([slice, { since, missing }]) => [slice, { since: Math.min(since, now), missing }]);
  // Another poll may have ended the hold of a lingering slice since this one began: then it is not begun again.
  const news = [...shrunk]
    .filter(([slice]) => previous.shrunk[slice] === undefined && !lingering.has(slice))
    .map(([slice, missing]) => [slice, { since: now, missing }]);
  return { shrunk: Object.fromEntries([...kept, ...news]) };
}
