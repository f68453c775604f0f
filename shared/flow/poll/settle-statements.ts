import { findDeadline, isCorrectable, judgeFinal, judgeRecount } from '#shared/core/account/standing.ts';
import { planCommit } from '#shared/core/commit/commit-plan.ts';
import type { Change } from '#shared/core/compare/change.ts';
import { leavesMatchHeads } from '#shared/core/compare/differing-leaves.ts';
import { listDates } from '#shared/core/dates.ts';
import { toEvents } from '#shared/core/events/events.ts';
import {
  type StatementCause,
  type StatementPlan,
  stopAwaiting,
} from '#shared/core/events/statement/plan-statement.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { addOutcomes } from '#shared/core/outcome/add-outcome.ts';
import type { PollProgress } from '#shared/core/outcome/poll-progress.ts';
import { COMMIT_DROPPED } from '#shared/core/outcome/stage-outcome.ts';
import { findSharing } from '#shared/core/plan/membership.ts';
import { toState, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import {
  isOfUsualLength,
  type PayPeriodHint,
  type PayPeriodState,
  payPeriodStateSchema,
  type SeenPayPeriod,
} from '#shared/core/records/pay-period.ts';
import { type Leaf, type LeafRow, type SliceHead, toLeafKey } from '#shared/core/snapshot/snapshot.ts';
import { awaitsStatement, type StatementMemory } from '#shared/core/snapshot/statement-memory.ts';
import {
  areProcessed,
  countPayPeriod,
  PollPeriods,
  toClosingMoment,
  viewPollPeriod,
} from './account/count-period.ts';
import { findLedger, hasStatements, planCounted } from './compare/plan-statements.ts';
import { listLeafRefs } from './compare/read-leaves.ts';
import { assignCommitTime, hasTimeLeft, type PollRun } from './poll-run.ts';
import { commitSteps } from './publish/commit-steps.ts';

const MINUTE_MS = 60_000;
/** How often it is checked whether an awaited statement is due: some reads each time, and none when none is awaited. */
const CHECK_EVERY_MS = 5 * MINUTE_MS;
/** The same where periods share dates: the timesheets are read, and the source is asked whose they are. */
const CHECK_SHARED_EVERY_MS = 30 * MINUTE_MS;
/** Periods that one check counts. */
const MAX_COUNTED = 5;

/**
 * The statements that no change of a pay period brings: of a closing that could not be counted when it was seen, and
 * the final one. Their heads say that some are awaited, so a poll without any reads nothing.
 */
export async function settleStatements(progress: PollProgress, run: PollRun): Promise<PollProgress> {
  const head = run.heads.get(WHOLE_LIST);
  const scan = progress.completeScans.get(WHOLE_LIST);
  const isAwaited = run.feed.feed === 'pay-periods' && hasStatements(run) && (head?.awaitingCount ?? 0) > 0;
  // What the list says of the periods must be of this poll, as their totals are.
  if (!isAwaited || head === undefined || scan === undefined) return progress;
  if (!isTurn(CHECK_EVERY_MS, run)) return progress;
  const leaves = await run.ports.store.readLeaves(run.feed, listLeafRefs(head));
  if (!leavesMatchHeads(leaves, run.heads)) return progress;
  const rows = leaves.flatMap((leaf) => leaf.rows).filter(awaitsStatement);
  const plans = await planDue(listAwaited(rows, run), progress.payPeriods ?? [], run);
  if (plans.size === 0) return progress;
  const isWhole = Object.keys(scan.unseen).length === 0;
  const observed = new Map(isWhole ? [[WHOLE_LIST, scan.at]] : []);
  const { outcome, published } = await commit({ leaves, plans, observed }, run);
  return addOutcomes(progress, outcome === 'conflict' ? [...published, COMMIT_DROPPED] : published);
}

/** What is known of the periods and of the dates at this check. */
interface Check {
  /** The pay periods as the scan of this poll saw them. */
  readonly seen: readonly PayPeriodHint[];
  /** Heads of the timesheets' slices. */
  readonly heads: ReadonlyMap<string, SliceHead>;
}

/** Plans the statements that are due. Only so many periods are counted; each has its turn in one of the next checks. */
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
  const check: Check = { seen, heads: new Map(heads.map((head) => [head.slice, head])) };
  const candidates = awaited.filter((each) => mayBeDue(each, check, run));
  const turn = Math.floor(run.startedAt / CHECK_SHARED_EVERY_MS) * MAX_COUNTED;
  for (const each of rotate(candidates, turn).slice(0, MAX_COUNTED)) {
    const plan = hasTimeLeft(run) ? await settle(each, seen, run) : null;
    if (plan !== null) plans.set(each.id, plan);
  }
  return plans;
}

function rotate<Value>(values: readonly Value[], by: number): Value[] {
  const from = values.length === 0 ? 0 : by % values.length;
  return [...values.slice(from), ...values.slice(0, from)];
}

/** Whether this is the first poll of an interval: polls of an interval share what the one before them left. */
function isTurn(everyMs: number, { startedAt, state }: PollRun): boolean {
  return Math.floor(startedAt / everyMs) !== Math.floor((state.payPeriodsAt ?? 0) / everyMs);
}

/** A pay period that awaits a statement. */
interface Awaited {
  readonly id: string;
  readonly period: PayPeriodState;
  readonly memory: StatementMemory;
}

/** Those that wait longest first. */
function listAwaited(rows: readonly LeafRow[], { definition }: PollRun): Awaited[] {
  return rows
    .flatMap(({ id, state, statement: memory }) => {
      const period = payPeriodStateSchema.safeParse(toState(definition, state));
      return memory === undefined || !period.success ? [] : [{ id, period: period.data, memory }];
    })
    .sort((a, b) => a.memory.closedAt - b.memory.closedAt);
}

/** What can be told from heads alone. Where periods share dates these also count the timesheets of others. */
function mayBeDue(awaited: Awaited, { seen, heads }: Check, run: PollRun): boolean {
  const { period, memory } = awaited;
  // Reopened by a change that gave it a length at which nothing is counted.
  if (!isOfUsualLength(period) || period.closed === null) return false;
  if (memory.awaits === 'closing' || findDeadlineOf(awaited, seen, run) !== null) return true;
  // What differed from the source is looked at as rarely as what takes its answers.
  if (memory.awaits === 'correction' || sharesDates(awaited, seen)) return isTurn(CHECK_SHARED_EVERY_MS, run);
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

/** The statement of a period, if it is due and can be counted now. */
async function settle(
  awaited: Awaited,
  seen: readonly SeenPayPeriod[],
  run: PollRun,
): Promise<StatementPlan | null> {
  return awaited.memory.awaits === 'closing'
    ? await settleClosing(awaited, seen, run)
    : await settleFinal(awaited, seen, run);
}

/** The statement of a closing, once there were looks that began after it, or have failed to come for long. */
async function settleClosing(
  awaited: Awaited,
  seen: readonly SeenPayPeriod[],
  run: PollRun,
): Promise<StatementPlan | null> {
  const { id, period, memory } = awaited;
  const { dates } = await viewPollPeriod(period, run);
  if (judgeRecount(dates, toClosingMoment(memory.closedAt, run)) === 'wait') return null;
  const count = await countPayPeriod(
    { ...awaited, closedAt: memory.closedAt },
    new PollPeriods(seen, run),
    run,
  );
  const cause: StatementCause = { kind: 'closing', at: memory.closedAt, awaited: true };
  return count === null ? null : await planCounted({ id, memory, cause }, count, run);
}

/** The final statement, or one that corrects it: what is held or differs from the source is waited for. */
async function settleFinal(
  awaited: Awaited,
  seen: readonly SeenPayPeriod[],
  run: PollRun,
): Promise<StatementPlan | null> {
  const { id, memory } = awaited;
  const now = run.ports.clock.now();
  const { differsSince } = memory;
  if (memory.awaits === 'correction' && !isCorrectable(differsSince ?? 0, now)) return stopAwaiting(memory);
  const deadline = findDeadlineOf(awaited, seen, run);
  // The source is asked for members only once those of the closing are processed.
  if (deadline === null && sharesDates(awaited, seen) && !(await areMembersProcessed(awaited, run)))
    return null;
  const count = await countPayPeriod(awaited, new PollPeriods(seen, run), run);
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

async function areMembersProcessed({ id, period, memory }: Awaited, run: PollRun): Promise<boolean> {
  const ledger = await findLedger({ id, memory }, run);
  return ledger === null || (await areProcessed(period, new Set(ledger.map(([member]) => member)), run));
}

interface SettledPeriods {
  readonly leaves: readonly Leaf[];
  readonly plans: ReadonlyMap<string, StatementPlan>;
  readonly observed: ReadonlyMap<string, number>;
}

async function commit({ leaves, plans, observed }: SettledPeriods, run: PollRun) {
  const by = run.ports.clock.now();
  const rows = leaves.flatMap((leaf) => leaf.rows).filter(({ id }) => plans.has(id));
  const plan = planCommit({
    feed: run.feed,
    definition: run.definition,
    snapshot: { heads: run.heads, leaves: new Map(leaves.map((leaf) => [toLeafKey(leaf), leaf])) },
    changeEvents: rows.map((row) =>
      toEvents(toUnchanged(row, by), { ...run.eventContext, statements: plans }),
    ),
    observed,
    runId: run.id,
    now: assignCommitTime(run),
    retentionMs: run.retentionMs,
  });
  return await commitSteps(plan.steps, run);
}

/** The record is as it was; between its closing and now it came to its statement. */
function toUnchanged(row: LeafRow, by: number): Change {
  const { id, state, sequence, epoch, seenAt, unlisted, statement } = row;
  return {
    id,
    before: { slice: WHOLE_LIST, row },
    rowSlice: WHOLE_LIST,
    after: { slice: WHOLE_LIST, row: state },
    sequence,
    ...(epoch === undefined ? {} : { epoch }),
    tombstoneSlice: null,
    observed: { after: statement?.closedAt ?? null, by },
    seenAt: seenAt ?? 0,
    ...(unlisted === undefined ? {} : { unlisted }),
  };
}
