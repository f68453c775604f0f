import { listDates } from '#shared/core/dates.ts';
import { type Change, toEvents } from '#shared/core/events/events.ts';
import { type StatementCause, type StatementPlan, stopAwaiting } from '#shared/core/events/plan-statement.ts';
import { findSharing } from '#shared/core/periods/learn-membership.ts';
import { awaitsStatement, type StatementMemory } from '#shared/core/periods/statement-memory.ts';
import { parseRow, readStoredPeriod } from '#shared/core/records/feed-definition.ts';
import { isOfUsualLength, type KnownPeriod, type PayPeriodState } from '#shared/core/records/pay-period.ts';
import { nameSlice } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { commitRows } from '#shared/flow/poll/commit-rows.ts';
import { toEventContext } from '#shared/flow/poll/event-context.ts';
import { hasTimeLeft, type PollRun } from '#shared/flow/poll/run.ts';
import { findDeadline, isCorrectable, judgeFinal, judgeRecount } from '../standing.ts';
import { PERIODS_SLICE } from './periods-of-poll.ts';
import { findLedger, planCounted, wantsStatements } from './plan-counted.ts';
import {
  accountReader,
  type CountedPeriod,
  countPeriod,
  toAccountSource,
  viewPeriod,
} from './read-account.ts';

const MINUTE_MS = 60_000;
/** Time between checks of what is awaited or unknown: they read the pay periods, and dates. */
export const CHECK_EVERY_MS = 5 * MINUTE_MS;
/** The same where periods share dates: the source is asked whose the timesheets are. */
const CHECK_SHARED_EVERY_MS = 30 * MINUTE_MS;
/** Periods that one check counts. */
const MAX_COUNTED = 5;

/** Moments up to `since` are done. Instants in milliseconds since 1970. */
export interface TimeSpan {
  readonly since: number;
  readonly now: number;
}

/**
 * The statements that no change of a pay period brings: of a closing that could not be counted when it was told, and the
 * final one.
 */
export async function tellAwaitedStatements(span: TimeSpan, run: PollRun): Promise<void> {
  if (!wantsStatements(run) || !isFirstOfInterval(CHECK_EVERY_MS, span)) return;
  const rows = (await run.memory.periods.rows(run.memory)).filter(({ memory }) =>
    awaitsStatement(memory ?? {}),
  );
  if (rows.length === 0) return;
  const statements = await planDue(rows.flatMap(toAwaited).sort(compareByWait), span, run);
  if (statements.size === 0) return;
  const context = { ...(await toEventContext('pay-periods', run)), statements };
  const by = run.ports.clock.now();
  const changes = rows.filter(({ id }) => statements.has(id)).map((row) => toChange(row, by));
  await commitRows(
    changes.map((change) => toEvents(change, context)),
    PERIODS_SLICE,
    run,
  );
}

/** Whether an interval began since the moments before. */
export function isFirstOfInterval(everyMs: number, { since, now }: TimeSpan): boolean {
  return Math.floor(now / everyMs) !== Math.floor(since / everyMs);
}

/** A pay period that awaits a statement. */
interface Awaited {
  readonly id: string;
  readonly period: PayPeriodState;
  readonly memory: StatementMemory;
}

function toAwaited({ id, text, memory }: StoredRow): Awaited[] {
  const period = text === null ? null : readStoredPeriod(parseRow(text));
  return memory?.statement === undefined || period === null ? [] : [{ id, period, memory: memory.statement }];
}

/** Those that wait longest first. */
function compareByWait(a: Awaited, b: Awaited): number {
  return a.memory.closedAt - b.memory.closedAt;
}

/** The record is as it was; between its closing and now it came to its statement. */
function toChange(row: StoredRow, by: number): Change {
  const observed = { after: row.memory?.statement?.closedAt ?? null, by };
  return { id: row.id, before: row, text: row.text, observed };
}

/** Plans the statements that are due. Only so many periods are counted; the others come in the next checks. */
async function planDue(
  awaited: readonly Awaited[],
  span: TimeSpan,
  run: PollRun,
): Promise<Map<string, StatementPlan>> {
  const periods = await run.memory.periods.list(run.memory);
  const plans = new Map<string, StatementPlan>();
  const candidates = awaited.filter((each) => mayBeDue(each, { periods, span }, run));
  const turn = Math.floor(span.now / CHECK_SHARED_EVERY_MS) * MAX_COUNTED;
  const first = candidates.length === 0 ? 0 : turn % candidates.length;
  const inTurn = [...candidates.slice(first), ...candidates.slice(0, first)];
  for (const each of inTurn.slice(0, MAX_COUNTED)) {
    if (!hasTimeLeft(run)) break;
    const plan = await (each.memory.awaits === 'closing' ? planClosing : planFinal)(each, periods, run);
    if (plan !== null) plans.set(each.id, plan);
  }
  return plans;
}

interface Check {
  readonly periods: readonly KnownPeriod[];
  readonly span: TimeSpan;
}

/**
 * Whether it is worth a count: it closed, or something changed on its dates, since the check before. What differed from
 * the source, and what takes its answers, is counted more rarely.
 */
function mayBeDue(awaited: Awaited, { periods, span }: Check, { memory: { heads } }: PollRun): boolean {
  const { id, period, memory } = awaited;
  // Reopened by a change that gave it a length at which nothing is counted.
  if (!isOfUsualLength(period) || period.closed === null) return false;
  if (memory.awaits === 'closing' || findDeadline({ ...period, id, memory }, periods, span.now) !== null)
    return true;
  if (isFirstOfInterval(CHECK_SHARED_EVERY_MS, span)) return true;
  const isRare = memory.awaits === 'correction' || findSharing({ ...period, id }, periods).length > 0;
  const isRecent = (at: number | null | undefined) => at != null && span.now - at < 2 * CHECK_EVERY_MS;
  const changedAt = (date: string) => heads.get(nameSlice({ feed: 'timesheets', slice: date }))?.changedAt;
  const dates = listDates({ from: period.startDate, to: period.finishDate });
  return !isRare && [memory.closedAt, ...dates.map(changedAt)].some(isRecent);
}

/** The statement of a closing, once there were looks that began after it, or have failed to come for long. */
async function planClosing(
  { id, period, memory }: Awaited,
  periods: readonly KnownPeriod[],
  run: PollRun,
): Promise<StatementPlan | null> {
  const moment = { seenAt: memory.closedAt, window: run.window, now: run.ports.clock.now() };
  if (judgeRecount(viewPeriod(period, toAccountSource(run)), moment) === 'wait') return null;
  const count = await countAwaited({ id, period, memory }, periods, run);
  const cause: StatementCause = { kind: 'closing', at: memory.closedAt, awaited: true };
  return count === null ? null : await planCounted({ id, memory, cause }, count, run);
}

/** The final statement, or one that corrects it: what is held or differs from the source is waited for. */
async function planFinal(
  awaited: Awaited,
  periods: readonly KnownPeriod[],
  run: PollRun,
): Promise<StatementPlan | null> {
  const { id, period, memory } = awaited;
  const now = run.ports.clock.now();
  const { differsSince } = memory;
  if (memory.awaits === 'correction' && !isCorrectable(differsSince ?? 0, now)) return stopAwaiting(memory);
  const deadline = findDeadline({ ...period, id, memory }, periods, now);
  // The source is asked for members only once those of the closing are processed.
  const waits = deadline === null && findSharing({ ...period, id }, periods).length > 0;
  if (waits && !(await areMembersProcessed(awaited, run))) return null;
  const count = await countAwaited(awaited, periods, run);
  if (count === null) return null;
  const final = judgeFinal(
    count.account.views,
    { manifest: count.manifest, deadline },
    { differsSince, now },
  );
  if (final.standing === 'wait') return null;
  const isAgreed = final.standing === 'tell' && count.manifest.addsUp !== false;
  if (memory.awaits === 'correction' && !isAgreed) return null;
  if (final.standing === 'differs' && differsSince !== undefined) return null;
  const cause: StatementCause =
    final.standing === 'differs'
      ? { kind: 'differs', since: now }
      : { kind: 'final', settledBy: final.settledBy };
  return await planCounted({ id, memory, cause }, count, run);
}

async function countAwaited(
  { id, period, memory }: Awaited,
  periods: readonly KnownPeriod[],
  run: PollRun,
): Promise<CountedPeriod | null> {
  const source = run.memory.totals.get(id) ?? null;
  // A final statement counts the dates as they are.
  const closedAt = memory.awaits === 'closing' ? memory.closedAt : null;
  return await countPeriod({ id, period, source, closedAt, askedSince: memory.closedAt }, periods, run);
}

/** Whether the timesheets of the latest count are processed, as far as they are on the dates of the period. */
async function areMembersProcessed(awaited: Awaited, run: PollRun): Promise<boolean> {
  const ledger = await findLedger(awaited, run);
  if (ledger === null) return true;
  const account = await accountReader(run)(awaited.period);
  const members = { timesheets: new Set(ledger.map(([id]) => id)), unknown: new Set<string>() };
  return account?.select(members).counted.every(({ processed }) => processed) === true;
}
