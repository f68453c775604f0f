import * as z from 'zod';
import { type Door, isRecord, type Json, markMissing, type WatchedField } from './fields.ts';
import {
  hours,
  id,
  minutes,
  nothingToNull,
  partId,
  readClockStamp,
  readInstant,
  readReference,
  readReferenceId,
  readStamp,
  readValue,
  reference,
  stamp,
  text,
} from './values.ts';

/** Far above any real list, and far below what a bucket or an event can hold. */
const MAX_DETAILS = 200;

const moment = text.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/, 'not a date-time');

const missingSince = z.iso.datetime().nullable().optional();

/** A clock-in or clock-out (docs/source-api.md, Timesheets), without its override, which may name a person. */
const clockRecordSchema = z.strictObject({
  id: partId,
  /** Local time of the event; null when not recorded. */
  localTime: moment.nullable(),
  /** Minutes between scheduled and actual time. */
  variance: minutes,
  kiosk: z.boolean(),
  beacon: z.boolean(),
});

/** One activity segment. */
const detailSchema = z.strictObject({
  id: partId,
  activity: id.nullable(),
  alternateDepartment: id.nullable(),
  alternateOrganisation: id.nullable(),
  startTime: moment,
  finishTime: moment,
  /** Hours of the segment. */
  hours,
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
  hoursToPay: hours,
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
  /** Since when the clock-in is missing, once that was told; null in the event that ends it (`absences.ts`). */
  clockInMissing: missingSince,
  /** The same for the clock-out. */
  clockOutMissing: missingSince,
});
export type TimesheetState = z.output<typeof timesheetStateSchema>;

const CLOCK_MEMBERS = Object.keys(clockRecordSchema.shape);
const DETAIL_MEMBERS = Object.keys(detailSchema.shape);

/**
 * The watched fields in stored order. Append only: a row that was stored before a field was appended is a shorter list,
 * and values of the fields it lacks are added to it without an event (rule 8).
 */
export const TIMESHEET_FIELDS: readonly WatchedField<TimesheetState>[] = [
  { name: 'date', read: (record) => readValue(record.date) },
  { name: 'employeeId', read: (record) => readValue(record.employeeId) },
  { name: 'departmentId', read: (record) => readReferenceId(record.department) },
  { name: 'roleId', read: (record) => readReferenceId(record.role) },
  { name: 'shiftId', read: (record) => readReferenceId(record.shift) },
  { name: 'organisationWorkedId', read: (record) => nothingToNull(record.organisationWorkedId) },
  { name: 'organisationPayRollId', read: (record) => nothingToNull(record.organisationPayRollId) },
  { name: 'startTime', read: (record, door) => readInstant(record.startTime, door) },
  { name: 'finishTime', read: (record, door) => readInstant(record.finishTime, door) },
  { name: 'hoursToPay', read: (record) => readValue(record.hoursToPay) },
  { name: 'casualJob', read: (record) => readValue(record.casualJob) },
  { name: 'includesLeave', read: (record) => readValue(record.includesLeave) },
  { name: 'overnight', read: (record) => readValue(record.overnight) },
  {
    name: 'clockIn',
    read: (record, door) => readClockRecord(record.clockIn, door),
    members: CLOCK_MEMBERS,
  },
  {
    name: 'clockOut',
    read: (record, door) => readClockRecord(record.clockOut, door),
    members: CLOCK_MEMBERS,
  },
  { name: 'approvedHours', read: (record, door) => readStamp(record.approvedHours, door) },
  { name: 'approvedPayroll', read: (record) => readReference(record.approvedPayroll) },
  { name: 'processed', read: (record, door) => readStamp(record.processed, door) },
  {
    name: 'details',
    read: (record, door) => readDetails(record.details, door),
    members: DETAIL_MEMBERS,
    many: true,
  },
];

/** In the order of `clockRecordSchema`; null for one that is only filled with what means nothing. */
function readClockRecord(value: unknown, door: Door): Json {
  if (!isRecord(value)) return rejectList(nothingToNull(value));
  const { id, variance, kiosk, beacon } = value;
  const localTime = readClockStamp(value.localTime, door);
  // The minutes between a plan and no time mean nothing either.
  const isUnset =
    isUnsetFlag(kiosk) && isUnsetFlag(beacon) && (variance === null || typeof variance === 'number');
  if (nothingToNull(id) === null && localTime === null && isUnset) return null;
  return [readValue(id), localTime, readValue(variance), readValue(kiosk), readValue(beacon)].map(
    markMissing,
  );
}

function isUnsetFlag(value: unknown): boolean {
  return value === false || value === null;
}

/** Sorted by id: the source promises no order. */
function readDetails(value: unknown, door: Door): Json {
  if (!Array.isArray(value)) return readValue(value);
  const details = value.map((detail) => markMissing(readDetail(detail, door)));
  return details.length < 2 ? details : details.sort(compareById);
}

/** In the order of `detailSchema`. */
function readDetail(value: unknown, door: Door): Json {
  if (!isRecord(value)) return rejectList(readValue(value));
  return [
    markMissing(readValue(value.id)),
    markMissing(nothingToNull(value.activity)),
    markMissing(nothingToNull(value.alternateDepartment)),
    markMissing(nothingToNull(value.alternateOrganisation)),
    markMissing(readInstant(value.startTime, door)),
    markMissing(readInstant(value.finishTime, door)),
    markMissing(readValue(value.hours)),
    markMissing(readValue(value.mealBreak)),
    markMissing(readValue(value.restBreak)),
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
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1;
}
