import { type Company, createCompany, type HistoryEntry } from '#local/source/company/company.ts';
import { FORTNIGHTLY } from '#local/source/company/premises.ts';
import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import { addDays } from '#shared/core/dates.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A Tuesday on which the company pays. Everything is in UTC. */
export const DATE = '2026-11-10';
export const BEGINS = Date.parse(`${DATE}T06:15:00Z`);
/** Until then it is quiet. */
export const QUIET_UNTIL = Date.parse(`${DATE}T07:45:00Z`);
/** Then most begin to work. */
export const BUSY_FROM = Date.parse(`${DATE}T08:00:00Z`);
export const RECORDED_UNTIL = BUSY_FROM + HOUR_MS;

/** How many people a connection has, and for how long it is polled: the more there are, the shorter. */
export interface Size {
  readonly name: string;
  /** Of the sample company. */
  readonly people: number;
  /** Each timesheet is shown so many times, under ids of their own, which change together. */
  readonly copies: number;
  /** Of the functions that poll, as notifier.config.ts says it for so many people. */
  readonly memoryMb: number;
  /** Until `QUIET_UNTIL`, after half an hour in which everything is read for the first time. */
  readonly quietMs: number;
  /** From `BUSY_FROM` on. */
  readonly busyMs: number;
}

export const FIRST_READING_MS = 30 * MINUTE_MS;
const SMALL = { copies: 1, memoryMb: 256, quietMs: 30 * MINUTE_MS, busyMs: HOUR_MS };
export const THIRTY: Size = { ...SMALL, name: '30 people', people: 30 };
export const FIFTY: Size = { ...SMALL, name: '50 people', people: 50 };
export const MANY: Size = { ...SMALL, name: '2,000 people', people: 2_000 };
/** As many timesheets as 50,000 people have of whom half work on a day: 720,000 in the window. */
export const MOST: Size = {
  ...{ name: '50,000 people', people: MANY.people, copies: 12, memoryMb: 512 },
  ...{ quietMs: 10 * MINUTE_MS, busyMs: 20 * MINUTE_MS },
};

/** A part of the life of a company from `BEGINS` on, and what it was like in the fortnight before. */
export interface Recording {
  /** Timesheets at the beginning. */
  readonly timesheets: readonly Timesheet[];
  readonly changes: readonly HistoryEntry[];
  /** The list of pay periods from each instant on. */
  readonly periods: readonly { readonly at: number; readonly list: readonly PayPeriod[] }[];
  /** Those who are paid every two weeks. */
  readonly fortnightly: ReadonlySet<string>;
  readonly past: readonly HistoryEntry[];
}

export interface RecordingOptions {
  readonly people: number;
  readonly until: number;
  /** Closes the period that finished last at this instant. */
  readonly closesAt?: number;
}

const SEED = 1;
const PAST_DAYS = 14;
/** The totals of a period move with its timesheets. Adding them up is most of the work of a recording. */
const TOTALS_MS = 5 * MINUTE_MS;
const known = new Map<string, Recording>();

/** Records the sample company. Each recording is made once. */
export function recordCompany(options: RecordingOptions): Recording {
  const key = JSON.stringify(options);
  const recording = known.get(key) ?? record(options);
  known.set(key, recording);
  return recording;
}

function record({ people, until, closesAt }: RecordingOptions): Recording {
  const calendars = people < 1_000 ? 1 : 2;
  const company = createCompany({ seed: SEED, size: people, calendars, timeZone: 'UTC', startsAt: BEGINS });
  const listPeriods = () => ({ at: company.now(), list: company.payPeriods() });
  const [timesheets, periods] = [company.timesheets(), [listPeriods()]];
  const begun = company.history.length;
  let listed = begun;
  const listAt = (at: number, change = () => {}) => {
    company.advanceTo(at);
    change();
    if (listed < company.history.length) periods.push(listPeriods());
    listed = company.history.length;
  };
  for (let at = BEGINS; at < until; at += TOTALS_MS) {
    listAt(at);
    if (closesAt !== undefined && at < closesAt && closesAt < Math.min(until, at + TOTALS_MS))
      listAt(closesAt, () => closeLastPeriod(company));
  }
  company.advanceTo(until);
  const fortnightly = company.payPeriods().filter(({ calendar }) => calendar === FORTNIGHTLY);
  const members = fortnightly.flatMap((period) => company.members(period));
  return {
    ...{ timesheets, periods, changes: company.history.slice(begun) },
    past: company.history.slice(0, begun).filter(({ at }) => at >= BEGINS - PAST_DAYS * DAY_MS),
    fortnightly: new Set(members.map(({ employeeId }) => employeeId)),
  };
}

function closeLastPeriod(company: Company): void {
  const finished = company
    .payPeriods()
    .filter(({ closed, finishDate }) => closed === null && finishDate < DATE);
  for (const { id } of finished) company.apply({ change: 'close-pay-period', id });
}

/** What a source of samples holds. */
export interface SampleState {
  /** Dates with timesheets. */
  readonly dates: readonly string[];
  readonly perDate: number;
  /** Every n-th timesheet of a date is approved, at another instant in each version; in version 0 none is. */
  readonly every: number;
  readonly version: number;
  /** The dates of which that is so; absent: all. */
  readonly approved?: readonly string[];
}

let samples: readonly Timesheet[] | null = null;

/** The timesheet at a place of a date: one of a worked day of the company, which is repeated for as many as are needed. */
export function sampleTimesheet(date: string, place: number, state: Omit<SampleState, 'dates'>): Timesheet {
  samples ??= recordCompany({ people: 100, until: BEGINS }).timesheets.filter(
    (each) => each.date === addDays(DATE, -1),
  );
  const number = (Date.parse(date) / DAY_MS) * 100_000 + place;
  const isApproved =
    state.version > 0 && place % state.every === 0 && state.approved?.includes(date) !== false;
  return {
    ...(samples[place % samples.length] as Timesheet),
    ...{ id: `${number}_1`, employeeId: `${2_000_000 + place}_1`, date },
    approvedHours: isApproved ? new Date(Date.parse(date) + state.version * SECOND_MS).toISOString() : null,
  };
}

/** A page of a list as the source sends it. `make`: the record at a place. */
export function buildPage(
  { page, pageSize, total }: Readonly<Record<'page' | 'pageSize' | 'total', number>>,
  make: (place: number) => unknown,
) {
  const first = (page - 1) * pageSize;
  const totalPages = Math.max(1, Math.ceil(total / pageSize));
  return {
    data: Array.from({ length: Math.max(0, Math.min(pageSize, total - first)) }, (_, index) =>
      make(first + index),
    ),
    pagination: {
      ...{ page, pageSize, totalPages, totalRecords: total },
      nextPage: page < totalPages ? `/timesheets?page=${page + 1}` : '',
    },
  };
}
