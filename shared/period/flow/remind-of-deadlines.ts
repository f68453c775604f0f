import { toIso } from '#shared/core/dates.ts';
import { toEvents } from '#shared/core/events/events.ts';
import { findSharing, type PeriodOfCalendar } from '#shared/core/periods/learn-membership.ts';
import type { Readiness, StillOpen } from '#shared/core/periods/readiness-data.ts';
import { isOfUsualLength, type KnownPeriod } from '#shared/core/records/pay-period.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import { countRecords, nameSlice } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { commitRows } from '#shared/flow/poll/commit-rows.ts';
import { toEventContext } from '#shared/flow/poll/event-context.ts';
import type { PollRun } from '#shared/flow/poll/run.ts';
import { countReadiness, isWorthTelling } from '../readiness.ts';
import {
  type DueReadiness,
  findDueReadiness,
  findLastReminder,
  type ReadinessPlan,
} from '../readiness-moments.ts';
import { judgeReminder } from '../standing.ts';
import { findMembers } from './find-members.ts';
import { PERIODS_SLICE } from './periods-of-poll.ts';
import { accountReader } from './read-account.ts';
import { readOpen } from './read-open-timesheets.ts';
import { toStoredPeriod } from './stored-account.ts';
import type { TimeSpan } from './tell-statements.ts';

/** Periods that one poll reports; more are left to the next one. */
const MAX_PERIODS = 20;

/** What is planned in this poll. */
interface Moments extends TimeSpan {
  readonly plan: ReadinessPlan;
}

/** What there is to report of a pay period whose moment has come. */
interface News {
  readonly row: StoredRow;
  readonly due: DueReadiness;
  readonly readiness: Readiness;
  readonly stillOpen: StillOpen | null;
}

/**
 * Publishes how far each open pay period is at the moments that its calendar and the daily summaries name: one event each,
 * committed with the row that remembers it. Nothing where nothing is open. False when some are left to the next poll. When
 * no moment has come, nothing is read and nothing is asked.
 */
export async function remindOfDeadlines(span: TimeSpan, run: PollRun): Promise<boolean> {
  const { calendars = [], timeZone } = run.connection;
  const { summaries = [] } = run.request;
  const plan = { calendars, summaries, timeZone, windowFrom: run.window.from };
  const due = (await listPeriods(run)).filter((period) => findDueReadiness(period, span, plan) !== null);
  if (due.length === 0) return true;
  const { news, isDone } = await readAllNews(due, { ...span, plan }, run);
  const now = run.ports.clock.now();
  const readiness = new Map(news.map((each) => [each.row.id, describeNews(each)]));
  const context = { ...(await toEventContext(PERIODS_SLICE.feed, run)), readiness };
  const changeEvents = news.map(({ row, due: { momentAt } }) => {
    const memory = { ...row.memory, remindedAt: momentAt };
    const change = {
      id: row.id,
      before: row,
      text: row.text,
      observed: { after: momentAt, by: now },
      memory,
    };
    return toEvents(change, context);
  });
  await commitRows(changeEvents, PERIODS_SLICE, run);
  return isDone;
}

/** Those that this poll saw; where it did not see all of them, what is stored of the others. */
async function listPeriods({ memory }: PollRun): Promise<readonly KnownPeriod[]> {
  const head = memory.heads.get(nameSlice(PERIODS_SLICE));
  const { seen } = memory.periods;
  if (head === undefined || seen?.length === countRecords(head)) return seen ?? [];
  const pending = new Set(head.pending?.map(({ id }) => id));
  return (await memory.periods.all(memory)).filter(({ id }) => !pending.has(id));
}

/** Members of the event's data. */
function describeNews({ due: { deadline, reminder, summaries }, readiness, stillOpen }: News): object {
  return {
    deadline: deadline === null ? null : toIso(deadline),
    reminder: reminder === null ? null : { before: reminder.before, at: toIso(reminder.at) },
    ...{ summaries, readiness, stillOpen },
  };
}

/** In a daily summary the first period of a calendar says what is open of its closed ones. */
async function readAllNews(
  due: readonly KnownPeriod[],
  moments: Moments,
  run: PollRun,
): Promise<{ readonly news: readonly News[]; readonly isDone: boolean }> {
  const rows = new Map((await run.memory.periods.rows(run.memory)).map((row) => [row.id, row]));
  const news: News[] = [];
  const summed = new Set<string>();
  let isDone = true;
  for (const period of due) {
    const row = rows.get(period.id);
    if (row?.text == null) continue;
    if (news.length === MAX_PERIODS) return { news, isDone: false };
    const found = await readNews(row, period, moments, run);
    if (found === 'later') isDone = false;
    if (found === 'later' || found === null) continue;
    const isSummed = found.due.summaries.length > 0 && !summed.has(period.calendar);
    if (isSummed) summed.add(period.calendar);
    const stillOpen = isSummed ? await sumStillOpen(period.calendar, moments.plan, run) : null;
    news.push({ ...found, row, stillOpen });
  }
  return { news, isDone };
}

/**
 * What there is to report of an open period; null when that is done already, or it is ready. `later`: there is no time, or
 * what is in doubt has to end first.
 */
async function readNews(
  row: StoredRow,
  period: KnownPeriod,
  { plan, since: done, now }: Moments,
  run: PollRun,
): Promise<Pick<News, 'due' | 'readiness'> | 'later' | null> {
  const since = Math.max(done, findLastReminder(row.memory?.remindedAt, now));
  const planned = findDueReadiness(period, { since, now }, plan);
  if (planned === null) return null;
  const readiness = await countOpen(period, planned, run);
  if (readiness === 'later' || readiness === null) return readiness;
  // The deadline may have passed meanwhile.
  const due = findDueReadiness(period, { since, now: run.ports.clock.now() }, plan);
  return due === null ? null : { due, readiness };
}

/** As for a closing, of the dates that are over. */
async function countOpen(
  period: PeriodOfCalendar,
  { through }: DueReadiness,
  run: PollRun,
): Promise<Readiness | 'later' | null> {
  if (!isOfUsualLength(period)) return null;
  const account = await accountReader(run)({ ...period, finishDate: through });
  if (account === null || judgeReminder(account.views, run.ports.clock.now()) === 'wait') return 'later';
  const sharing = findSharing(period, await run.memory.periods.all(run.memory));
  const open = { period, sharing, account, source: null, since: null, isOpen: true } as const;
  const members = sharing.length === 0 ? null : await findMembers(open, run);
  const readiness = countReadiness(account, { through, sharing: sharing.map(({ id }) => id), members });
  return isWorthTelling(readiness) ? readiness : null;
}

/**
 * What is open of the closed periods of a calendar. Dates before the window are not read any more. What cannot be counted
 * now is left out: who is to approve something does not wait for it.
 */
async function sumStillOpen(calendar: string, plan: ReadinessPlan, run: PollRun): Promise<StillOpen | null> {
  const { ports, lease, memory } = run;
  const source = { connection: lease.connection, store: ports.store, read: accountReader(run) };
  const periods = await memory.periods.list(memory);
  const closed = new Set(
    periods
      .filter((each) => each.closed && each.calendar === calendar && isOfUsualLength(each))
      .filter(({ finishDate }) => finishDate >= plan.windowFrom)
      .map(({ id }) => id),
  );
  let sum: StillOpen = { payPeriods: 0, timesheets: 0, hours: 0, complete: true };
  for (const row of (await memory.periods.rows(memory)).filter(({ id }) => closed.has(id))) {
    const stored = toStoredPeriod(row, periods);
    // Of one that closed before it was watched nothing is ever known.
    if (stored?.memory?.count == null) continue;
    const found = await readOpen(stored, { ...source, timeZone: plan.timeZone, now: ports.clock.now() });
    const { open = [], knowsAdded = false } = found ?? {};
    sum = {
      payPeriods: sum.payPeriods + Math.min(1, open.length),
      timesheets: sum.timesheets + open.length,
      hours: roundNumber(open.reduce((hours, { difference }) => hours + difference, sum.hours)),
      complete: sum.complete && knowsAdded,
    };
  }
  return sum.timesheets === 0 ? null : sum;
}
