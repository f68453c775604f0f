import { ABSENCE_FIELDS } from '../../core/records/absences.ts';
import type { TimesheetState } from '../../core/records/timesheet.ts';
import { nameOf, type Reader } from '../reader.ts';
import { cleanText } from './clean-text.ts';
import type { FieldChanges, FieldsInWords, FieldWords } from './field-changes.ts';
import { formatDay, formatStamp, type MessageTimeContext } from './moments.ts';
import { formatHours } from './numbers.ts';
import { listAll } from './wording.ts';

/** They have words of their own: what happened, and what changed within the segments of work. */
type SaidOtherwise =
  | 'clockIn'
  | 'clockOut'
  | 'approvedHours'
  | 'approvedPayroll'
  | 'processed'
  | 'details'
  | (typeof ABSENCE_FIELDS)[number];

/** What each watched field is called. */
const LABELS = {
  date: 'date',
  employeeId: 'employee',
  departmentId: 'department',
  roleId: 'role',
  shiftId: 'shift',
  organisationWorkedId: 'organisation',
  organisationPayRollId: 'payroll organisation',
  startTime: 'start',
  finishTime: 'finish',
  hoursToPay: 'hours',
  casualJob: 'casual job',
  includesLeave: 'includes leave',
  overnight: 'overnight',
} as const satisfies Record<Exclude<keyof TimesheetState, SaidOtherwise>, string>;

/** Words for each watched field of a timesheet. `onItsDay`: leaves out the day of the timesheet. */
export function createFieldWords(
  changes: FieldChanges,
  { names }: Pick<Reader, 'names'>,
  onItsDay: MessageTimeContext,
): FieldsInWords {
  const text = (format: (value: string) => string) => (value: unknown) =>
    typeof value === 'string' ? format(value) : null;
  const named = (known: ReadonlyMap<string, string>) => text((id) => nameOf(known, id));
  const moment = text((value) => formatStamp(value, onItsDay));
  const yesOrNo = (value: unknown) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : null);
  const values: Readonly<Record<keyof typeof LABELS, FieldWords['valueText']>> = {
    date: text((date) => formatDay(date, onItsDay)),
    employeeId: named(names.employees),
    departmentId: named(names.departments),
    roleId: text(cleanText),
    shiftId: text(cleanText),
    organisationWorkedId: text(cleanText),
    organisationPayRollId: text(cleanText),
    startTime: moment,
    finishTime: moment,
    hoursToPay: (value) => (typeof value === 'number' ? formatHours(value) : null),
    casualJob: yesOrNo,
    includesLeave: yesOrNo,
    overnight: yesOrNo,
  };
  const isKnown = (field: string): field is keyof typeof LABELS => Object.hasOwn(values, field);
  return (field) => {
    if (field === 'details') return describeDetails(changes);
    // What else changed ended it.
    if (ABSENCE_FIELDS.some((missing) => missing === field)) return null;
    return isKnown(field) ? { label: LABELS[field], valueText: values[field] } : undefined;
  };
}

/** Members of a segment of work, by what a change in them is called. */
const DETAILS: Readonly<Record<string, readonly string[]>> = {
  breaks: ['mealBreak', 'restBreak'],
  activities: ['activity'],
  times: ['startTime', 'finishTime'],
  places: ['alternateDepartment', 'alternateOrganisation'],
  'hours by activity': ['hours'],
};
/** Fields of the timesheet whose own change says what became of these members. */
const SAID_BY: Readonly<Record<string, readonly string[]>> = {
  times: ['startTime', 'finishTime'],
  'hours by activity': ['hoursToPay'],
};

type Segment = Readonly<Record<string, unknown>>;

/** Says what changed about the segments of work; null where fields of the timesheet say it. */
function describeDetails({ previous, current, changed }: FieldChanges): FieldWords | null {
  const [before, after] = [readSegments(previous?.details), readSegments(current?.details)];
  const valueText = () => null;
  const unspecified = { label: 'breaks and activities', valueText };
  if (before === null || after === null || before.length !== after.length) return unspecified;
  const all = Object.entries(DETAILS).flatMap(([name, members]) =>
    isSameIn(before, after, members) ? [] : [name],
  );
  if (all.length === 0) return unspecified;
  const left = all.filter((name) => SAID_BY[name]?.some((field) => changed.includes(field)) !== true);
  return left.length === 0 ? null : { label: listAll(left), valueText };
}

function readSegments(value: unknown): readonly Segment[] | null {
  return Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null)
    ? value
    : null;
}

function isSameIn(
  before: readonly Segment[],
  after: readonly Segment[],
  members: readonly string[],
): boolean {
  const [left, right] = [before, after].map((segments) =>
    JSON.stringify(segments.map((segment) => members.map((member) => segment[member]))),
  );
  return left === right;
}
