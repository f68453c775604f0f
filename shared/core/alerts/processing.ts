import { hash } from 'node:crypto';
import { addDays, datesOf } from '../dates.ts';
import type { FeedState } from '../feed-state.ts';
import type { SliceHead } from '../snapshot.ts';
import { PROCESSING_FINISHED } from './alert.ts';

/** A period longer than this is an error of whoever entered it, and nothing is concluded of it. */
const MOST_DAYS = 400;

export type Period = FeedState['payPeriods'][number];

/** Pay periods that cover any of these dates. */
export function periodsOn(dates: readonly string[], periods: readonly Period[]): Period[] {
  return periods
    .filter(({ startDate, finishDate }) => finishDate <= addDays(startDate, MOST_DAYS))
    .filter(({ startDate, finishDate }) => dates.some((date) => startDate <= date && date <= finishDate));
}

/**
 * How many timesheets stand on the dates of a period when all of them are processed; null when one is not, when there
 * is none, or when a date was never seen whole.
 */
export function processedTimesheets(period: Period, heads: readonly SliceHead[]): number | null {
  const byDate = new Map(heads.map((head) => [head.slice, head]));
  let timesheets = 0;
  for (const date of datesOf({ from: period.startDate, to: period.finishDate })) {
    const head = byDate.get(date);
    if (head === undefined || head.baselinedAt === null || head.unsettledCount > 0) return null;
    timesheets += head.recordCount;
  }
  return timesheets === 0 ? null : timesheets;
}

/** Computed, as ids of events are: whoever concludes the same, at whatever time, has the same id. */
export function processingFinishedId(connection: string, payPeriodId: string, times: number): string {
  const name = JSON.stringify([connection, payPeriodId, PROCESSING_FINISHED, times]);
  return hash('sha256', name, 'hex').slice(0, 32);
}

/** Dates on which a timesheet stands and stood, from the data of one of its events. */
export function datesIn(data: object): string[] {
  const { current, previous } = data as Readonly<Record<string, unknown>>;
  return [current, previous].flatMap((state) => {
    const date = typeof state === 'object' && state !== null && 'date' in state ? state.date : null;
    return typeof date === 'string' ? [date] : [];
  });
}

/** Whether the processing of a period is finished, as last concluded, and how often it was. */
export interface Conclusion {
  /** Grows by one with every write. */
  readonly revision: number;
  readonly finished: boolean;
  readonly times: number;
}

/** What is to be concluded now; null when nothing is new. A period never seen finished needs no note of that. */
export function nextConclusion(known: Conclusion | null, finished: boolean): Conclusion | null {
  const { revision, finished: before, times } = known ?? { revision: 0, finished: false, times: 0 };
  if (finished === before) return null;
  return { revision: revision + 1, finished, times: finished ? times + 1 : times };
}
