import { hash } from 'node:crypto';
import type * as z from 'zod';
import { isDate } from '../dates.ts';
import type { RecordEventType } from '../event-types.ts';
import type { FeedName } from '../feeds.ts';
import {
  DEPARTMENT_FIELDS,
  departmentStateSchema,
  EMPLOYEE_FIELDS,
  employeeStateSchema,
} from './directory.ts';
import {
  type Door,
  type Json,
  markMissing,
  nameMembers,
  type SourceRecord,
  type State,
  type WatchedField,
} from './fields.ts';
import {
  findImpossible,
  PAY_PERIOD_FIELDS,
  type PayPeriodState,
  payPeriodStateSchema,
} from './pay-period.ts';
import { TIMESHEET_FIELDS, timesheetStateSchema } from './timesheet.ts';
import { isOutsideTime } from './values.ts';
import { makeJsonWellFormed } from './well-formed.ts';

/** Watched values in the stored order of the feed's fields; shorter when fields were appended since. */
export type StateRow = readonly Json[];

/**
 * A field that says whether something has happened to a record: null until it did, a value after. `corrected` is the
 * event of a new value over an old one; without it, the forward event is published again.
 */
export interface Fact {
  readonly field: string;
  readonly forward: RecordEventType;
  /** Absent where what ends it is told by the event of another field. */
  readonly reversal?: RecordEventType;
  readonly corrected?: RecordEventType;
  /** Where the value holds the time of the fact; absent when the source does not say when. */
  readonly occurredAt?: 'value' | 'localTime';
}

/** All that differs between the feeds, so that one flow serves both. */
export interface FeedDefinition {
  readonly name: FeedName;
  readonly fields: readonly WatchedField<never>[];
  readonly schema: z.ZodType;
  /** In the order of a record's life. */
  readonly facts: readonly Fact[];
  /** Facts that time alone makes: in a state once they were told. Absent for none. */
  readonly derived?: readonly Fact[];
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
  /** The slice of a record, or null when it does not say. Works on unchecked records. */
  sliceOf(record: SourceRecord): string | null;
  /** The member beside the watched fields that makes a record bad; null for none. */
  readonly findIssue?: (record: SourceRecord) => string | null;
}

/**
 * Characters of a row as JSON, far above any real row. A bucket of such rows still fits a table item, and an event with
 * two of them a message.
 */
const MAX_ROW_CHARACTERS = 16_000;
/** First value of a text that stands for a record that cannot be read: then the member that makes it so. */
const REFUSED = '#refused';

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
  ],
  derived: [
    { field: 'clockInMissing', forward: 'timesheet.clock_in_missing', occurredAt: 'value' },
    { field: 'clockOutMissing', forward: 'timesheet.clock_out_missing', occurredAt: 'value' },
  ],
  created: 'timesheet.created',
  changed: 'timesheet.changed',
  removed: 'timesheet.removed',
  settledBy: 'processed',
  onlyWhenChanged: ['details'],
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
  findIssue: findImpossible,
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

/**
 * The watched values of an unchecked record, as the canonical JSON that is stored, compared and digested: values in
 * stored order, texts well-formed. A value that is nested too deeply to be written counts as missing, so that its record
 * alone is bad (rule 9). Of a record beyond any real one only a hash is kept.
 */
export function readRecordText(definition: FeedDefinition, record: SourceRecord, door: Door): string {
  const issue = definition.findIssue?.(record) ?? null;
  if (issue !== null) return refuseRecord(issue);
  const json = makeJsonWellFormed(writeValues(definition, record, door));
  return json.length > MAX_ROW_CHARACTERS ? JSON.stringify([REFUSED, 'size', hash('sha256', json)]) : json;
}

/** What stands for a record that cannot be taken. `issue`: the member that makes it so. */
export function refuseRecord(issue: string): string {
  return JSON.stringify([REFUSED, issue]);
}

function writeValues({ fields }: FeedDefinition, record: SourceRecord, door: Door): string {
  try {
    return JSON.stringify(fields.map((field) => markMissing(field.read(record, door))));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify(fields.map((field) => markMissing(readShallow(field, record, door))));
  }
}

/** Undefined for a value that overflows the stack. */
function readShallow(field: WatchedField<never>, record: SourceRecord, door: Door): Json {
  try {
    const value = field.read(record, door);
    JSON.stringify(value);
    return value;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The values of a text of `readRecordText`. */
export function parseRow(text: string): StateRow {
  return JSON.parse(text) as StateRow;
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

/** A pay period as its row is stored; null where that is not valid, or older than a field that was appended. */
export function readStoredPeriod(row: StateRow): PayPeriodState | null {
  return payPeriodStateSchema.safeParse(toState(PAY_PERIODS, row)).data ?? null;
}

/** The stamp of the closing that a row of a pay period has; null while it is open. */
export function readStoredClosing(row: StateRow): Json {
  return toState(PAY_PERIODS, row).closed ?? null;
}

/** `issues`: paths of the invalid members, never their values. */
export type CheckedRow =
  | { readonly outcome: 'good' }
  | { readonly outcome: 'bad'; readonly issues: readonly string[] };

/** Checks the watched values of one record (rule 9). */
export function checkRow(definition: FeedDefinition, row: StateRow): CheckedRow {
  if (row[0] === REFUSED) return { outcome: 'bad', issues: [String(row[1])] };
  const checked = definition.schema.safeParse(toState(definition, row));
  if (checked.success) return { outcome: 'good' };
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
