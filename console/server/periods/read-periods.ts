import type { PeriodRow, PeriodsAnswer } from '#console/routes/periods.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { computeWindow, toIso, toLocalDate } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import type { LogItem } from '#shared/flow/poll/ports.ts';
import { formatDates } from '#shared/people/messages/moments.ts';
import { computeDeadline } from '#shared/period/deadlines.ts';
import {
  type PeriodStatement,
  readStatement,
  type StatementSource,
} from '#shared/period/flow/read-statement.ts';
import { describeOpenTimesheet, type OpenTimesheet } from '#shared/period/open-timesheets.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { type ConsoleContext, findConnection } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';
import { rememberFor } from '../remember.ts';

const DAY_MS = 86_400_000;
const LOG_DAYS = 90;
/** Each row reads the timesheets of its dates: not for every page that looks. */
const MAX_AGE_MS = 4_000;

type PayPeriod = ConnectionKnowledge['payPeriods'][number];

/** The open and the recently closed pay periods, counted some seconds ago at most. */
export function createPeriodReader(context: ConsoleContext): () => Promise<PeriodsAnswer> {
  return rememberFor(MAX_AGE_MS, () => countPeriods(context));
}

async function countPeriods(context: ConsoleContext): Promise<PeriodsAnswer> {
  const readAt = toIso(Math.floor(context.target.system.now()));
  const source = openStatementSource(context);
  const periods: PeriodRow[] = [];
  const troubles: string[] = [];
  for (const knowledge of await context.knowledge.loadAll()) {
    const connection = findConnection(context, knowledge.connection);
    for (const period of selectPeriods(knowledge, context)) {
      try {
        const statement = await readStatement(period.id, connection, source);
        if (statement !== null) periods.push(describePeriod(statement, knowledge, context));
      } catch (error) {
        troubles.push(describeFailure(period, error));
      }
    }
  }
  return { periods: periods.sort(compareRows), troubles, readAt };
}

function describeFailure({ calendar, startDate, finishDate }: PayPeriod, error: unknown): string {
  const name = `${calendar} ${formatDates(startDate, finishDate, { year: null })}`;
  // The next request counts it.
  if (error instanceof NotifierError && error.code === 'statement_moved')
    return `${name} changed while it was counted, and is counted again.`;
  return `${name} could not be counted: ${error instanceof Error ? error.message : String(error)}.`;
}

/** Those that have begun, and of which some dates are still watched. */
function selectPeriods(
  { connection, payPeriods, timeZone }: ConnectionKnowledge,
  context: ConsoleContext,
): readonly PayPeriod[] {
  const now = Math.floor(context.target.system.now());
  const today = toLocalDate(now, timeZone);
  const { from } = computeWindow(now, timeZone, findConnection(context, connection).window);
  return payPeriods.filter(({ startDate, finishDate }) => startDate <= today && finishDate >= from);
}

/** What statements are read from, at one instant. */
export function openStatementSource({ store, log, target }: ConsoleContext): StatementSource {
  const now = Math.floor(target.system.now());
  const range = { from: now - LOG_DAYS * DAY_MS, to: now + DAY_MS };
  return { store, log: rememberReads(log), range };
}

export function describePeriod(
  { id, connection, period, closings, statements, now, timesheets: counted, stillOpen }: PeriodStatement,
  { timeZone, names }: ConnectionKnowledge,
  context: ConsoleContext,
): PeriodRow {
  const { calendar, startDate, finishDate, closed } = period;
  const { timesheets, employees, hoursToPay, unapproved, unprocessed } = now;
  return {
    connection,
    timeZone,
    ...{ id, calendar, startDate, finishDate, closed, timesheets, employees },
    deadline: findDeadline(period, findConnection(context, connection)),
    hours: hoursToPay,
    approved: timesheets - unapproved,
    processed: timesheets - unprocessed,
    leftOver: counted.filter(isLeftOver).length,
    settled: closed !== null && statements.at(-1)?.statement.stage === 'final',
    missing: now.complete ? null : now.missing,
    sharesDates: now.sharesDatesWith.length > 0,
    closings: closings.map(({ time, manifest }) => ({
      at: time,
      hours: manifest?.hoursToPay ?? null,
      unapproved: manifest?.unapproved ?? null,
      unprocessed: manifest?.unprocessed ?? null,
      addsUp: manifest?.addsUp ?? null,
    })),
    stillOpen: stillOpen?.map((each) => describeOpen(each, names)) ?? null,
    command: formatCommand(context.target, 'period', id),
  };
}

function describeOpen(
  each: OpenTimesheet,
  { employees, departments }: ConnectionKnowledge['names'],
): NonNullable<PeriodRow['stillOpen']>[number] {
  const { timesheetId, employeeId, departmentId, date, difference } = each;
  return {
    ...{ timesheetId, employeeId, date, difference },
    employee: employees.get(employeeId ?? '') ?? null,
    department: departments.get(departmentId ?? '') ?? departmentId,
    words: describeOpenTimesheet(each),
  };
}

/** One may be processed without being approved, so neither count alone says how many are left over. */
function isLeftOver({ state }: PeriodStatement['timesheets'][number]): boolean {
  return state.approvedHours == null || state.processed == null;
}

/** By the config; null where it says nothing of the calendar. */
function findDeadline(
  { calendar, finishDate }: Pick<PayPeriod, 'calendar' | 'finishDate'>,
  { calendars = [], timeZone }: Connection,
): string | null {
  const rule = calendars.find(({ name }) => name === calendar);
  const deadline = rule === undefined ? null : computeDeadline(rule, finishDate, timeZone);
  return deadline === null ? null : toIso(deadline.at);
}

/** What differs from the source, what is open by its deadline, what has something left over, and the rest by date. */
export function compareRows(a: PeriodRow, b: PeriodRow): number {
  const rank = ({ closed, closings, settled, leftOver }: PeriodRow) => {
    if (closed === null) return 1;
    if (!settled && closings.at(-1)?.addsUp === false) return 0;
    return !settled && leftOver > 0 ? 2 : 3;
  };
  const [left, right] = [rank(a), rank(b)];
  if (left !== right) return left - right;
  if (left !== 1) return compareTexts(b.finishDate, a.finishDate) || compareTexts(a.calendar, b.calendar);
  return compareTexts(dueAt(a), dueAt(b)) || compareTexts(a.calendar, b.calendar);
}

/** Without a deadline a period is due when it is over. */
function dueAt({ deadline, finishDate }: PeriodRow): string {
  return deadline ?? `${finishDate}T24`;
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Reads each stretch of a log once: all pay periods look for their closings in the same one. */
function rememberReads(log: EventLog): EventLog {
  const known = new Map<string, Promise<readonly LogItem[]>>();
  return {
    read: async function* (connection, stretch) {
      const key = JSON.stringify([connection, stretch]);
      const commits = known.get(key) ?? Array.fromAsync(log.read(connection, stretch));
      known.set(key, commits);
      yield* await commits;
    },
  };
}
