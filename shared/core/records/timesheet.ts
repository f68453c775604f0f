import * as z from 'zod';
import {
  castJson,
  emptyToNull,
  isRecord,
  type Json,
  markMissing,
  readReferenceId,
  type WatchedField,
} from './fields.ts';
import { canonicalizeJson } from './notation.ts';
import { id, readNote, reference, stamp, text } from './texts.ts';

/** Far above any real list, and far below what a leaf or an event can hold. */
const MAX_DETAILS = 200;

const moment = text.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/, 'not a date-time');
const missingSince = z.iso.datetime().nullable().optional();

/** A clock-in or clock-out (docs/source-api.md, Timesheets), without its override, which may name a person. */
const clockRecordSchema = z.strictObject({
  id,
  /** Local time of the event as the source wrote it; null when not recorded. */
  localTime: moment.nullable(),
  /** Minutes between scheduled and actual time. */
  variance: z.number(),
  kiosk: z.boolean(),
  beacon: z.boolean(),
});

/** One activity segment. */
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

/**
 * The watched fields of a timesheet (docs/source-api.md, Timesheets), in the form that `current` and `previous` of its
 * events have.
 */
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
  /** Timestamp of the approval, despite its name. */
  approvedHours: stamp,
  /** Reference of the payroll approval. */
  approvedPayroll: reference,
  /** When it was processed for payroll. */
  processed: stamp,
  details: z.array(detailSchema).max(MAX_DETAILS),
  /** Since when the clock-in counts as missing; only with the setting `absences` of a connection. */
  clockInMissing: missingSince,
  /** The same for the clock-out. */
  clockOutMissing: missingSince,
});
export type TimesheetState = z.output<typeof timesheetStateSchema>;

const CLOCK_MEMBERS = Object.keys(clockRecordSchema.shape);
const DETAIL_MEMBERS = Object.keys(detailSchema.shape);

/**
 * The watched fields in stored order. Append only: a row that was stored before a field was appended is a shorter list,
 * and values of the fields it lacks are added to it without an event (rule 8). The same holds for the members of a clock record and of a
 * detail; a new one is optional in its schema, because `previous` of an event may be older than it. Derived fields are
 * null in rows that go on after them.
 */
export const TIMESHEET_FIELDS: readonly WatchedField<TimesheetState>[] = [
  { name: 'date', read: (record) => castJson(record.date) },
  { name: 'employeeId', read: (record) => castJson(record.employeeId) },
  { name: 'departmentId', read: (record) => readReferenceId(record.department) },
  { name: 'roleId', read: (record) => readReferenceId(record.role) },
  { name: 'shiftId', read: (record) => readReferenceId(record.shift) },
  { name: 'organisationWorkedId', read: (record) => emptyToNull(record.organisationWorkedId) },
  { name: 'organisationPayRollId', read: (record) => emptyToNull(record.organisationPayRollId) },
  { name: 'startTime', read: (record) => emptyToNull(record.startTime) },
  { name: 'finishTime', read: (record) => emptyToNull(record.finishTime) },
  { name: 'hoursToPay', read: (record) => castJson(record.hoursToPay) },
  { name: 'casualJob', read: (record) => castJson(record.casualJob) },
  { name: 'includesLeave', read: (record) => castJson(record.includesLeave) },
  { name: 'overnight', read: (record) => castJson(record.overnight) },
  { name: 'clockIn', read: (record) => readClockRecord(record.clockIn), members: CLOCK_MEMBERS },
  { name: 'clockOut', read: (record) => readClockRecord(record.clockOut), members: CLOCK_MEMBERS },
  { name: 'approvedHours', read: (record) => emptyToNull(record.approvedHours) },
  { name: 'approvedPayroll', read: (record) => readNote(record.approvedPayroll) },
  { name: 'processed', read: (record) => emptyToNull(record.processed) },
  { name: 'details', read: (record) => readDetails(record.details), members: DETAIL_MEMBERS, many: true },
  { name: 'clockInMissing', read: () => null, derived: true },
  { name: 'clockOutMissing', read: () => null, derived: true },
];

/** In the order of `clockRecordSchema`. */
function readClockRecord(value: unknown): Json {
  if (!isRecord(value)) return rejectList(emptyToNull(value));
  const { id, localTime, variance, kiosk, beacon } = value;
  return [
    markMissing(castJson(id)),
    markMissing(emptyToNull(localTime)),
    markMissing(castJson(variance)),
    markMissing(castJson(kiosk)),
    markMissing(castJson(beacon)),
  ];
}

/** Sorted by id: the source promises no order. */
function readDetails(value: unknown): Json {
  if (!Array.isArray(value)) return castJson(value);
  const details = value.map((detail) => markMissing(readDetail(detail)));
  return details.length < 2 ? details : details.sort(compareById);
}

/** In the order of `detailSchema`. */
function readDetail(value: unknown): Json {
  if (!isRecord(value)) return rejectList(castJson(value));
  return [
    markMissing(castJson(value.id)),
    markMissing(emptyToNull(value.activity)),
    markMissing(emptyToNull(value.alternateDepartment)),
    markMissing(emptyToNull(value.alternateOrganisation)),
    markMissing(castJson(value.startTime)),
    markMissing(castJson(value.finishTime)),
    markMissing(castJson(value.hours)),
    markMissing(castJson(value.mealBreak)),
    markMissing(castJson(value.restBreak)),
  ];
}

/** A list in place of a composite is invalid; kept, it could pass for a stored composite. */
function rejectList(value: Json): Json {
  return Array.isArray(value) ? undefined : value;
}

/** Details with the same id are sorted by their contents. */
function compareById(left: Json, right: Json): number {
  const [a = '', b = ''] = [left, right].map((detail) => (Array.isArray(detail) ? String(detail[0]) : ''));
  if (a !== b) return a < b ? -1 : 1;
  return canonicalizeJson(JSON.stringify(left)) < canonicalizeJson(JSON.stringify(right)) ? -1 : 1;
}
