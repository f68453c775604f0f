import type { FeedName } from '#shared/core/feeds.ts';
import type { RawRecord } from '../world/truth.ts';

/**
 * The watched fields of a record, stated without the engine's code: the oracle shares none. An unset text is an empty
 * string or null.
 */
export type Watched = Readonly<Record<string, unknown>>;

/** A fact that can be set and unset, with its types of events. */
export interface Fact {
  readonly field: string;
  readonly on: string;
  readonly off: string;
  /** The type of a new value over an old one. */
  readonly over: string;
  readonly occurred: 'value' | 'localTime' | null;
}

const stamp = (field: string, on: string, off: string): Fact => ({
  field,
  on,
  off,
  over: on,
  occurred: field === 'approvedPayroll' ? null : 'value',
});
const clock = (field: string, name: string, on: string): Fact => ({
  field,
  on,
  off: `timesheet.${name}_removed`,
  over: `timesheet.${name}_corrected`,
  occurred: 'localTime',
});

/** Facts in the order in which they happen to a record. */
export const FACTS: Readonly<Record<FeedName, readonly Fact[]>> = {
  timesheets: [
    clock('clockIn', 'clock_in', 'timesheet.clocked_in'),
    clock('clockOut', 'clock_out', 'timesheet.clocked_out'),
    stamp('approvedHours', 'timesheet.approved', 'timesheet.approval_revoked'),
    stamp('approvedPayroll', 'timesheet.payroll_approved', 'timesheet.payroll_approval_revoked'),
    stamp('processed', 'timesheet.processed', 'timesheet.processing_reverted'),
  ],
  'pay-periods': [stamp('closed', 'pay_period.closed', 'pay_period.reopened')],
  employees: [],
  departments: [],
};

/** Whether a type says that a record is gone. */
export function saysGone(type: string): boolean {
  return /\.(?:removed|left)$/.test(type);
}

/** Whether a type says that a record is there for the first time, or again. */
export function saysNew(type: string): boolean {
  return /\.(?:created|joined|added)$/.test(type);
}

const READ: Readonly<Record<FeedName, (raw: RawRecord) => Watched>> = {
  timesheets: watchedTimesheet,
  'pay-periods': watchedPayPeriod,
  employees: watchedEmployee,
  departments: watchedDepartment,
};

/** What no event may show. */
const HIDDEN: readonly string[] = ['name', 'managerName'];

const known = new WeakMap<RawRecord, Watched>();
const texts = new WeakMap<Watched, string>();

export function watchedOf(feed: FeedName, raw: RawRecord): Watched {
  const before = known.get(raw);
  if (before !== undefined) return before;
  const watched = READ[feed](raw);
  known.set(raw, watched);
  return watched;
}

/** The same text for the same watched values. */
export function textOf(watched: Watched): string {
  const before = texts.get(watched);
  if (before !== undefined) return before;
  const text = JSON.stringify(watched);
  texts.set(watched, text);
  return text;
}

/** The slice of a record: its date, or `all` for records without one. */
export function sliceOf(feed: FeedName, watched: Watched): string {
  return feed === 'timesheets' ? String(watched.date) : 'all';
}

export function hasFacts(feed: FeedName, watched: Watched): boolean {
  return FACTS[feed].some(({ field }) => watched[field] !== null);
}

/** The record without its facts. */
export function withoutFacts(feed: FeedName, watched: Watched): Watched {
  return { ...watched, ...Object.fromEntries(FACTS[feed].map(({ field }) => [field, null])) };
}

function watchedTimesheet(raw: RawRecord): Watched {
  return {
    date: raw.date,
    employeeId: raw.employeeId,
    departmentId: reference(raw.department),
    roleId: reference(raw.role),
    shiftId: reference(raw.shift),
    organisationWorkedId: unset(raw.organisationWorkedId),
    organisationPayRollId: unset(raw.organisationPayRollId),
    startTime: unset(raw.startTime),
    finishTime: unset(raw.finishTime),
    hoursToPay: raw.hoursToPay,
    casualJob: raw.casualJob,
    includesLeave: raw.includesLeave,
    overnight: raw.overnight,
    clockIn: clockRecord(raw.clockIn),
    clockOut: clockRecord(raw.clockOut),
    approvedHours: unset(raw.approvedHours),
    approvedPayroll: unset(raw.approvedPayroll),
    processed: unset(raw.processed),
    details: details(raw.details),
  };
}

function watchedPayPeriod(raw: RawRecord): Watched {
  return {
    calendar: raw.calendar,
    startDate: raw.startDate,
    finishDate: raw.finishDate,
    closed: canonicalStamp(unset(raw.closed)),
    payRollCompanyId: unset(raw.payRollCompanyId),
    payRollProvider: unset(raw.payRollProvider),
  };
}

function watchedEmployee({ contractedHours }: RawRecord): Watched {
  const hours = contractedHours as readonly { readonly department: { readonly id: string } | null }[];
  return { departmentIds: [...new Set(hours.flatMap(({ department }) => department?.id ?? []))].sort() };
}

/** Only what has the form of an id may be shown: anything else may be a name. */
function watchedDepartment({ name, manager }: RawRecord): Watched {
  const isId = /^\d+_\d+$/.test(String(manager));
  return {
    name,
    managerId: isId ? manager : null,
    managerName: isId ? null : unset(manager),
  };
}

/** What events show of watched values. */
export function shownOf(feed: FeedName, watched: Watched): Watched {
  if (feed !== 'departments') return watched;
  return Object.fromEntries(Object.entries(watched).filter(([field]) => !HIDDEN.includes(field)));
}

function unset(value: unknown): unknown {
  return value === '' || value === undefined ? null : value;
}

/** An instant in one notation, whichever the source used; a date, and any other text, as it is. */
export function canonicalStamp(stamp: unknown): unknown {
  if (typeof stamp !== 'string' || !/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(stamp)) return stamp;
  const instant = new Date(stamp);
  return Number.isNaN(instant.getTime()) ? stamp : instant.toISOString();
}

function reference(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as RawRecord).id : null;
}

function clockRecord(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  const { id, localTime, variance, kiosk, beacon } = value as RawRecord;
  return { id, localTime: unset(localTime), variance, kiosk, beacon };
}

function details(value: unknown): unknown {
  const list = value as readonly RawRecord[];
  const read = list.map((each) => ({
    id: each.id,
    activity: unset(each.activity),
    alternateDepartment: unset(each.alternateDepartment),
    alternateOrganisation: unset(each.alternateOrganisation),
    startTime: each.startTime,
    finishTime: each.finishTime,
    hours: each.hours,
    mealBreak: each.mealBreak,
    restBreak: each.restBreak,
  }));
  return read.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
}
