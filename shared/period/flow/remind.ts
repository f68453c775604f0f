import { toIso } from '#shared/core/dates.ts';
import { type Change, toEvents } from '#shared/core/events/events.ts';
import type { Account } from '#shared/core/periods/account-data.ts';
import { isOfUsualLength, type KnownPeriod } from '#shared/core/records/pay-period.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import { countRecords, nameSlice } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { commitRows } from '#shared/flow/poll/commit-rows.ts';
import { toEventContext } from '#shared/flow/poll/event-context.ts';
import type { PollRun } from '#shared/flow/poll/run.ts';
import { isReminderToWait } from '../moments.ts';
import { type DueReminder, findDueReminder, findLastReminder, type ReminderPlan } from '../reminders.ts';
import { countInPoll } from './count-in-poll.ts';
import { PERIODS_SLICE } from './periods-of-poll.ts';
import { toDateSource, viewDates } from './read-dates.ts';
import type { TimeSpan } from './tell-closed.ts';

/** Periods that one poll reports; more are left to the next one. */
const MAX_PERIODS = 20;

/** What is planned in this poll. */
interface Reminding extends TimeSpan {
  readonly plan: ReminderPlan;
}

/** What there is to report of a pay period whose moment has come. */
interface News {
  readonly row: StoredRow;
  readonly due: DueReminder;
  readonly account: Account;
}

/** What is still open of closed periods. */
interface StillOpen {
  readonly payPeriods: number;
  readonly timesheets: number | null;
  readonly hours: number | null;
  readonly complete: boolean;
}

/**
 * Tells what each open period comes to at the moments that its calendar and the daily summaries name: one event each,
 * committed with the row that remembers it. Nothing where nothing is open. False when some are left to the next poll. When
 * no moment has come, nothing is read and nothing is asked.
 */
export async function remind(span: TimeSpan, run: PollRun): Promise<boolean> {
  const { calendars = [], timeZone } = run.connection;
  const { summaries = [] } = run.request;
  const plan = { calendars, summaries, timeZone, windowFrom: run.window.from };
  const due = (await listPeriods(run)).filter((period) => findDueReminder(period, span, plan) !== null);
  const rows = new Map(
    (await (due.length === 0 ? [] : run.memory.periods.rows(run.memory))).map((row) => [row.id, row]),
  );
  const summed = new Set<string>();
  let isDone = true;
  let told = 0;
  for (const period of due) {
    const row = rows.get(period.id);
    if (row?.text == null) continue;
    if (told === MAX_PERIODS) return false;
    const news = await findNews(row, period, { ...span, plan }, run);
    if (news === 'later') isDone = false;
    if (news === 'later' || news === null) continue;
    const isSummed = news.due.summaries.length > 0 && !summed.has(period.calendar);
    summed.add(period.calendar);
    await tell(news, isSummed ? await sumStillOpen(period.calendar, plan, run) : null, run);
    told += 1;
  }
  return isDone;
}

async function tell({ row, due, account }: News, stillOpen: StillOpen | null, run: PollRun): Promise<void> {
  const { id } = row;
  const { reminder, summaries, momentAt } = due;
  const change: Change = {
    ...{ id, before: row, text: row.text },
    observed: { after: momentAt, by: run.ports.clock.now() },
    memory: { ...row.memory, remindedAt: momentAt },
  };
  const data = {
    reminder: reminder === null ? null : { before: reminder.before, at: toIso(reminder.at) },
    ...{ summaries, stillOpen, account },
  };
  const context = {
    ...(await toEventContext(PERIODS_SLICE.feed, run)),
    moments: new Map([[id, { step: 'due', data } as const]]),
  };
  await commitRows([toEvents(change, context)], PERIODS_SLICE, run);
}

/** Those that this poll saw; where it did not see all of them, what is stored of the others. */
async function listPeriods({ memory }: PollRun): Promise<readonly KnownPeriod[]> {
  const head = memory.heads.get(nameSlice(PERIODS_SLICE));
  const { seen } = memory.periods;
  if (head === undefined || seen?.length === countRecords(head)) return seen ?? [];
  const pending = new Set(head.pending?.map(({ id }) => id));
  return (await memory.periods.all(memory)).filter(({ id }) => !pending.has(id));
}

/**
 * What there is to report of an open period; null when that is done already, or it is ready. `later`: there is no time, or
 * what is in doubt has to end first.
 */
async function findNews(
  row: StoredRow,
  period: KnownPeriod,
  { plan, since: done, now }: Reminding,
  run: PollRun,
): Promise<News | 'later' | null> {
  const since = Math.max(done, findLastReminder(row.memory?.remindedAt, now));
  const planned = findDueReminder(period, { since, now }, plan);
  if (planned === null || !isOfUsualLength(period)) return null;
  const { through } = planned;
  const dates = viewDates({ ...period, finishDate: through }, toDateSource(run));
  if (isReminderToWait(dates, run.ports.clock.now())) return 'later';
  const memory = row.memory?.period ?? null;
  const isReopened = memory?.told === 'reopened';
  const counted = await countInPoll(
    {
      ...{ period, through, memory, source: null, closingSeenAt: null, closesAt: planned.deadline },
      ...(isReopened ? { state: 'reopened', since: memory.at } : { state: 'open', since: null }),
      isUnlisted: run.memory.periods.seen?.some(({ id }) => id === period.id) === false,
    },
    run,
  );
  if (counted === null) return 'later';
  // The deadline may have passed meanwhile.
  const due = findDueReminder(period, { since, now: run.ports.clock.now() }, plan);
  return due === null || !isWorthTelling(counted.account) ? null : { row, due, account: counted.account };
}

/** Whether there is anything to tell: something to approve or still open, or that not all is known. */
function isWorthTelling({ notReady, reserves, changes }: Account): boolean {
  return notReady.timesheets > 0 || reserves.length > 0 || (changes?.open.timesheets ?? 0) > 0;
}

/**
 * What is open of the closed periods of a calendar. Dates before the window are not read any more. What cannot be counted
 * now is left out: who is to approve something does not wait for it.
 */
async function sumStillOpen(calendar: string, plan: ReminderPlan, run: PollRun): Promise<StillOpen | null> {
  const periods = await run.memory.periods.list(run.memory);
  const rows = new Map((await run.memory.periods.rows(run.memory)).map((row) => [row.id, row]));
  const closed = periods.filter(
    (each) => each.closed && each.calendar === calendar && each.finishDate >= plan.windowFrom,
  );
  let sum = { payPeriods: 0, timesheets: 0, hours: 0, complete: true };
  for (const period of closed) {
    const memory = rows.get(period.id)?.memory?.period;
    // Of one that closed before it was watched nothing is ever known.
    if (memory?.count == null) continue;
    const state = memory.told === 'settled' ? 'settled' : 'closed';
    const toCount = { period, memory, state, since: memory.at, source: null, closingSeenAt: null } as const;
    const counted = await countInPoll({ ...toCount, closesAt: null, isUnlisted: false }, run);
    const changes = counted?.account.changes ?? null;
    const open = changes?.open ?? { timesheets: 0, hours: 0 };
    sum = {
      payPeriods: sum.payPeriods + Math.min(1, open.timesheets),
      timesheets: sum.timesheets + open.timesheets,
      hours: roundNumber(sum.hours + open.hours),
      complete: sum.complete && changes?.complete === true,
    };
  }
  if (sum.timesheets > 0) return sum;
  // What is open is never 0 by ignorance.
  return sum.complete ? null : { ...sum, timesheets: null, hours: null };
}
