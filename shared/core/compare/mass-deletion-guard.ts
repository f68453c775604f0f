import type { PollCoverage } from '../plan/coverage.ts';
import type { Operation } from '../records/operation.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import type { Absent } from './unlisted.ts';

/** When a slice that empties at once is doubted (design, section 9). */
export interface MassDeletionRule {
  /** More than this share of the records of a slice, 0 to 1. */
  readonly share: number;
  readonly records: number;
  /** Minutes after which it is believed, record by record, when each answers 404. */
  readonly minutes: number;
}

/** What a poll found of slices that lost too much at once. */
export interface Doubts {
  /** Slices in doubt now, with the number of missing records. */
  readonly shrunk: ReadonlyMap<string, number>;
  /** Those of them that are in doubt only because they were when this poll began. */
  readonly lingering?: ReadonlySet<string>;
  /** Slices that were compared in complete scans, whether in doubt or not. */
  readonly compared: ReadonlySet<string>;
}

/** Whether so many records of a slice change at once that it is not believed at first sight. */
export function exceedsShare(count: number, known: number, { share, records }: MassDeletionRule): boolean {
  return count >= records && count > share * known;
}

/** What to make of the absences of one scan. */
export interface GuardedAbsences<Row extends Absent = Absent> {
  /** Slices that lost too much at once, with how many records. */
  readonly shrunk: ReadonlyMap<string, number>;
  /** Those of them that are in doubt only because they were before: by itself what is missing now would be believed. */
  readonly lingering: ReadonlySet<string>;
  /** Absent records that are worth asking for by id. */
  readonly toConfirm: readonly Row[];
}

/**
 * Keeps absences of slices that vanished at once from being asked for, until they have been gone for long enough.
 * Records that the list has left out before, though they are there, do not count.
 */
export function guardAbsences<Row extends Absent>(
  absent: readonly Row[],
  heads: ReadonlyMap<string, SliceHead>,
  rule: { readonly vanishing: MassDeletionRule; readonly shrunk: FeedState['shrunk']; readonly now: number },
): GuardedAbsences<Row> {
  const counts = new Map<string, number>();
  const hidden = new Map<string, number>();
  for (const { slice, row } of absent) {
    const of = row.unlisted === undefined ? counts : hidden;
    of.set(slice, (of.get(slice) ?? 0) + 1);
  }
  const isTooMuch = ([slice, count]: readonly [string, number]) => {
    const known = (heads.get(slice)?.recordCount ?? 0) - (hidden.get(slice) ?? 0);
    return exceedsShare(count, known, rule.vanishing);
  };
  // A slice in doubt stays in doubt until it is whole again: it may be believed piece by piece.
  const shrunk = new Map([...counts].filter((each) => rule.shrunk[each[0]] !== undefined || isTooMuch(each)));
  const lingering = new Set([...shrunk].filter((each) => !isTooMuch(each)).map(([slice]) => slice));
  const believed = (slice: string) => {
    const since = rule.shrunk[slice]?.since;
    return since !== undefined && rule.now - since >= rule.vanishing.minutes * 60_000;
  };
  return {
    shrunk,
    lingering,
    toConfirm: absent.filter(({ slice }) => !shrunk.has(slice) || believed(slice)),
  };
}

/** The slices in doubt after a poll, and which of them to tell about. */
export function followDoubts(
  previous: Pick<FeedState, 'shrunk'>,
  {
    shrunk,
    lingering,
    compared,
    heads,
    now,
    window,
  }: Doubts & Pick<PollCoverage, 'heads' | 'now' | 'window'>,
): { readonly state: Pick<FeedState, 'shrunk'>; readonly operations: readonly Operation[] } {
  const watched = new Set(window);
  const kept = Object.entries(previous.shrunk)
    .filter(([slice]) => shrunk.has(slice) || (watched.has(slice) && !compared.has(slice)))
    // A poll with a clock ahead must not hold anything for longer than it is to be held.
    .map(([slice, { since }]) => [slice, { since: Math.min(since, now) }]);
  // Another poll may have seen a slice whole since this one began: a doubt that only lingers is over then.
  const news = [...shrunk].filter(
    ([slice]) => previous.shrunk[slice] === undefined && lingering?.has(slice) !== true,
  );
  return {
    state: {
      shrunk: {
        ...Object.fromEntries(kept),
        ...Object.fromEntries(news.map(([slice]) => [slice, { since: now }])),
      },
    },
    operations: news.map(([slice, missing]) => ({
      type: 'slice.shrunk' as const,
      subject: slice,
      data: { slice, missing, known: heads.get(slice)?.recordCount ?? 0 },
    })),
  };
}
