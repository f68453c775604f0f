import type { RawRecord } from '#local/source/world/records.ts';
import type { FeedName } from '#shared/core/feeds.ts';

/** The watched fields of a record, stated without the engine's code. */
export type Watched = Readonly<Record<string, unknown>>;

/** Whether a type says that a record is gone. */
export function saysGone(type: string): boolean {
  return /\.(?:removed|left)$/.test(type);
}

/** Whether a type says that a record is there for the first time, or again. */
export function saysNew(type: string): boolean {
  return /\.(?:created|joined|added)$/.test(type);
}

/** Made by time alone: they are in no record of the source. */
export function isDerived(field: string): boolean {
  return field.endsWith('Missing');
}

const READ: Readonly<Record<FeedName, (raw: RawRecord) => Watched>> = {
  timesheets: watchedTimesheet,
  'pay-periods': ({ calendar, startDate, finishDate, closed, payRollCompanyId, payRollProvider }) => ({
    ...{ calendar, startDate, finishDate, closed, payRollCompanyId, payRollProvider },
    // The last day there is stands for none; it is a date all the same.
  }),
  employees: watchedEmployee,
  departments: watchedDepartment,
};

const known = new WeakMap<RawRecord, Watched>();

export function watchedOf(feed: FeedName, raw: RawRecord): Watched {
  const before = known.get(raw);
  if (before !== undefined) return before;
  const watched = READ[feed](raw);
  known.set(raw, watched);
  return watched;
}

/** The same text for the same values of the fields that a feed watches, in any order of members. */
export function textOf(feed: FeedName, state: Watched): string {
  return JSON.stringify(sorted(Object.fromEntries(FIELDS[feed].map((name) => [name, state[name] ?? null]))));
}

/** The same of those that events show. */
export function shownTextOf(feed: FeedName, state: Watched): string {
  return textOf(feed, { ...state, name: null, managerName: null });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}

const FIELDS: Readonly<Record<FeedName, readonly string[]>> = {
  timesheets: [
    ...['date', 'employeeId', 'departmentId', 'roleId', 'shiftId', 'organisationWorkedId'],
    ...['organisationPayRollId', 'startTime', 'finishTime', 'hoursToPay', 'casualJob', 'includesLeave'],
    ...['overnight', 'clockIn', 'clockOut', 'approvedHours', 'approvedPayroll', 'processed', 'details'],
  ],
  'pay-periods': ['calendar', 'startDate', 'finishDate', 'closed', 'payRollCompanyId', 'payRollProvider'],
  employees: ['departmentIds'],
  departments: ['name', 'managerId', 'managerName'],
};

/** The slice of a record: its date, or the whole list. */
export function sliceOf(feed: FeedName, raw: RawRecord): string {
  return feed === 'timesheets' ? String(raw.date) : 'all';
}

function watchedTimesheet(raw: RawRecord): Watched {
  const { department, role, shift, clockIn, clockOut, details, ...others } = raw;
  return {
    ...others,
    departmentId: idOf(department),
    roleId: idOf(role),
    shiftId: idOf(shift),
    clockIn: clockRecord(clockIn),
    clockOut: clockRecord(clockOut),
    details: [...(details as readonly RawRecord[])].sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1)),
  };
}

function watchedEmployee({ contractedHours }: RawRecord): Watched {
  const hours = contractedHours as readonly { readonly department: { readonly id: string } }[];
  return { departmentIds: [...new Set(hours.map(({ department }) => department.id))].sort() };
}

/** Only what has the form of an id may be shown: anything else may be a name. */
function watchedDepartment({ name, manager }: RawRecord): Watched {
  const isId = /^\d+_\d+$/.test(String(manager));
  return { name, managerId: isId ? manager : null, managerName: isId ? null : manager };
}

function idOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as RawRecord).id : null;
}

function clockRecord(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null;
  const { id, localTime, variance, kiosk, beacon } = value as RawRecord;
  return { id, localTime, variance, kiosk, beacon };
}
