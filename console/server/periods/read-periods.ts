import type { PeriodRow, PeriodsAnswer } from '#console/routes/periods.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { computeWindow, toIso, toLocalDate } from '#shared/core/dates.ts';
import {
  type PeriodStatement,
  readStatement,
  type StatementSource,
} from '#shared/operator/statement/read-statement.ts';
import { computeDeadline } from '#shared/readiness/deadlines.ts';
import type { EventLog, LoggedBatch } from '#shared/replay/flow/replay-events.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { type ConsoleContext, findConnection } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';
import { rememberFor } from '../remember.ts';

const DAY_MS = 86_400_000;
const LOG_DAYS = 90;
/** Each row reads the timesheets of its dates: not for every page that looks. */
const MAX_AGE_MS = 4_000;

/** Counts the open and the recently closed pay periods; twice within some seconds only once. */
export function createPeriodReader(context: ConsoleContext): () => Promise<PeriodsAnswer> {
  return rememberFor(MAX_AGE_MS, () => readPeriods(context));
}

async function readPeriods(context: ConsoleContext): Promise<PeriodsAnswer> {
  const periods: PeriodRow[] = [];
  const troubles: string[] = [];
  const source = openStatementSource(context);
  const known = await context.knowledge.loadAll();
  const selected = known.flatMap((knowledge) =>
    selectPeriods(knowledge, context).map(({ id }) => ({ id, knowledge })),
  );
  await Promise.all(
    selected.map(async ({ id, knowledge }) => {
      try {
        const statement = await readStatement(id, knowledge.connection, source);
        if (statement !== null) periods.push(describePeriod(statement, knowledge, context));
      } catch (error) {
        // A poll changed it while it was counted: the next request counts it.
        troubles.push(error instanceof Error ? error.message : String(error));
      }
    }),
  );
  return {
    periods: periods.sort(compareRows),
    troubles,
    readAt: toIso(Math.floor(context.target.system.now())),
  };
}

/** Those that have begun, and of which some dates are still watched. */
function selectPeriods(
  { connection, payPeriods, timeZone }: ConnectionKnowledge,
  context: ConsoleContext,
): readonly ConnectionKnowledge['payPeriods'][number][] {
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
  { id, connection, period, closings, now, timesheets: counted }: PeriodStatement,
  { timeZone }: ConnectionKnowledge,
  context: ConsoleContext,
): PeriodRow {
  const { calendar, startDate, finishDate, closed } = period;
  const { timesheets, employees, hoursToPay, unapproved, unprocessed, digest = '' } = now;
  return {
    connection,
    timeZone,
    ...{ id, calendar, startDate, finishDate, closed, timesheets, employees, digest },
    deadline: findDeadline(period, findConnection(context, connection)),
    hours: hoursToPay,
    approved: timesheets - unapproved,
    processed: timesheets - unprocessed,
    leftOver: counted.filter(isLeftOver).length,
    missing: now.complete ? null : now.missing,
    sharesDates: now.sharesDatesWith.length > 0,
    closings: closings.map(({ time, manifest }) => ({
      at: time,
      hours: manifest?.hoursToPay ?? null,
      unapproved: manifest?.unapproved ?? null,
      unprocessed: manifest?.unprocessed ?? null,
      addsUp: manifest?.addsUp ?? null,
    })),
    command: formatCommand(context.target, 'statement', id),
  };
}

/** One may be processed without being approved, so neither count alone says how many are left over. */
export function isLeftOver({ state }: PeriodStatement['timesheets'][number]): boolean {
  return state.approvedHours == null || state.processed == null;
}

/** By the config; null where it says nothing of the calendar. */
function findDeadline(
  { calendar, finishDate }: PeriodStatement['period'],
  { calendars = [], timeZone }: Connection,
): string | null {
  const rule = calendars.find(({ name }) => name === calendar);
  const deadline = rule === undefined ? null : computeDeadline(rule, finishDate, timeZone);
  return deadline === null ? null : toIso(deadline.at);
}

/** Open ones first, then the latest. */
function compareRows(a: PeriodRow, b: PeriodRow): number {
  return (
    Number(a.closed !== null) - Number(b.closed !== null) ||
    compareTexts(b.finishDate, a.finishDate) ||
    compareTexts(a.calendar, b.calendar)
  );
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Reads each stretch of a log once: all pay periods look for their closings in the same one. */
function rememberReads(log: EventLog): EventLog {
  const known = new Map<string, Promise<readonly LoggedBatch[]>>();
  return {
    read: async function* (feed, between) {
      const key = JSON.stringify([feed, between]);
      const batches = known.get(key) ?? collect(log.read(feed, between));
      known.set(key, batches);
      yield* await batches;
    },
  };
}

async function collect(batches: AsyncGenerator<LoggedBatch, void>): Promise<readonly LoggedBatch[]> {
  const all: LoggedBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}
