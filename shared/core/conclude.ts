import { dateIn, isoOf } from './dates.ts';
import type { Coverage, FeedState } from './feed-state.ts';
import { followLosses, type LossReport, type MassChange } from './mass-change.ts';
import { markOf, type Operation } from './operations.ts';
import type { Reach } from './reach.ts';
import type { PayPeriodHint } from './records/pay-period.ts';
import type { BadRecord } from './scan.ts';
import type { SliceHead } from './snapshot.ts';
import { type FormChange, followForm, quarantinedOf } from './source-form.ts';

/** Bad records that are told of one by one on a day; beyond that the metrics must do. */
const MOST_QUARANTINE_MARKS = 200;
/** Unseen records a coverage remembers; with more, the look does not count as one. */
const MOST_UNSEEN = 50;

/** What a poll did, as far as the next one must know. */
export interface PollResult {
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
  /** Slices in doubt now, with the number of missing records. */
  readonly shrunk: ReadonlyMap<string, number>;
  /** Slices that were compared in complete scans, whether in doubt or not. */
  readonly compared: ReadonlySet<string>;
  readonly bad: readonly BadRecord[];
  /** Slices of which a look, complete or not, was committed. */
  readonly looked?: ReadonlySet<string>;
  readonly massChanges?: readonly MassChange[];
  readonly lossesTold?: LossReport['told'];
  readonly formChanges?: readonly FormChange[];
  /** The periods of a complete scan of pay periods; null otherwise. */
  readonly payPeriods: readonly PayPeriodHint[] | null;
  readonly pulls: FeedState['pulls'];
  /** Whether the source gave at least one usable answer; null when it was not asked. */
  readonly sourceAnswered: boolean | null;
  /** Code of what went wrong last with the source. */
  readonly errorCode: string | null;
  /** Everything that was planned was seen and committed. */
  readonly complete: boolean;
  readonly reach: Reach;
}

export interface HealthRule {
  readonly unreachableAfterPolls: number;
  readonly stalledAfterMinutes: number;
}

export interface Conclusion {
  readonly state: FeedState;
  readonly operations: readonly Operation[];
}

/** The feed's state after a poll, and what is to be told about the watching itself. */
export function conclude(
  previous: FeedState,
  result: PollResult,
  settings: { readonly health: HealthRule; readonly timeZone: string },
): Conclusion {
  const reach = reachability(previous, result, settings.health);
  const progress = progressOf(previous, result, settings.health);
  const quarantine = quarantineOf(previous, result, settings.timeZone);
  const baseline = baselineOf(previous, result);
  const shrinking = shrinkingOf(previous, result);
  const losses = lossesOf(previous, result);
  const form = formOf(previous, result);
  const parts = [reach, progress, quarantine, baseline, shrinking, losses, form];
  const operations = parts.flatMap((part) => part.operations);
  // What a later version remembers besides stays as it is.
  const { extendedAt: _, massChange: _mass, lossesTold: _told, formChanged: _form, ...kept } = previous;
  const state: FeedState = {
    ...kept,
    revision: previous.revision + 1,
    sequence: previous.sequence + operations.length,
    ...baseline.state,
    ...reach.state,
    ...progress.state,
    ...quarantine.state,
    ...shrinking.state,
    ...losses.state,
    ...(form.state === null ? {} : { formChanged: form.state }),
    coverage: coverageOf(previous, result),
    payPeriods: [...(result.payPeriods ?? previous.payPeriods)],
    pulls: result.pulls,
    ...result.reach,
  };
  return { state, operations };
}

function lossesOf(previous: FeedState, result: PollResult): ReturnType<typeof followLosses> {
  const { lossesTold = [], massChanges = [], looked = new Set(), window, now } = result;
  return followLosses(previous, { told: lossesTold, massChanges, looked, window, now });
}

function formOf(previous: FeedState, result: PollResult): ReturnType<typeof followForm> {
  const { formChanges = [], compared, window, startedAt } = result;
  return followForm(previous.formChanged, { changes: formChanges, compared, window, startedAt });
}

type Part<Keys extends keyof FeedState> = {
  readonly state: Pick<FeedState, Keys>;
  readonly operations: readonly Operation[];
};

function reachability(
  previous: FeedState,
  { sourceAnswered, errorCode, startedAt }: PollResult,
  { unreachableAfterPolls }: HealthRule,
): Part<'failedPolls' | 'failingSince' | 'unreachableSince'> {
  const { failedPolls, failingSince, unreachableSince } = previous;
  if (sourceAnswered === null)
    return { state: { failedPolls, failingSince, unreachableSince }, operations: [] };
  if (sourceAnswered) {
    const state = { failedPolls: 0, failingSince: null, unreachableSince: null };
    if (unreachableSince === null) return { state, operations: [] };
    const data = { unreachableSince: isoOf(unreachableSince), failedPolls };
    return { state, operations: [{ type: 'source.recovered', subject: null, data }] };
  }
  const since = failingSince ?? startedAt;
  const failed = failedPolls + 1;
  const news = unreachableSince === null && failed >= unreachableAfterPolls;
  const data = { failingSince: isoOf(since), failedPolls: failed, reason: errorCode };
  return {
    state: { failedPolls: failed, failingSince: since, unreachableSince: news ? since : unreachableSince },
    operations: news ? [{ type: 'source.unreachable', subject: null, data }] : [],
  };
}

function progressOf(
  previous: FeedState,
  { complete, sourceAnswered, now }: PollResult,
  { stalledAfterMinutes }: HealthRule,
): Part<'completedAt' | 'stalledSince'> {
  if (complete) return { state: { completedAt: now, stalledSince: null }, operations: [] };
  const { stalledSince } = previous;
  // A feed that never completed a poll counts from the first one that tried, one whose source was away from its return.
  const returned = previous.failingSince !== null && sourceAnswered === true;
  const completedAt = returned ? now : (previous.completedAt ?? now);
  const stalled = sourceAnswered === true && now - completedAt >= stalledAfterMinutes * 60_000;
  if (!stalled || stalledSince !== null) return { state: { completedAt, stalledSince }, operations: [] };
  const data = { completedAt: isoOf(completedAt) };
  return {
    state: { completedAt, stalledSince: now },
    operations: [{ type: 'poll.stalled', subject: null, data }],
  };
}

function quarantineOf(previous: FeedState, { bad, now }: PollResult, timeZone: string): Part<'quarantined'> {
  const day = dateIn(now, timeZone);
  const marks = new Set(previous.quarantined.day === day ? previous.quarantined.marks : []);
  const operations: Operation[] = [];
  for (const { id, issues } of quarantinedOf(bad, previous.formChanged)) {
    const mark = markOf(id, issues);
    if (marks.has(mark) || marks.size >= MOST_QUARANTINE_MARKS) continue;
    marks.add(mark);
    operations.push({ type: 'record.quarantined', subject: id, data: { recordId: id, issues: [...issues] } });
  }
  return { state: { quarantined: { day, marks: [...marks] } }, operations };
}

function baselineOf(previous: FeedState, { window, heads, startedAt, now }: PollResult): Part<'baseline'> {
  const from = window[0] ?? '';
  const to = window.at(-1) ?? '';
  const begun = previous.baseline ?? { from, to, startedAt, completedAt: null };
  if (begun.completedAt !== null) return { state: { baseline: begun }, operations: [] };
  const installed = window.every((slice) => heads.get(slice)?.baselinedAt != null);
  const baseline = { ...begun, from, to, completedAt: installed ? now : null };
  if (!installed) return { state: { baseline }, operations: [] };
  const records = window.reduce((sum, slice) => sum + (heads.get(slice)?.recordCount ?? 0), 0);
  const data = { from, to, records, startedAt: isoOf(begun.startedAt), completedAt: isoOf(now) };
  return { state: { baseline }, operations: [{ type: 'baseline.completed', subject: null, data }] };
}

function shrinkingOf(
  previous: FeedState,
  { shrunk, compared, heads, now, window }: PollResult,
): Part<'shrunk'> {
  const watched = new Set(window);
  const kept = Object.entries(previous.shrunk).filter(
    ([slice]) => shrunk.has(slice) || (watched.has(slice) && !compared.has(slice)),
  );
  const news = [...shrunk].filter(([slice]) => previous.shrunk[slice] === undefined);
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

function coverageOf(previous: FeedState, { looks, heads, window }: PollResult): FeedState['coverage'] {
  const watched = new Set(window);
  const entries: [string, Coverage][] = Object.entries(previous.coverage).filter(([slice]) =>
    watched.has(slice),
  );
  const coverage = new Map(entries);
  for (const [slice, { at, unseen }] of looks) {
    const head = heads.get(slice);
    const ids = Object.keys(unseen).length;
    if (head === undefined || ids > MOST_UNSEEN) continue;
    coverage.set(slice, { at, revision: head.revision, ...(ids === 0 ? {} : { unseen }) });
  }
  return Object.fromEntries(coverage);
}
