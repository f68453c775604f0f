import { ABSENCE_FIELDS } from '../../core/records/absences.ts';
import { cleanText } from './clean-text.ts';
import type { FieldChanges, FieldsInWords, FieldWords } from './field-changes.ts';
import { formatDay, formatStamp, type MessageTimeContext } from './moments.ts';
import { formatHours } from './numbers.ts';
import type { Audience } from './record-events.ts';
import { listAll } from './wording.ts';

/** The name where it is known, otherwise the id, after such as `department `. */
export function nameOf(names: ReadonlyMap<string, string>, id: string, kind = ''): string {
  return cleanText(names.get(id) ?? '') || `${kind}${cleanText(id)}`;
}

/** The same at the beginning of a line, and of a record that may be none. */
export function callRecord(
  id: string | null,
  kind: 'Department' | 'Employee',
  names: ReadonlyMap<string, string>,
): string {
  return id === null ? `No ${kind.toLowerCase()}` : nameOf(names, id, `${kind} `);
}

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
} as const;

export interface FieldContext {
  readonly audience: Audience;
  /** Leaves out the day of the timesheet. */
  readonly onItsDay: MessageTimeContext;
}

/** Words for each watched field of a timesheet. */
export function createFieldWords(
  changes: FieldChanges,
  { audience: { names }, onItsDay }: FieldContext,
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
  return {
    wordsOf: (field) => {
      if (field === 'details') return describeDetails(changes);
      // What else changed ended it.
      if (ABSENCE_FIELDS.some((missing) => missing === field))
        return { label: '', valueText: () => null, implied: true };
      return isKnown(field) ? { label: LABELS[field], valueText: values[field] } : undefined;
    },
  };
}

/** Members of a segment of work, by the word for a change in them. */
const DETAILS = {
  breaks: ['mealBreak', 'restBreak'],
  activities: ['activity'],
  times: ['startTime', 'finishTime'],
  places: ['alternateDepartment', 'alternateOrganisation'],
  hours: ['hours'],
} as const;
type Detail = keyof typeof DETAILS;
const DETAIL_LABELS: Readonly<Record<Detail, string>> = {
  breaks: 'breaks',
  activities: 'activities',
  times: 'times',
  places: 'places',
  hours: 'hours by activity',
};
/** Fields of the timesheet whose own change says what became of a word's members. */
const SAID_BY: Partial<Record<Detail, readonly string[]>> = {
  times: ['startTime', 'finishTime'],
  hours: ['hoursToPay'],
};

type Segment = Readonly<Record<string, unknown>>;

/** Says what changed about the segments of work. */
function describeDetails({ previous, current, changed }: FieldChanges): FieldWords {
  const [before, after] = [readSegments(previous?.details), readSegments(current?.details)];
  const unspecified = { label: 'breaks and activities', valueText: () => null };
  if (before === null || after === null || before.length !== after.length) return unspecified;
  const all = (Object.keys(DETAILS) as Detail[]).filter((name) => !isSameIn(before, after, DETAILS[name]));
  const isSaid = (name: Detail) => SAID_BY[name]?.some((field) => changed.includes(field)) === true;
  const differing = all.filter((name) => !isSaid(name));
  if (differing.length === 0) return all.length === 0 ? unspecified : { ...unspecified, implied: true };
  const label = listAll(differing.map((name) => DETAIL_LABELS[name]));
  return { ...unspecified, label };
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

/** Whether a processing settles a reverted one. */
export function isReprocessing({
  settles,
}: {
  readonly settles?: readonly { readonly type: string }[] | undefined;
}): boolean {
  return settles?.some(({ type }) => type === 'workforce.timesheet.processing_reverted') === true;
}
