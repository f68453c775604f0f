import type { ChangeKind } from '#local/source/company/changes.ts';
import { createCompany } from '#local/source/company/company.ts';
import type { Timesheet } from '#local/source/schemas.ts';
import { addDays } from '#shared/core/dates.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A Tuesday on which the company pays. Everything is in UTC. */
export const DATE = '2026-11-10';
export const BEGINS = Date.parse(`${DATE}T06:15:00Z`);
/** Until then it is quiet. */
export const QUIET_UNTIL = Date.parse(`${DATE}T07:45:00Z`);
/** Then most begin to work. */
export const BUSY_FROM = Date.parse(`${DATE}T08:00:00Z`);

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

const SMALL = { copies: 1, memoryMb: 256, quietMs: 30 * MINUTE_MS, busyMs: HOUR_MS };
export const THIRTY: Size = { ...SMALL, name: '30 people', people: 30 };
export const FIFTY: Size = { ...SMALL, name: '50 people', people: 50 };
export const MANY: Size = { ...SMALL, name: '2,000 people', people: 2_000 };
/** As many timesheets as 50,000 people have of whom half work on a day: 720,000 in the window. */
export const MOST: Size = {
  ...{ name: '50,000 people', people: MANY.people, copies: 12, memoryMb: 512 },
  ...{ quietMs: 10 * MINUTE_MS, busyMs: 20 * MINUTE_MS },
};

/** The sample company on the morning of `DATE`. */
export function openCompany(people: number) {
  const calendars = people < 1_000 ? 1 : 2;
  return createCompany({ seed: 1, size: people, calendars, timeZone: 'UTC', startsAt: BEGINS });
}

const EVENT_TYPES: Readonly<Partial<Record<ChangeKind, string>>> = {
  create: 'created',
  change: 'changed',
  remove: 'removed',
  approve: 'approved',
  'revoke-approval': 'approval_revoked',
  'approve-payroll': 'payroll_approved',
  'revoke-payroll-approval': 'payroll_approval_revoked',
  process: 'processed',
  'revert-processing': 'processing_reverted',
  'clock-in': 'clocked_in',
  'clock-out': 'clocked_out',
  'correct-clock-in': 'clock_in_corrected',
  'correct-clock-out': 'clock_out_corrected',
  'remove-clock-in': 'clock_in_removed',
  'remove-clock-out': 'clock_out_removed',
};

/** The type of the event that tells a change; undefined for a pay period's. */
export function typeOf(change: ChangeKind): string | undefined {
  const type = EVENT_TYPES[change];
  return type === undefined ? undefined : `timesheet.${type}`;
}

/** Timesheets that a source of samples holds. */
export interface SampleState {
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
export function sampleTimesheet(date: string, place: number, state: SampleState): Timesheet {
  const worked = addDays(DATE, -1);
  samples ??= openCompany(100).timesheets({ from: worked, to: worked });
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
  const count = Math.max(0, Math.min(pageSize, total - first));
  return {
    data: Array.from({ length: count }, (_, index) => make(first + index)),
    pagination: {
      ...{ page, pageSize, totalPages, totalRecords: total },
      nextPage: page < totalPages ? `/timesheets?page=${page + 1}` : '',
    },
  };
}
