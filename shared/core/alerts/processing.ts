import { hash } from 'node:crypto';
import { addDays, listDates } from '../dates.ts';
import type { DescribableEvent } from '../messages/sentences.ts';
import { findPeriodsSharingDates } from '../records/pay-period.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import { MOVING_PROCESSING, PROCESSING_FINISHED } from './alert.ts';

/** A period longer than this is an error of whoever entered it, and nothing is concluded of it. */
const MAX_PERIOD_DAYS = 400;
/** Days after its end for which a period waits for anything to be processed: longer than from one payday to the next. */
const MAX_WAITING_DAYS = 35;

export type Period = Pick<
  FeedState['payPeriods'][number],
  'id' | 'calendar' | 'startDate' | 'finishDate' | 'closed'
>;

/** A period that is to be looked at. */
export interface RelevantPeriod {
  readonly period: Period;
  /** It is closed, or its last day has passed: before that, timesheets may come at any time. */
  readonly over: boolean;
  /** An event is about it. When none is, only an end that it waited for can be new. */
  readonly moved: boolean;
  /** Other periods cover some of its dates, and their timesheets are counted too. */
  readonly sharesDates: boolean;
}

/** What events are about, and what is known of the pay periods of their connection. */
export interface PeriodSearch {
  /** Dates on which timesheets stand or stood. */
  readonly dates: readonly string[];
  /** Pay periods as they closed, newer than those below. */
  readonly closed: readonly Period[];
  readonly periods: readonly Period[];
  /** In the connection's zone. */
  readonly today: string;
}

/** Each period that is to be looked at, once: what closed, what covers one of the dates, and what ended without closing. */
export function findRelevantPeriods({ dates, closed, periods, today }: PeriodSearch): RelevantPeriod[] {
  const moved = [...closed, ...periods.filter((period) => dates.some((date) => covers(period, date)))];
  const ended = periods.filter((period) => !period.closed && hasEndedLately(period, today));
  const all = [...closed, ...periods];
  const once = new Map<string, RelevantPeriod>();
  for (const [index, period] of [...moved, ...ended].entries()) {
    if (once.has(period.id) || period.finishDate > addDays(period.startDate, MAX_PERIOD_DAYS)) continue;
    const over = period.closed || period.finishDate < today;
    const sharesDates = findPeriodsSharingDates(period, all).length > 0;
    once.set(period.id, { period, over, moved: index < moved.length, sharesDates });
  }
  return [...once.values()];
}

function covers({ startDate, finishDate }: Period, date: string): boolean {
  return startDate <= date && date <= finishDate;
}

function hasEndedLately({ finishDate }: Period, today: string): boolean {
  return finishDate < today && finishDate >= addDays(today, -MAX_WAITING_DAYS);
}

/**
 * How many timesheets stand on the dates of a period when all of them are processed; null when one is not, when there
 * is none, or when a date was never seen whole.
 */
export function countProcessedTimesheets(period: Period, heads: readonly SliceHead[]): number | null {
  const byDate = new Map(heads.map((head) => [head.slice, head]));
  let timesheets = 0;
  for (const date of listDates({ from: period.startDate, to: period.finishDate })) {
    const head = byDate.get(date);
    if (head === undefined || head.baselinedAt === null || head.unsettledCount > 0) return null;
    timesheets += head.recordCount;
  }
  return timesheets === 0 ? null : timesheets;
}

/** Computed, as ids of events are: whoever concludes the same, at whatever time, has the same id. */
export function computeProcessingFinishedId(connection: string, payPeriodId: string, times: number): string {
  const name = JSON.stringify([connection, payPeriodId, PROCESSING_FINISHED, times]);
  return hash('sha256', name, 'hex').slice(0, 32);
}

/** Dates on which a timesheet stands and stood, from the data of one of its events. */
export function readDates(data: object): string[] {
  const { current, previous } = data as Readonly<Record<string, unknown>>;
  return [current, previous].flatMap((state) => {
    const date = typeof state === 'object' && state !== null && 'date' in state ? state.date : null;
    return typeof date === 'string' ? [date] : [];
  });
}

/** Whether the processing of a period is finished, as last concluded, and how often it was. */
export interface ProcessingConclusion {
  /** Grows by one with every write. */
  readonly revision: number;
  readonly finished: boolean;
  readonly times: number;
}

/** Whether a period was all processed before its end, or is no longer: then its end may be all that is missing. */
export function isAwaited(known: ProcessingConclusion | null): boolean {
  return known !== null && !known.finished;
}

/** Whether the processing of a pay period may be finished by what an event tells, or no longer be. */
export function movesProcessing(event: DescribableEvent): boolean {
  // Most changes leave a timesheet on its date: no topic can filter them out, so they must cost nothing here.
  if (event.type === 'workforce.timesheet.changed') return event.data.changed.includes('date');
  return MOVING_PROCESSING.includes(event.type);
}

/** How a period is found: whether all its timesheets are processed, and whether it is over. */
export interface ProcessingObservation {
  readonly processed: boolean;
  readonly over: boolean;
}

/**
 * What is to be concluded now; null when nothing is new. A period that is not over is never finished; that it was all
 * processed is noted once, so that it is looked at again when it is over.
 */
export function concludeProcessing(
  known: ProcessingConclusion | null,
  { processed, over }: ProcessingObservation,
): ProcessingConclusion | null {
  const { revision, finished: before, times } = known ?? { revision: 0, finished: false, times: 0 };
  const finished = processed && over;
  const waits = known === null && processed;
  if (finished === before && !waits) return null;
  return { revision: revision + 1, finished, times: finished ? times + 1 : times };
}
