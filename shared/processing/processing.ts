import { hash } from 'node:crypto';
import * as z from 'zod';
import { type SliceMemory, viewSlice } from '../account/period-account.ts';
import { PROCESSING_FINISHED } from '../alerts/alert.ts';
import { addDays, listDates } from '../core/dates.ts';
import { ALERT_NEWS } from '../core/definitions/alert-news.ts';
import type { DescribableEvent } from '../core/definitions/sentences.ts';
import { isTimesheetEvent } from '../core/messages/timesheet-sentences.ts';
import { isOfUsualLength } from '../core/records/pay-period.ts';
import type { FeedState } from '../core/snapshot/feed-state.ts';
import type { SliceHead } from '../core/snapshot/snapshot.ts';
import { findSharing } from '../membership/learn-membership.ts';

/**
 * Days after its end for which a period that did not close is still checked: longer than from one payday to the next.
 */
const MAX_WAITING_DAYS = 35;

/** A pay period as the feed's state knows it. */
export type Period = Pick<
  FeedState['payPeriods'][number],
  'id' | 'calendar' | 'startDate' | 'finishDate' | 'closed'
>;

export interface RelevantPeriod {
  readonly period: Period;
  /** It is closed, or its last day has passed; before that, timesheets may be added at any time. */
  readonly over: boolean;
  /** An event is about it or about one of its dates. Otherwise only its end can be new. */
  readonly moved: boolean;
  /** Other periods cover some of its dates, and their timesheets are counted too. */
  readonly sharesDates: boolean;
}

export interface PeriodSearch {
  /** Dates of the timesheets that events are about, before and after. */
  readonly dates: readonly string[];
  /** Pay periods as they closed, newer than `periods`. */
  readonly closed: readonly Period[];
  readonly periods: readonly Period[];
  /** Calendar date in the connection's zone. */
  readonly today: string;
}

/** Periods whose processing may have finished, once each: those that closed, cover a date, or ended without closing. */
export function findRelevantPeriods({ dates, closed, periods, today }: PeriodSearch): RelevantPeriod[] {
  const moved = [...closed, ...periods.filter((period) => dates.some((date) => covers(period, date)))];
  const ended = periods.filter((period) => !period.closed && hasEndedLately(period, today));
  const all = [...closed, ...periods];
  const once = new Map<string, RelevantPeriod>();
  for (const [index, period] of [...moved, ...ended].entries()) {
    if (once.has(period.id) || !isOfUsualLength(period)) continue;
    const over = period.closed || period.finishDate < today;
    const sharesDates = findSharing(period, all).length > 0;
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
 * Number of timesheets on the dates of a period when all of them are processed; null when one is not, when there is
 * none, or when a date is in doubt.
 */
export function countProcessedTimesheets(
  period: Period,
  heads: readonly SliceHead[],
  memory: SliceMemory,
): number | null {
  const byDate = new Map(heads.map((head) => [head.slice, head]));
  let timesheets = 0;
  for (const date of listDates({ from: period.startDate, to: period.finishDate })) {
    const head = byDate.get(date);
    const isInDoubt = viewSlice(date, head, memory).doubts.length > 0;
    if (head === undefined || isInDoubt || head.unsettledCount > 0) return null;
    timesheets += head.recordCount;
  }
  return timesheets === 0 ? null : timesheets;
}

/** Computed as ids of events are, so that two runs derive the same alert under the same id. */
export function computeProcessingFinishedId(connection: string, payPeriodId: string, times: number): string {
  const name = JSON.stringify([connection, payPeriodId, PROCESSING_FINISHED, times]);
  return hash('sha256', name, 'hex').slice(0, 32);
}

/** Dates of a timesheet before and after, from the `data` of one of its events. */
export function readDates(data: object): string[] {
  const { current, previous } = data as Readonly<Record<string, unknown>>;
  return [current, previous].flatMap((state) => {
    const date = typeof state === 'object' && state !== null && 'date' in state ? state.date : null;
    return typeof date === 'string' ? [date] : [];
  });
}

/** Stored per pay period: whether it is over with all its timesheets processed. */
export const processingSchema = z.object({
  /** Grows by one with every write. */
  revision: z.int(),
  finished: z.boolean(),
  /** How many times it was finished. */
  times: z.int(),
});
export type Processing = Readonly<z.output<typeof processingSchema>>;

/** Whether a period had all its timesheets processed but was not finished: only its end may be missing. */
export function isAwaited(known: Processing | null): boolean {
  return known !== null && !known.finished;
}

/** Whether an event can finish the processing of a pay period or undo that. */
export function movesProcessing(event: DescribableEvent): boolean {
  // Most changes keep the date. SNS cannot filter by that, so they must cost nothing here.
  const { movesProcessing } = ALERT_NEWS[event.type];
  if (movesProcessing !== 'with_date') return movesProcessing === true;
  return isTimesheetEvent(event) && event.data.changed.includes('date');
}

export interface ProcessingObservation {
  /** All its timesheets are processed. */
  readonly processed: boolean;
  readonly over: boolean;
}

/**
 * The conclusion to store; null when it is unchanged. A period that is not over is never finished; once all its
 * timesheets are processed, a first conclusion is stored so that it is checked again when it is over.
 */
export function concludeProcessing(
  known: Processing | null,
  { processed, over }: ProcessingObservation,
): Processing | null {
  const { revision, finished: before, times } = known ?? { revision: 0, finished: false, times: 0 };
  const finished = processed && over;
  const isFirst = known === null && processed;
  if (finished === before && !isFirst) return null;
  return { revision: revision + 1, finished, times: finished ? times + 1 : times };
}
