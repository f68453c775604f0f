import type { Change } from '#shared/core/compare/change.ts';
import { toUnchanged } from '#shared/core/compare/row-rewrite.ts';
import { listDates } from '#shared/core/dates.ts';
import { toEvents } from '#shared/core/events/events.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { addDroppedCommit } from '#shared/core/outcome/poll-findings.ts';
import { findSharing } from '#shared/core/periods/learn-membership.ts';
import { readStoredClosing, readStoredPeriod, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import {
  isClosedOrReopened,
  isOfUsualLength,
  type PayPeriodHint,
  type PayPeriodState,
  type PayPeriodTotals,
  type SeenPayPeriod,
  subtractTotals,
} from '#shared/core/records/pay-period.ts';
import type { LeafRow, SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { commitChanges } from '#shared/flow/poll/commit-changes.ts';
import { listLeafRefs } from '#shared/flow/poll/compare/read-leaves.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import { PollPeriods } from '#shared/period/flow/read-account.ts';
import { findDeadline, isCorrectable, judgeFinal, judgeRecount } from '#shared/period/standing.ts';
import {
  type PeriodCount,
  planStatement,
  returnsClosed,
  type StatementCause,
  type StatementPlan,
  stopAwaiting,
} from '../../core/events/plan-statement.ts';
import type { CloseManifest } from '../../core/periods/close-manifest.ts';
import type { LedgerEntry } from '../../core/periods/ledger.ts';
import { awaitsStatement, type StatementMemory } from '../../core/periods/statement-memory.ts';

const MINUTE_MS = 60_000;
/** Interval of the check whether an awaited statement is due. It costs some reads, and none when none is awaited. */
const CHECK_EVERY_MS = 5 * MINUTE_MS;
/** The same where periods share dates: the timesheets are read, and the source is asked whose they are. */
const CHECK_SHARED_EVERY_MS = 30 * MINUTE_MS;
/** Periods that one check counts. */
const MAX_COUNTED = 5;

/**
 * The statements that no change of a pay period brings: of a closing that could not be counted when it was seen, and
 * the final one. Their heads say that some are awaited, so a poll without any reads nothing.
 */
export async function tellAwaitedStatements(run: PollRun): Promise<void> {
  const { heads, findings } = run.memory;
  const head = heads.get(WHOLE_LIST);
  const scan = findings.completeScans.get(WHOLE_LIST);
  const isAwaited = run.feed.feed === 'pay-periods' && hasStatements(run) && (head?.awaitingCount ?? 0) > 0;
  // What the list says of the periods must be of this poll, as their totals are.
  if (!isAwaited || head === undefined || scan === undefined) return;
  if (!isFirstOfInterval(CHECK_EVERY_MS, run)) return;
  const leaves = await run.leaves.readMatching(listLeafRefs(head));
  if (leaves === null) return;
  const rows = leaves.flatMap((leaf) => leaf.rows).filter(awaitsStatement);
  const plans = await planDue(listAwaited(rows), findings.payPeriods ?? [], run);
  if (plans.size === 0) return;
  const isWhole = Object.keys(scan.unseen).length === 0;
  const observed = new Map(isWhole ? [[WHOLE_LIST, scan.at]] : []);
  const by = run.ports.clock.now();
  const context = { ...run.eventContext, statements: plans };
  const changed = rows.filter(({ id }) => plans.has(id));
  const changeEvents = changed.map((row) => toEvents(toStatementChange(row, by), context));
  const snapshot = run.leaves.toSnapshot(leaves);
  const { outcome } = await commitChanges({ snapshot, changeEvents, observed }, run);
  if (outcome === 'conflict') addDroppedCommit(findings);
}

/** What is known of the periods at this check. */
interface Check {
  /** As the scan of this poll saw them. */
  readonly seen: readonly PayPeriodHint[];
  readonly periods: PollPeriods;
}

/** Plans the statements that are due. Only so many periods are counted; the others come in the next checks. */
async function planDue(
  awaited: readonly Awaited[],
  seen: readonly SeenPayPeriod[],
  run: PollRun,
): Promise<Map<string, StatementPlan>> {
  const plans = new Map<string, StatementPlan>();
  const [from] = awaited.map(({ period }) => period.startDate).sort();
  if (from === undefined) return plans;
  const feed: FeedKey = { connection: run.feed.connection, feed: 'timesheets' };
  const heads = await run.ports.store.loadHeads(feed, from);
  const known = { seen, heads: new Map(heads.map((head) => [head.slice, head])) };
  const candidates = awaited.filter((each) => mayBeDue(each, known, run));
  const check: Check = { seen, periods: new PollPeriods(seen, run) };
  const offset = Math.floor(run.startedAt / CHECK_SHARED_EVERY_MS) * MAX_COUNTED;
  for (const each of rotate(candidates, offset).slice(0, MAX_COUNTED)) {
    if (!run.hasTimeLeft()) break;
    const planOne = each.memory.awaits === 'closing' ? planAwaitedClosing : planAwaitedFinal;
    const plan = await planOne(each, check, run);
    if (plan !== null) plans.set(each.id, plan);
  }
  return plans;
}

function rotate<Value>(values: readonly Value[], by: number): Value[] {
  const from = values.length === 0 ? 0 : by % values.length;
  return [...values.slice(from), ...values.slice(0, from)];
}

/** Whether this is the first poll of an interval, going by when the pay periods were last read. */
function isFirstOfInterval(everyMs: number, { startedAt, state }: PollRun): boolean {
  return Math.floor(startedAt / everyMs) !== Math.floor((state.payPeriodsAt ?? 0) / everyMs);
}

/** A pay period that awaits a statement. */
interface Awaited {
  readonly id: string;
  readonly period: PayPeriodState;
  readonly memory: StatementMemory;
}

/** Those that wait longest first. */
function listAwaited(rows: readonly LeafRow[]): Awaited[] {
  return rows
    .flatMap(({ id, state, statement: memory }) => {
      const period = readStoredPeriod(state);
      return memory === undefined || period === null ? [] : [{ id, period, memory }];
    })
    .sort((a, b) => a.memory.closedAt - b.memory.closedAt);
}

/** What heads alone show. Where periods share dates these also count the timesheets of others. */
function mayBeDue(
  awaited: Awaited,
  { seen, heads }: Pick<Check, 'seen'> & { readonly heads: ReadonlyMap<string, SliceHead> },
  run: PollRun,
): boolean {
  const { period, memory } = awaited;
  // Reopened by a change that gave it a length at which nothing is counted.
  if (!isOfUsualLength(period) || period.closed === null) return false;
  if (memory.awaits === 'closing' || findDeadlineOf(awaited, seen, run) !== null) return true;
  // What differed from the source is looked at as rarely as what takes its answers.
  if (memory.awaits === 'correction' || sharesDates(awaited, seen))
    return isFirstOfInterval(CHECK_SHARED_EVERY_MS, run);
  return listDates({ from: period.startDate, to: period.finishDate }).every((date) => {
    const head = heads.get(date);
    return head !== undefined && head.baselinedAt !== null && head.unsettledCount === 0;
  });
}

function sharesDates({ id, period }: Awaited, seen: readonly PayPeriodHint[]): boolean {
  return findSharing({ ...period, id }, seen).length > 0;
}

function findDeadlineOf({ id, period, memory }: Awaited, seen: readonly PayPeriodHint[], run: PollRun) {
  return findDeadline({ ...period, id, memory }, seen, run.ports.clock.now());
}

/** The statement of a closing, once there were looks that began after it, or have failed to come for long. */
async function planAwaitedClosing(
  awaited: Awaited,
  { periods }: Check,
  run: PollRun,
): Promise<StatementPlan | null> {
  const { id, memory } = awaited;
  const { dates, moment } = await periods.viewClosing(awaited, memory.closedAt);
  if (judgeRecount(dates, moment) === 'wait') return null;
  const count = await periods.count({ ...awaited, closedAt: memory.closedAt });
  const cause: StatementCause = { kind: 'closing', at: memory.closedAt, awaited: true };
  return count === null ? null : await planCounted({ id, memory, cause }, count, run);
}

/** The final statement, or one that corrects it: what is held or differs from the source is waited for. */
async function planAwaitedFinal(
  awaited: Awaited,
  { seen, periods }: Check,
  run: PollRun,
): Promise<StatementPlan | null> {
  const { id, memory } = awaited;
  const now = run.ports.clock.now();
  const { differsSince } = memory;
  if (memory.awaits === 'correction' && !isCorrectable(differsSince ?? 0, now)) return stopAwaiting(memory);
  const deadline = findDeadlineOf(awaited, seen, run);
  // The source is asked for members only once those of the closing are processed.
  const waits = deadline === null && sharesDates(awaited, seen);
  if (waits && !(await areMembersProcessed(awaited, periods, run))) return null;
  const count = await periods.count(awaited);
  if (count === null) return null;
  const { manifest, account } = count;
  const final = judgeFinal(account.views, { manifest, deadline }, { differsSince, now });
  if (final.standing === 'wait') return null;
  const isAgreed = final.standing === 'tell' && manifest.addsUp !== false;
  if (memory.awaits === 'correction' && !isAgreed) return null;
  if (final.standing === 'differs' && differsSince !== undefined) return null;
  const cause: StatementCause =
    final.standing === 'differs'
      ? { kind: 'differs', since: now }
      : { kind: 'final', settledBy: final.settledBy };
  return await planCounted({ id, memory, cause }, count, run);
}

async function areMembersProcessed(awaited: Awaited, periods: PollPeriods, run: PollRun): Promise<boolean> {
  const ledger = await findLedger(awaited, run);
  const members = new Set(ledger?.map(([member]) => member));
  return ledger === null || (await periods.areProcessed(awaited.period, members));
}

/** The record is as it was; between its closing and now it came to its statement. */
function toStatementChange(row: LeafRow, by: number): Change {
  const { seenAt = 0, unlisted, statement } = row;
  const observed = { after: statement?.closedAt ?? null, by };
  const unchanged = toUnchanged({ slice: WHOLE_LIST, row }, { observed, seenAt });
  return unlisted === undefined ? unchanged : { ...unchanged, unlisted };
}

const DAY_MS = 86_400_000;
/** Minimum lifetime of ledgers: longer than a period waits for its final statement and stays reopened. */
const MIN_LEDGER_DAYS = 100;

/** What the closings and reopenings among some changes bring, by the ids of their pay periods. */
export interface PlannedStatements {
  readonly manifests: ReadonlyMap<string, CloseManifest>;
  readonly statements: ReadonlyMap<string, StatementPlan>;
}

/**
 * Counts each pay period that has closed or was reopened, and plans its statement. A closing that could not be counted,
 * or not from looks at all its dates that began after it was seen, awaits its statement. `periods`: as the scan of this
 * poll saw them, with their totals; null for another feed.
 */
export async function planStatements(
  changes: readonly Change[],
  periods: PollPeriods | null,
  run: PollRun,
): Promise<PlannedStatements> {
  const manifests = new Map<string, CloseManifest>();
  const statements = new Map<string, StatementPlan>();
  if (periods === null) return { manifests, statements };
  for (const each of findClosedOrReopened(changes, periods, run.connection.timeZone)) {
    const { id, memory, cause } = each;
    // Reopened, and nothing was said of its closing.
    if (cause.kind === 'reopening' && (memory === null || !hasStatements(run))) continue;
    const count = await periods.count(each);
    if (count !== null && cause.kind === 'closing')
      manifests.set(id, { ...count.manifest, change: compareToLast(count.manifest, memory) });
    if (hasStatements(run)) statements.set(id, await planCounted({ id, cause, memory }, count, run));
  }
  return { manifests, statements };
}

/** What a closing comes to, minus what the one before came to; null at the first one, or when that is not known. */
function compareToLast(manifest: CloseManifest, memory: StatementMemory | null): PayPeriodTotals | null {
  const { hoursToPay: hours, ...totals } = manifest;
  return memory?.last == null ? null : subtractTotals({ ...totals, hours }, memory.last);
}

/** Whether the config wants statements. */
function hasStatements({ connection }: PollRun): boolean {
  return connection.statements !== false;
}

/** A pay period of which a statement is due. */
interface DueStatement {
  readonly id: string;
  readonly cause: StatementCause;
  readonly memory: StatementMemory | null;
}

/** Plans a statement from a count, and stores the ledger that its memory points to: no memory points to one before. */
async function planCounted(
  { id, cause, memory }: DueStatement,
  count: PeriodCount | null,
  run: PollRun,
): Promise<StatementPlan> {
  const { ports, feed, retentionMs } = run;
  const ledger = count === null ? null : await findLedger({ id, memory }, run);
  const plan = planStatement(cause, { memory, ledger }, count);
  const next = plan.memory?.count?.ledger;
  if (plan.ledger !== null && next !== undefined) {
    const expiresAt = ports.clock.now() + Math.max(retentionMs, MIN_LEDGER_DAYS * DAY_MS);
    const key = { connection: feed.connection, payPeriodId: id, name: next };
    await ports.store.saveLedger(key, plan.ledger, expiresAt);
  }
  return plan;
}

/** The timesheets of a pay period at its latest count; null when they are not at hand. */
async function findLedger(
  { id: payPeriodId, memory }: Pick<DueStatement, 'id' | 'memory'>,
  { ports, feed }: PollRun,
): Promise<readonly LedgerEntry[] | null> {
  const name = memory?.count?.ledger;
  if (name === undefined) return null;
  return await ports.store.loadLedger({ connection: feed.connection, payPeriodId, name });
}

/** A pay period that closed or was reopened. */
interface ClosedOrReopened extends DueStatement {
  readonly period: PayPeriodState;
  /** When its closing was first seen; null when that is not known. */
  readonly closedAt: number | null;
}

function findClosedOrReopened(
  changes: readonly Change[],
  periods: PollPeriods,
  timeZone: string,
): ClosedOrReopened[] {
  return changes.flatMap((change) => {
    const period = readClosedOrReopened(change, timeZone);
    if (period === null) return [];
    const { id, before, closing, observed } = change;
    // A period that is closed when first seen closed some time ago: no later looks are awaited.
    const closedAt = before === null ? null : periods.closedAt(id);
    const cause: StatementCause =
      period.closed === null ? { kind: 'reopening' } : { kind: 'closing', at: closedAt ?? observed.by };
    return [{ id, period, cause, closedAt, memory: (before?.row ?? closing)?.statement ?? null }];
  });
}

/** The pay period of a change by which it closed or was reopened; null for any other. */
function readClosedOrReopened(change: Change, timeZone: string): PayPeriodState | null {
  const { before, after, silent, closing } = change;
  const period = after === null || silent === true ? null : readStoredPeriod(after.row);
  if (period === null || returnsClosed(change, period)) return null;
  const closedBefore = before === null ? closing?.closed : readStoredClosing(before.row.state);
  return isClosedOrReopened(period, closedBefore, timeZone) ? period : null;
}
