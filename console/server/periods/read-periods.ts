import type { PeriodRow, PeriodsAnswer } from '#console/answers/periods.ts';
import { computeWindow, toLocalDate } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import type { LogItem } from '#shared/flow/poll/ports.ts';
import { formatDates } from '#shared/people/messages/moments.ts';
import { type PeriodSource, readPeriod } from '#shared/period/flow/read-period.ts';
import { type ConsoleContext, findConnection } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';
import { rememberFor } from '../remember.ts';
import { hasRunEnded, sayTrouble } from '../trouble.ts';
import { describePeriod } from './describe-period.ts';

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
  const source = openPeriodSource(context);
  const periods: PeriodRow[] = [];
  const troubles: string[] = [];
  for (const knowledge of await context.knowledge.loadAll()) {
    const connection = findConnection(context, knowledge.connection);
    for (const period of selectPeriods(knowledge, context)) {
      try {
        const reading = await readPeriod(period.id, connection, source);
        if (reading !== null) periods.push(describePeriod(reading, knowledge, context));
      } catch (error) {
        if (hasRunEnded(error, context)) throw error;
        troubles.push(describeFailure(period, error));
      }
    }
  }
  return { periods: periods.sort(compareRows), troubles };
}

function describeFailure({ calendar, startDate, finishDate }: PayPeriod, error: unknown): string {
  const name = `${calendar} ${formatDates(startDate, finishDate, { year: null })}`;
  // The next request counts it.
  if (error instanceof NotifierError && error.code === 'period_moved')
    return `${name} changed while it was counted, and is counted again.`;
  return `${name} could not be counted: ${sayTrouble(error)}`;
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

/** What pay periods are read from, at one instant. */
export function openPeriodSource({ store, log, target }: ConsoleContext): PeriodSource {
  const now = Math.floor(target.system.now());
  const range = { from: now - LOG_DAYS * DAY_MS, to: now + DAY_MS };
  return { store, log: rememberReads(log), range };
}

/**
 * What is closed, to be paid or checked; what is open, by its deadline; what is settled; what closed before it was
 * watched. The latest first otherwise.
 */
export function compareRows(a: PeriodRow, b: PeriodRow): number {
  const [left, right] = [rankRow(a), rankRow(b)];
  if (left !== right) return left - right;
  const byDate =
    left === RANKS.open ? compareTexts(dueAt(a), dueAt(b)) : compareTexts(b.finishDate, a.finishDate);
  return byDate || compareTexts(a.calendar, b.calendar);
}

function rankRow({ state, wasWatched }: PeriodRow): number {
  return wasWatched ? RANKS[state] : UNWATCHED_RANK;
}

const RANKS: Readonly<Record<PeriodRow['state'], number>> = { closed: 0, reopened: 1, open: 1, settled: 2 };
const UNWATCHED_RANK = 3;

/** Without a deadline a period is due when it is over. */
function dueAt({ closesAt, finishDate }: PeriodRow): string {
  return closesAt ?? `${finishDate}T24`;
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Reads each stretch of a log once: all pay periods look there for what they were told as. */
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
