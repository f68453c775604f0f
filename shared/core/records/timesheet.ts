import * as z from 'zod';
import {
  asIs,
  idOfReference,
  isRecord,
  type Json,
  orMissing,
  unsetAsNull,
  type WatchedField,
} from './fields.ts';
import { canonicalJson } from './notation.ts';

/**
 * Longest text and list that are believed to be a value: far above anything real, and far below what a leaf or an
 * event can hold.
 */
const MOST_CHARACTERS = 200;
const MOST_DETAILS = 200;

const text = z.string().max(MOST_CHARACTERS);
const id = text.min(1);
const moment = text.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/, 'not a date-time');
const stamp = text.min(1).nullable();

/** A clock-in or clock-out, without who overrode it (section 2.4; overrides may name a person). */
const clockRecordSchema = z.strictObject({
  id,
  /** Local time of the event as the source gives it, or null when not recorded. */
  localTime: moment.nullable(),
  /** Minutes between scheduled and actual time. */
  variance: z.number(),
  kiosk: z.boolean(),
  beacon: z.boolean(),
});

/** One activity segment (section 2.5). */
const detailSchema = z.strictObject({
  id,
  activity: id.nullable(),
  alternateDepartment: id.nullable(),
  alternateOrganisation: id.nullable(),
  startTime: moment,
  finishTime: moment,
  /** Hours of the segment. */
  hours: z.number(),
  mealBreak: z.boolean(),
  restBreak: z.boolean(),
});

/** What we watch of a timesheet (section 2.3), as it stands in `current` and `previous` of its events. */
export const timesheetStateSchema = z.strictObject({
  date: z.iso.date(),
  employeeId: id,
  departmentId: id.nullable(),
  roleId: id.nullable(),
  shiftId: id.nullable(),
  organisationWorkedId: id.nullable(),
  organisationPayRollId: id.nullable(),
  startTime: moment.nullable(),
  finishTime: moment.nullable(),
  /** Payable hours. */
  hoursToPay: z.number(),
  casualJob: z.boolean(),
  includesLeave: z.boolean(),
  overnight: z.boolean(),
  clockIn: clockRecordSchema.nullable(),
  clockOut: clockRecordSchema.nullable(),
  /** Timestamp of the approval, in spite of its name. */
  approvedHours: stamp,
  /** Reference of the payroll approval. */
  approvedPayroll: stamp,
  /** When it was processed for payroll. */
  processed: stamp,
  details: z.array(detailSchema).max(MOST_DETAILS),
});
export type TimesheetState = z.output<typeof timesheetStateSchema>;

const CLOCK_MEMBERS = Object.keys(clockRecordSchema.shape);
const DETAIL_MEMBERS = Object.keys(detailSchema.shape);

/**
 * The watched fields in stored order (design, section 9). Append only: a stored row of an older version is a
 * shorter list, and the fields it lacks are taken over silently.
 */
export const TIMESHEET_FIELDS: readonly WatchedField<TimesheetState>[] = [
  { name: 'date', read: (record) => asIs(record.date) },
  { name: 'employeeId', read: (record) => asIs(record.employeeId) },
  { name: 'departmentId', read: (record) => idOfReference(record.department) },
  { name: 'roleId', read: (record) => idOfReference(record.role) },
  { name: 'shiftId', read: (record) => idOfReference(record.shift) },
  { name: 'organisationWorkedId', read: (record) => unsetAsNull(record.organisationWorkedId) },
  { name: 'organisationPayRollId', read: (record) => unsetAsNull(record.organisationPayRollId) },
  { name: 'startTime', read: (record) => unsetAsNull(record.startTime) },
  { name: 'finishTime', read: (record) => unsetAsNull(record.finishTime) },
  { name: 'hoursToPay', read: (record) => asIs(record.hoursToPay) },
  { name: 'casualJob', read: (record) => asIs(record.casualJob) },
  { name: 'includesLeave', read: (record) => asIs(record.includesLeave) },
  { name: 'overnight', read: (record) => asIs(record.overnight) },
  { name: 'clockIn', read: (record) => readClockRecord(record.clockIn), members: CLOCK_MEMBERS },
  { name: 'clockOut', read: (record) => readClockRecord(record.clockOut), members: CLOCK_MEMBERS },
  { name: 'approvedHours', read: (record) => unsetAsNull(record.approvedHours) },
  { name: 'approvedPayroll', read: (record) => unsetAsNull(record.approvedPayroll) },
  { name: 'processed', read: (record) => unsetAsNull(record.processed) },
  { name: 'details', read: (record) => readDetails(record.details), members: DETAIL_MEMBERS, many: true },
];

/** In the order of `clockRecordSchema`. */
function readClockRecord(value: unknown): Json {
  if (!isRecord(value)) return noList(unsetAsNull(value));
  const { id, localTime, variance, kiosk, beacon } = value;
  return [
    orMissing(asIs(id)),
    orMissing(unsetAsNull(localTime)),
    orMissing(asIs(variance)),
    orMissing(asIs(kiosk)),
    orMissing(asIs(beacon)),
  ];
}

/** In the order of their ids: the source promises no order. */
function readDetails(value: unknown): Json {
  if (!Array.isArray(value)) return asIs(value);
  const details = value.map((detail) => orMissing(readDetail(detail)));
  return details.length < 2 ? details : details.sort(byId);
}

/** In the order of `detailSchema`. */
function readDetail(value: unknown): Json {
  if (!isRecord(value)) return noList(asIs(value));
  return [
    orMissing(asIs(value.id)),
    orMissing(unsetAsNull(value.activity)),
    orMissing(unsetAsNull(value.alternateDepartment)),
    orMissing(unsetAsNull(value.alternateOrganisation)),
    orMissing(asIs(value.startTime)),
    orMissing(asIs(value.finishTime)),
    orMissing(asIs(value.hours)),
    orMissing(asIs(value.mealBreak)),
    orMissing(asIs(value.restBreak)),
  ];
}

/** A list where a composite should be must not be taken for a stored one. */
function noList(value: Json): Json {
  return Array.isArray(value) ? undefined : value;
}

/** Details that share an id stand in the order of their contents. */
function byId(left: Json, right: Json): number {
  const [a = '', b = ''] = [left, right].map((detail) => (Array.isArray(detail) ? String(detail[0]) : ''));
  if (a !== b) return a < b ? -1 : 1;
  return canonicalJson(JSON.stringify(left)) < canonicalJson(JSON.stringify(right)) ? -1 : 1;
}
