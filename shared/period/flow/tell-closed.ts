import { listDates } from '#shared/core/dates.ts';
import { type Change, toEvents } from '#shared/core/events/events.ts';
import type { Moment } from '#shared/core/events/moments.ts';
import { findSharing } from '#shared/core/periods/members.ts';
import { awaitsMoment, type PeriodMemory } from '#shared/core/periods/period-memory.ts';
import { parseRow, readStoredPeriod } from '#shared/core/records/feed-definition.ts';
import { isOfUsualLength, type KnownPeriod, type PayPeriodState } from '#shared/core/records/pay-period.ts';
import { nameSlice } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { commitRows } from '#shared/flow/poll/commit-rows.ts';
import { toEventContext } from '#shared/flow/poll/event-context.ts';
import { hasTimeLeft, type PollRun } from '#shared/flow/poll/run.ts';
import { findDeadline, findDueMoment, isReadSince } from '../moments.ts';
import { countInPoll } from './count-in-poll.ts';
import { keepCount } from './keep-count.ts';
import { PERIODS_SLICE } from './periods-of-poll.ts';
import { toDateSource, viewDates } from './read-dates.ts';

const MINUTE_MS = 60_000;
/** Closed periods are counted again so often when something happened on their dates. */
const CHECK_EVERY_MS = 5 * MINUTE_MS;
/** And so often in any case: their totals may agree by now, or somebody be answered for. */
const CHECK_QUIET_EVERY_MS = 30 * MINUTE_MS;
/** A reserve that lasts longer is looked at as rarely. */
const HASTE_MS = 60 * MINUTE_MS;
/** Periods that one check counts; others come in the next ones. */
const MAX_COUNTED = 5;

/** Moments up to `since` are done. Instants in milliseconds since 1970. */
export interface TimeSpan {
  readonly since: number;
  readonly now: number;
}

/** Whether an interval began since the moments before. */
export function isFirstOfInterval(everyMs: number, { since, now }: TimeSpan): boolean {
  return Math.floor(now / everyMs) !== Math.floor(since / everyMs);
}

/** A pay period that is closed and not settled. */
interface Closed {
  readonly row: StoredRow;
  readonly period: PayPeriodState;
  readonly memory: PeriodMemory;
}

/** Counts closed periods again: one that was told with a reserve is recounted when that ends, and each is settled at last. */
export async function tellClosed(span: TimeSpan, run: PollRun): Promise<void> {
  if (!isFirstOfInterval(CHECK_EVERY_MS, span)) return;
  const closed = (await run.memory.periods.rows(run.memory)).flatMap(toClosed);
  if (closed.length === 0) return;
  const periods = await run.memory.periods.list(run.memory);
  const due = closed.filter((each) => isToCount(each, { periods, span }, run));
  for (const each of inTurn(due, span.now).slice(0, MAX_COUNTED)) {
    if (!hasTimeLeft(run)) return;
    await tellMoment(each, periods, run);
  }
}

function toClosed(row: StoredRow): Closed[] {
  const memory = row.memory?.period;
  const period = row.text === null ? null : readStoredPeriod(parseRow(row.text));
  if (memory === undefined || !awaitsMoment(memory) || period?.closed == null || !isOfUsualLength(period))
    return [];
  return [{ row, period, memory }];
}

/** All get their turn, whatever the first of them take. */
function inTurn(due: readonly Closed[], now: number): readonly Closed[] {
  if (due.length <= MAX_COUNTED) return due;
  const first = (Math.floor(now / CHECK_EVERY_MS) * MAX_COUNTED) % due.length;
  return [...due.slice(first), ...due.slice(0, first)];
}

interface Check {
  readonly periods: readonly KnownPeriod[];
  readonly span: TimeSpan;
}

/** Whether it is worth a count: it closed, or something changed on its dates, since the check before. */
function isToCount({ row, period, memory }: Closed, { periods, span }: Check, run: PollRun): boolean {
  if (isFirstOfInterval(CHECK_QUIET_EVERY_MS, span)) return true;
  const own = { ...period, id: row.id };
  if (findDeadline({ ...own, memory }, periods, span.now) !== null) return true;
  if (memory.hasReserve) return span.now - memory.at < HASTE_MS;
  // The source is asked whose the timesheets are: not each time that one changes.
  if (findSharing(own, periods).length > 0) return false;
  const changedAt = (date: string) =>
    run.memory.heads.get(nameSlice({ feed: 'timesheets', slice: date }))?.changedAt ?? 0;
  const dates = listDates({ from: period.startDate, to: period.finishDate });
  return [memory.at, ...dates.map(changedAt)].some((at) => span.now - at < 2 * CHECK_EVERY_MS);
}

async function tellMoment(
  { row, period, memory }: Closed,
  periods: readonly KnownPeriod[],
  run: PollRun,
): Promise<void> {
  const { id } = row;
  const now = run.ports.clock.now();
  const own = { ...period, id };
  const toCount = {
    ...{ period: own, memory, since: memory.closedAt, closesAt: null },
    closingSeenAt: memory.closedAt,
    source: run.memory.totals.get(id) ?? null,
    isUnlisted: run.memory.periods.seen?.some((each) => each.id === id) === false,
  };
  const counted = await countInPoll({ ...toCount, state: 'closed' }, run);
  if (counted === null) return;
  const deadline = findDeadline({ ...own, memory }, periods, now);
  const isRead = isReadSince(viewDates(period, toDateSource(run)), {
    seenAt: memory.closedAt,
    window: run.window,
  });
  const due = findDueMoment(counted.account, { memory, deadline, isRead, now });
  if (due.moment === null) return;
  if (due.moment === 'differs') {
    await commitMoment(row, { ...memory, differsSince: now }, null, run);
    return;
  }
  const isSettled = due.moment === 'settled';
  const told = isSettled ? await countInPoll({ ...toCount, state: 'settled', since: now }, run) : counted;
  if (told === null) return;
  const next: PeriodMemory = {
    ...memory,
    ...{
      told: due.moment,
      at: now,
      count: await keepCount(id, told, run),
      hasReserve: false,
      differsSince: null,
    },
  };
  const settledBy = due.moment === 'settled' ? { settledBy: due.settledBy } : {};
  await commitMoment(row, next, { step: due.moment, data: { ...settledBy, account: told.account } }, run);
}

/** The record is as it was; between what was told of it last and now it came to this. */
async function commitMoment(
  row: StoredRow,
  period: PeriodMemory,
  moment: Moment | null,
  run: PollRun,
): Promise<void> {
  const { id } = row;
  const memory = { ...row.memory, period };
  const observed = { after: row.memory?.period?.at ?? null, by: run.ports.clock.now() };
  const change: Change = { id, before: row, text: row.text, observed, memory };
  const moments = new Map(moment === null ? [] : [[id, moment]]);
  const context = { ...(await toEventContext('pay-periods', run)), moments };
  await commitRows([toEvents(change, context)], PERIODS_SLICE, run);
}
