import type { Coverage, FeedState } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';

/** Unseen records a coverage remembers; with more, the look does not count as one. */
const MAX_UNSEEN = 50;
/** Changes a second below which a date is not noted as busy. */
const MIN_BURST_RATE = 0.001;

/** What a poll looked at, and what it saw whole. */
export interface PollCoverage {
  readonly startedAt: number;
  readonly now: number;
  /** Every slice of the window now. */
  readonly window: readonly string[];
  readonly heads: ReadonlyMap<string, SliceHead>;
  /** Slices that were seen whole: start of the look, and who of them could not be read. */
  readonly looks: ReadonlyMap<
    string,
    { readonly at: number; readonly unseen: Readonly<Record<string, number | null>> }
  >;
  /** Slices that were looked at, whether they were seen whole or not. */
  readonly tried: ReadonlySet<string>;
  /** Changes that were committed, by slice. */
  readonly changesOn: ReadonlyMap<string, number>;
}

/** The last whole look at each slice of the window, after a poll. */
export function updateCoverage(
  previous: FeedState,
  { looks, heads, window, now }: PollCoverage,
): FeedState['coverage'] {
  const watched = new Set(window);
  const entries: [string, Coverage][] = Object.entries(previous.coverage).filter(([slice]) =>
    watched.has(slice),
  );
  const coverage = new Map(entries);
  for (const [slice, { at, unseen }] of looks) {
    const head = heads.get(slice);
    const ids = Object.keys(unseen).length;
    if (head === undefined || ids > MAX_UNSEEN) continue;
    const before = previous.coverage[slice];
    // A poll that went on meanwhile may have seen it later, and in the same revision.
    if (before?.revision === head.revision && before.at > at && before.at <= now) continue;
    coverage.set(slice, { at, revision: head.revision, ...(ids === 0 ? {} : { unseen }) });
  }
  return Object.fromEntries(coverage);
}

/** Slices on which much happened lately: changes a second, averaged with what the look before found. */
export function updateBursts(
  { bursts = {}, coverage }: FeedState,
  { looks, window, changesOn }: PollCoverage,
): Readonly<Record<string, number>> {
  const entries = window.flatMap((slice): [string, number][] => {
    const before = bursts[slice] ?? 0;
    const look = looks.get(slice);
    if (look === undefined) return before === 0 ? [] : [[slice, before]];
    const seconds = (look.at - (coverage[slice]?.at ?? look.at)) / 1_000;
    const found = seconds <= 0 ? 0 : (changesOn.get(slice) ?? 0) / seconds;
    const rate = (found + before) / 2;
    return rate < MIN_BURST_RATE ? [] : [[slice, Number(rate.toPrecision(3))]];
  });
  return Object.fromEntries(entries);
}

/** Slices that were looked at and not seen whole; those that were tried before stay, until they are. */
export function updateTried(
  previous: FeedState,
  coverage: FeedState['coverage'],
  { tried, startedAt, now, window, heads }: PollCoverage,
): FeedState['tried'] {
  const entries = window.flatMap((slice): [string, number][] => {
    const at = tried.has(slice) ? now : previous.tried[slice];
    if (at === undefined) return [];
    const since = tried.has(slice) ? startedAt : at;
    const seenAt = Math.max(coverage[slice]?.at ?? 0, heads.get(slice)?.observedAt ?? 0);
    return seenAt >= since && seenAt <= now ? [] : [[slice, at]];
  });
  return Object.fromEntries(entries);
}
