import type { WorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import type { PayPeriod, Timesheet } from '#shared/adapters/workforce-api/schemas.ts';
import { addDays, parseInstant } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import type { CalendarAnswer, ConfigAnswers } from './render-config.ts';

/** Large enough that a source shows its own bound. */
const ASKED_PAGE_SIZE = 1_000;
const SAMPLE_DAYS = 14;
const MAX_DEPARTMENTS = 100;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Somebody clocks in early or late; zones differ by half an hour at least. */
const PUNCTUALITY_MS = 14 * MINUTE_MS;
/** Share of clockings that must fit a zone: some are entered by hand. */
const FITTING_SHARE = 0.8;

/** A clock-in: when it was planned or varied to, and what the clock on the wall showed. */
export interface ClockSample {
  /** Milliseconds since 1970. */
  readonly plannedAt: number;
  readonly varianceMs: number;
  /** Date and time without a zone. */
  readonly localTime: string;
}

/** What a source says about itself. Nothing in it is about a person. */
export interface SourceFacts extends Pick<ConfigAnswers, 'pageSize' | 'departments'> {
  readonly calendars: readonly Omit<CalendarAnswer, 'closesAt'>[];
  readonly clocks: readonly ClockSample[];
}

/** Three requests: pay periods, departments, and the timesheets of the last two weeks. Throws `SourceError`. */
export async function readSource(api: WorkforceApi, today: string): Promise<SourceFacts> {
  const payPeriods = await api.listPayPeriods();
  const departments = await ifPermitted(() => api.listDepartments());
  const dates = { dateFrom: addDays(today, -SAMPLE_DAYS), dateTo: today };
  const { data, pagination } = await api.listTimesheets({ ...dates, page: 1, pageSize: ASKED_PAGE_SIZE });
  return {
    calendars: listCalendars(payPeriods),
    departments: departments.slice(0, MAX_DEPARTMENTS).map(({ id, name }) => ({ id, name })),
    // A short list shows no bound.
    pageSize: pagination.pageSize < ASKED_PAGE_SIZE && pagination.totalPages > 1 ? pagination.pageSize : null,
    clocks: data.flatMap(readClock),
  };
}

/** A token may be refused some lists. */
async function ifPermitted<T>(list: () => Promise<T[]>): Promise<T[]> {
  try {
    return await list();
  } catch (error) {
    if (error instanceof SourceError && (error.status === 403 || error.status === 404)) return [];
    throw error;
  }
}

function listCalendars(payPeriods: readonly PayPeriod[]): SourceFacts['calendars'] {
  const byName = Map.groupBy(payPeriods, ({ calendar }) => calendar);
  return [...byName]
    .map(([name, periods]) => ({ name, closedAfterDays: mostFrequent(periods.flatMap(daysToClose)) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function daysToClose({ closed, finishDate }: PayPeriod): number[] {
  const day = closed === null ? Number.NaN : Date.parse(closed.slice(0, 10));
  const days = (day - Date.parse(finishDate)) / DAY_MS;
  return Number.isInteger(days) && days >= 0 ? [days] : [];
}

function mostFrequent(numbers: readonly number[]): number | null {
  const groups = [...Map.groupBy(numbers, (number) => number).values()];
  return groups.sort((a, b) => b.length - a.length)[0]?.[0] ?? null;
}

function readClock({ clockIn, startTime }: Timesheet): ClockSample[] {
  const localTime = clockIn?.localTime ?? '';
  // A time with an offset says nothing about the zone of those without.
  if (clockIn === null || localTime === '' || /(?:Z|[+-]\d\d:?\d\d)$/i.test(localTime)) return [];
  return [{ plannedAt: Date.parse(startTime), varianceMs: clockIn.variance * MINUTE_MS, localTime }];
}

/** Whether the clocks of the source show the time of a zone; null when nothing shows it. */
export function fitsZone(clocks: readonly ClockSample[], timeZone: string): boolean | null {
  if (clocks.length === 0) return null;
  const fitting = clocks.filter(({ plannedAt, varianceMs, localTime }) => {
    const at = parseInstant(localTime, timeZone);
    return at !== null && Math.abs(at - plannedAt) <= Math.abs(varianceMs) + PUNCTUALITY_MS;
  });
  return fitting.length >= clocks.length * FITTING_SHARE;
}
