import type * as z from 'zod';
import { isDate } from '../dates.ts';
import type { RecordEventType } from '../event-types.ts';
import type { FeedName } from '../feeds.ts';
import { ABSENCE_FIELDS, type AbsenceRules, judgeAbsences } from './absences.ts';
import {
  DEPARTMENT_FIELDS,
  departmentStateSchema,
  EMPLOYEE_FIELDS,
  employeeStateSchema,
} from './directory.ts';
import {
  type Json,
  markMissing,
  nameMembers,
  type ReadStamp,
  type SourceRecord,
  type WatchedField,
} from './fields.ts';
import { makeJsonWellFormed } from './notation.ts';
import {
  findImpossibleTotal,
  PAY_PERIOD_FIELDS,
  type PayPeriodHint,
  type PayPeriodState,
  payPeriodStateSchema,
  readPayPeriodHint,
} from './pay-period.ts';
import { TIMESHEET_FIELDS, type TimesheetState, timesheetStateSchema } from './timesheet.ts';
import { isOutsideTime, readInstant, stampsUntil } from './values.ts';

/** Watched values in the stored order of the feed's fields; shorter when fields were appended since. */
export type StateRow = readonly Json[];
/** Watched values by name. */
export type State = Readonly<Record<string, Json>>;

/**
 * A field that says whether something has happened to a record: null until it did, a value after. `corrected` is the
 * event of a new value over an old one; without it, the forward event is published again.
 */
export interface Fact {
  readonly field: string;
  readonly forward: RecordEventType;
  /** Absent for a derived fact: what ends it is told by the event of another field. */
  readonly reversal?: RecordEventType;
  readonly corrected?: RecordEventType;
  /** Where the value holds the time of the fact; absent when the source does not say when. */
  readonly occurredAt?: 'value' | 'localTime';
  /** Judged with the time, not read from the record: its steps follow from the others, or from none. */
  readonly derived?: true;
}

/** All that differs between the feeds, so that one flow serves both. */
export interface FeedDefinition {
  readonly name: FeedName;
  readonly fields: readonly WatchedField<never>[];
  readonly schema: z.ZodType;
  /** In the order of a record's life. */
  readonly facts: readonly Fact[];
  /** What the data of an event calls the id of a record. */
  readonly idMember: string;
  readonly created: RecordEventType;
  readonly changed: RecordEventType;
  /** Fields whose change is an event of a type of its own. */
  readonly changedBy?: Readonly<Record<string, RecordEventType>>;
  readonly removed: RecordEventType;
  /** The fact that settles a record: a slice with records on which it is null is polled often. Null: no record is awaited. */
  readonly settledBy: string | null;
  /** Fields that `current` holds only when they changed: long, and of interest to few. */
  readonly onlyWhenChanged: readonly string[];
  /** Fills in the derived fields of an unchecked row; absent when the feed has none. */
  readonly judge?: (row: StateRow, look: RecordLook) => readonly Json[];
  /** The slice of a record, or null when it does not say. Works on unchecked records. */
  sliceOf(record: SourceRecord): string | null;
  /** The member beside the watched fields that makes a record bad; null for none. */
  readonly findIssue?: (record: SourceRecord) => string | null;
}

/** The only slice of a feed that the source returns as one list. */
export const WHOLE_LIST = 'all';

const TIMESHEETS: FeedDefinition = {
  name: 'timesheets',
  idMember: 'timesheetId',
  fields: TIMESHEET_FIELDS,
  schema: timesheetStateSchema,
  facts: [
    {
      field: 'clockIn',
      forward: 'timesheet.clocked_in',
      reversal: 'timesheet.clock_in_removed',
      corrected: 'timesheet.clock_in_corrected',
      occurredAt: 'localTime',
    },
    {
      field: 'clockOut',
      forward: 'timesheet.clocked_out',
      reversal: 'timesheet.clock_out_removed',
      corrected: 'timesheet.clock_out_corrected',
      occurredAt: 'localTime',
    },
    {
      field: 'approvedHours',
      forward: 'timesheet.approved',
      reversal: 'timesheet.approval_revoked',
      occurredAt: 'value',
    },
    {
      field: 'approvedPayroll',
      forward: 'timesheet.payroll_approved',
      reversal: 'timesheet.payroll_approval_revoked',
    },
    {
      field: 'processed',
      forward: 'timesheet.processed',
      reversal: 'timesheet.processing_reverted',
      occurredAt: 'value',
    },
    {
      field: 'clockInMissing',
      forward: 'timesheet.clock_in_missing',
      occurredAt: 'value',
      derived: true,
    },
    {
      field: 'clockOutMissing',
      forward: 'timesheet.clock_out_missing',
      occurredAt: 'value',
      derived: true,
    },
  ],
  created: 'timesheet.created',
  changed: 'timesheet.changed',
  removed: 'timesheet.removed',
  settledBy: 'processed',
  onlyWhenChanged: ['details'],
  judge: judgeTimesheet,
  sliceOf: ({ date }) => (typeof date === 'string' && isDate(date) && !isOutsideTime(date) ? date : null),
};

const PAY_PERIODS: FeedDefinition = {
  name: 'pay-periods',
  idMember: 'payPeriodId',
  fields: PAY_PERIOD_FIELDS,
  schema: payPeriodStateSchema,
  facts: [
    {
      field: 'closed',
      forward: 'pay_period.closed',
      reversal: 'pay_period.reopened',
      occurredAt: 'value',
    },
  ],
  created: 'pay_period.created',
  changed: 'pay_period.changed',
  removed: 'pay_period.removed',
  settledBy: 'closed',
  onlyWhenChanged: [],
  sliceOf: () => WHOLE_LIST,
  findIssue: findImpossibleTotal,
};

/** A list that comes whole, of records that nothing is awaited of. */
const OF_DIRECTORY = {
  facts: [],
  settledBy: null,
  onlyWhenChanged: [],
  sliceOf: () => WHOLE_LIST,
} satisfies Partial<FeedDefinition>;

const EMPLOYEES: FeedDefinition = {
  ...OF_DIRECTORY,
  name: 'employees',
  idMember: 'employeeId',
  fields: EMPLOYEE_FIELDS,
  schema: employeeStateSchema,
  created: 'employee.joined',
  changed: 'employee.moved',
  removed: 'employee.left',
};

const DEPARTMENTS: FeedDefinition = {
  ...OF_DIRECTORY,
  name: 'departments',
  idMember: 'departmentId',
  fields: DEPARTMENT_FIELDS,
  schema: departmentStateSchema,
  created: 'department.added',
  changed: 'department.renamed',
  changedBy: {
    managerId: 'department.manager_changed',
    managerName: 'department.manager_changed',
  },
  removed: 'department.removed',
};

export function feedDefinition(name: FeedName): FeedDefinition {
  switch (name) {
    case 'timesheets':
      return TIMESHEETS;
    case 'pay-periods':
      return PAY_PERIODS;
    case 'employees':
      return EMPLOYEES;
    case 'departments':
      return DEPARTMENTS;
  }
}

/** The watched values of an unchecked record, in stored order, its texts well-formed. */
export function readRow(definition: FeedDefinition, record: SourceRecord, look?: RecordLook): StateRow {
  const { values, json } = readValues(definition, record, look);
  const rowText = makeJsonWellFormed(json);
  return rowText === json ? values : (JSON.parse(rowText) as StateRow);
}

/** The watched values of an unchecked record, as the source wrote them. */
export interface ReadValues {
  readonly values: StateRow;
  readonly json: string;
}

/**
 * Without a look nothing is judged by the time: the values are those that the record itself holds. A value that is
 * nested too deeply to be written counts as missing, so that its record alone is bad (rule 9).
 */
export function readValues(definition: FeedDefinition, record: SourceRecord, look?: RecordLook): ReadValues {
  try {
    return readAll(definition, (field, readStamp) => field.read(record, readStamp), look);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return readAll(definition, (field, readStamp) => readShallow(field, record, readStamp), look);
  }
}

type ReadField = (field: FeedDefinition['fields'][number], readStamp: ReadStamp) => Json;

function readAll(definition: FeedDefinition, readField: ReadField, look?: RecordLook): ReadValues {
  const read: Json[] = [];
  const readStamp = look === undefined ? readInstant : stampsUntil(look.at);
  for (const field of definition.fields) read.push(markMissing(readField(field, readStamp)));
  const judged = look?.absences == null ? null : (definition.judge?.(read, look) ?? null);
  const values = trimDerived(definition, judged ?? read);
  return { values, json: JSON.stringify(values) };
}

/** Undefined for a value that overflows the stack. */
function readShallow(field: Parameters<ReadField>[0], record: SourceRecord, readStamp: ReadStamp): Json {
  try {
    const value = field.read(record, readStamp);
    JSON.stringify(value);
    return value;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A row ends before derived fields without a value, so that its digest is the one of a connection without them. */
function trimDerived({ fields }: FeedDefinition, row: StateRow): StateRow {
  let { length } = row;
  while (length > 0 && fields[length - 1]?.derived === true && row[length - 1] === null) length -= 1;
  return length === row.length ? row : row.slice(0, length);
}

/** The row without what time alone made of it. */
export function withoutDerived(definition: FeedDefinition, row: StateRow): StateRow {
  const { fields } = definition;
  return trimDerived(
    definition,
    row.map((value, place) => (fields[place]?.derived === true ? null : value)),
  );
}

/** Watched values by name, without the fields that were appended after the row was stored. */
export function toState(definition: FeedDefinition, row: StateRow): State {
  const state: Record<string, Json> = {};
  definition.fields.forEach((field, index) => {
    if (index < row.length) state[field.name] = nameMembers(field, row[index]);
  });
  return state;
}

/** What of a state may be shown. */
export function showState({ fields }: FeedDefinition, state: State): State {
  const shown: Record<string, Json> = { ...state };
  for (const field of fields) if (field.hidden === true) delete shown[field.name];
  return shown;
}

/** The date of a timesheet as its row is stored. */
export function readStoredDate(row: StateRow): string {
  return String(row[PLACES.date]);
}

/** A pay period as its row is stored; null where that is not valid, or older than a field that was appended. */
export function readStoredPeriod(row: StateRow): PayPeriodState | null {
  return payPeriodStateSchema.safeParse(toState(PAY_PERIODS, row)).data ?? null;
}

/** A pay period as a record of its list, requested at this instant, shows it; null where that is bad. */
export function readListedPeriod(id: string, record: SourceRecord, at: number): PayPeriodHint | null {
  const row = readRow(PAY_PERIODS, record, { absences: null, at });
  const period = toState(PAY_PERIODS, row) as PayPeriodState;
  return checkRow(PAY_PERIODS, row).outcome === 'bad' ? null : readPayPeriodHint(id, period, record);
}

/** The stamp of the closing that a row of a pay period has; null while it is open. */
export function readStoredClosing(row: StateRow): Json {
  return toState(PAY_PERIODS, row).closed ?? null;
}

/** `issues`: paths of the invalid members, never their values. */
export type CheckedRow =
  | { readonly outcome: 'good' }
  | { readonly outcome: 'bad'; readonly issues: readonly string[] };

/**
 * Characters of a row as JSON, far above any real row. A leaf of such rows still fits a table item, and an event with
 * two of them a message.
 */
const MAX_ROW_CHARACTERS = 16_000;

/** Checks the watched values of one record (rule 9). */
export function checkRow(definition: FeedDefinition, row: StateRow): CheckedRow {
  const checked = definition.schema.safeParse(toState(definition, row));
  if (checked.success) {
    const tooLarge = JSON.stringify(row).length > MAX_ROW_CHARACTERS;
    return tooLarge ? { outcome: 'bad', issues: ['size'] } : { outcome: 'good' };
  }
  return { outcome: 'bad', issues: [...new Set(checked.error.issues.map(pathOf))] };
}

function pathOf(issue: z.core.$ZodIssue): string {
  return issue.path.length === 0 ? issue.code : issue.path.map(String).join('.');
}

/** Whether a record in this state has its settling fact, so that no further change is expected. */
export function isSettled(definition: FeedDefinition, row: StateRow): boolean {
  if (definition.settledBy === null) return true;
  const index = definition.fields.findIndex(({ name }) => name === definition.settledBy);
  return row[index] !== null && row[index] !== undefined;
}

/** When a record was requested, and the rules for missing clockings; null where a connection has none. */
interface RecordLook {
  readonly absences: AbsenceRules | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const PLACES = Object.fromEntries(TIMESHEET_FIELDS.map(({ name }, place) => [name, place])) as Readonly<
  Record<keyof TimesheetState, number>
>;
/** Once a person has approved or processed a timesheet, no clocking is waited for. */
const ENDS_WAITING = ['approvedHours', 'approvedPayroll', 'processed'] as const;

/** Fills in the missing clockings of an unchecked timesheet. */
function judgeTimesheet(row: readonly Json[], { absences, at }: RecordLook): readonly Json[] {
  if (absences === null) return row;
  const read = (name: keyof TimesheetState) => row[PLACES[name]];
  const planned = {
    startTime: read('startTime'),
    finishTime: read('finishTime'),
    clockIn: read('clockIn'),
    clockOut: read('clockOut'),
    includesLeave: read('includesLeave'),
    settled: ENDS_WAITING.map(read),
  };
  const values = judgeAbsences(planned, absences, at);
  const judged = [...row];
  for (const field of ABSENCE_FIELDS) judged[PLACES[field]] = values[field];
  return judged;
}
