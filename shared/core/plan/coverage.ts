import { WHOLE_LIST } from '../records/feed-definition.ts';
import { dateHints, type PayPeriodHint, type SeenPayPeriod } from '../records/pay-period.ts';
import type { Coverage, FeedState } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';

/** Unseen records that a coverage remembers; a scan with more is not remembered. */
const MAX_UNSEEN = 50;
/** Changes a second below which a date is not remembered as busy. */
const MIN_BURST_RATE = 0.001;

/** What a poll scanned, and which scans were complete. */
export interface PollCoverage {
  readonly startedAt: number;
  readonly now: number;
  /** Every slice of the window now. */
  readonly window: readonly string[];
  readonly heads: ReadonlyMap<string, SliceHead>;
  /** Slices with a complete scan: its start, and the records that could not be read. */
  readonly completeScans: ReadonlyMap<
    string,
    { readonly at: number; readonly unseen: Readonly<Record<string, number | null>> }
  >;
  /** Slices whose list was requested, however that ended. */
  readonly attempted: ReadonlySet<string>;
  /** Number of committed changes, by slice. */
  readonly changesOn: ReadonlyMap<string, number>;
}

/** The last complete scan of each slice of the window, after a poll. */
export function updateCoverage(
  previous: FeedState,
  { completeScans, heads, window, now }: PollCoverage,
): FeedState['coverage'] {
  const watched = new Set(window);
  const entries: [string, Coverage][] = Object.entries(previous.coverage).filter(([slice]) =>
    watched.has(slice),
  );
  const coverage = new Map(entries);
  for (const [slice, { at, unseen }] of completeScans) {
    const head = heads.get(slice);
    const ids = Object.keys(unseen).length;
    if (head === undefined || ids > MAX_UNSEEN) continue;
    const before = previous.coverage[slice];
    // An overlapping poll may have seen the same revision later.
    if (before?.revision === head.revision && before.at > at && before.at <= now) continue;
    coverage.set(slice, { at, revision: head.revision, ...(ids === 0 ? {} : { unseen }) });
  }
  return Object.fromEntries(coverage);
}

/** Slices with many recent changes: changes a second, averaged with what the scan before found. */
export function updateBursts(
  { bursts, coverage }: FeedState,
  { completeScans, window, changesOn }: PollCoverage,
): Readonly<Record<string, number>> {
  const entries = window.flatMap((slice): [string, number][] => {
    const before = bursts[slice] ?? 0;
    const scan = completeScans.get(slice);
    if (scan === undefined) return before === 0 ? [] : [[slice, before]];
    const seconds = (scan.at - (coverage[slice]?.at ?? scan.at)) / 1_000;
    const found = seconds <= 0 ? 0 : (changesOn.get(slice) ?? 0) / seconds;
    const rate = (found + before) / 2;
    return rate < MIN_BURST_RATE ? [] : [[slice, Number(rate.toPrecision(3))]];
  });
  return Object.fromEntries(entries);
}

/** The last attempt at each slice of the window that has had no complete scan since. */
export function updateAttempts(
  previous: FeedState,
  coverage: FeedState['coverage'],
  { attempted, startedAt, now, window, heads }: PollCoverage,
): FeedState['tried'] {
  const entries = window.flatMap((slice): [string, number][] => {
    const at = attempted.has(slice) ? now : previous.tried[slice];
    if (at === undefined) return [];
    const since = attempted.has(slice) ? startedAt : at;
    const scannedAt = Math.max(coverage[slice]?.at ?? 0, heads.get(slice)?.observedAt ?? 0);
    return scannedAt >= since && scannedAt <= now ? [] : [[slice, at]];
  });
  return Object.fromEntries(entries);
}

/**
 * Whether another poll knows the pay periods better. What was committed while a poll read its list is newer than any
 * list that found the rows as they were before (rule 1). Else the list that was requested later counts.
 */
function isOlderList(
  { coverage, payPeriodsAt = 0 }: FeedState,
  { heads, changesOn, startedAt, now }: PollCoverage,
): boolean {
  const [known, own] = [coverage[WHOLE_LIST]?.revision ?? 0, heads.get(WHOLE_LIST)?.revision ?? 0];
  if (known > own) return true;
  const hasChanged = known < own && (changesOn.get(WHOLE_LIST) ?? 0) > 0;
  return !hasChanged && payPeriodsAt > startedAt && payPeriodsAt <= now;
}

/** What a poll learned of pay periods from their list. */
interface PeriodFindings {
  readonly payPeriods: readonly SeenPayPeriod[] | null;
  readonly shownPeriods: readonly SeenPayPeriod[];
}

/**
 * Of two polls that overlap, the list of one counts, and the other list only for periods that the first left out. A
 * list that was not read to its end counts for what it showed: its rows are committed.
 */
export function updatePayPeriods(
  state: FeedState,
  poll: PollCoverage & PeriodFindings,
  timeZone: string,
): Partial<FeedState> {
  const { payPeriods, payPeriodsAt } = state;
  const { startedAt, now } = poll;
  const known = { payPeriods, ...(payPeriodsAt === undefined ? {} : { payPeriodsAt }) };
  const look = { scannedAt: startedAt, now, timeZone };
  const isOlder = isOlderList(state, poll);
  if (poll.payPeriods !== null && (payPeriodsAt === undefined || !isOlder))
    return { payPeriods: dateHints(poll.payPeriods, known, look), payPeriodsAt: startedAt };
  if (payPeriodsAt === undefined) return known;
  const shown = (poll.payPeriods ?? poll.shownPeriods).filter((period) => period.look !== undefined);
  const own = new Map(dateHints(shown, known, look).map((hint) => [hint.id, { ...hint, seenAt: startedAt }]));
  // A newer list lacks the instant at those that it showed itself.
  const seenAt = (hint: PayPeriodHint) => hint.seenAt ?? (isOlder ? startedAt : payPeriodsAt);
  const merged = payPeriods.map((hint) => (seenAt(hint) < startedAt ? (own.get(hint.id) ?? hint) : hint));
  if (poll.payPeriods !== null || isOlder) return { payPeriods: merged, payPeriodsAt };
  for (const { id } of payPeriods) own.delete(id);
  return { payPeriods: [...merged, ...own.values()], payPeriodsAt };
}
