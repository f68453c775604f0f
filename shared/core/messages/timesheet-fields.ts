import { cleanText } from './clean-text.ts';
import type { FieldChanges, FieldWords } from './field-changes.ts';
import { formatDay, formatStamp, type MessageTimeContext } from './moments.ts';
import { formatHours } from './numbers.ts';
import type { Audience } from './record-events.ts';

/** The name where it is known, otherwise the id after `kind`, such as `department 501`. */
export function nameOf(names: ReadonlyMap<string, string>, id: string, kind = ''): string {
  return cleanText(names.get(id) ?? '') || `${kind}${cleanText(id)}`;
}

export interface FieldContext {
  readonly audience: Audience;
  /** Leaves out the day of the timesheet. */
  readonly onItsDay: MessageTimeContext;
}

/** Words for each watched field of a timesheet; undefined for a field that this version does not know. */
export function createFieldWords(
  changes: FieldChanges,
  { audience: { names }, onItsDay }: FieldContext,
): (field: string) => FieldWords | undefined {
  const named = (label: string, known: ReadonlyMap<string, string>) => text(label, (id) => nameOf(known, id));
  const moment = (label: string) => text(label, (value) => formatStamp(value, onItsDay));
  const words: Readonly<Record<string, FieldWords>> = {
    date: text('date', (date) => formatDay(date, onItsDay)),
    employeeId: named('employee', names.employees),
    departmentId: named('department', names.departments),
    roleId: text('role', cleanText),
    shiftId: text('shift', cleanText),
    organisationWorkedId: named('organisation', names.organisations),
    organisationPayRollId: named('payroll organisation', names.organisations),
    startTime: moment('start'),
    finishTime: moment('finish'),
    hoursToPay: {
      label: 'hours',
      valueText: (value) => (typeof value === 'number' ? formatHours(value) : null),
    },
    casualJob: yesOrNo('casual job'),
    includesLeave: yesOrNo('includes leave'),
    overnight: yesOrNo('overnight'),
    details: describeDetails(changes, names.activities),
  };
  return (field) => (Object.hasOwn(words, field) ? words[field] : undefined);
}

function text(label: string, format: (value: string) => string): FieldWords {
  return { label, valueText: (value) => (typeof value === 'string' ? format(value) : null) };
}

function yesOrNo(label: string): FieldWords {
  return { label, valueText: (value) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : null) };
}

/** Members of a segment of work, and the word for a change in them. */
const DETAIL_WORDS: readonly (readonly [word: string, members: readonly string[]])[] = [
  ['breaks', ['mealBreak', 'restBreak']],
  ['activities', ['activity']],
  ['times', ['startTime', 'finishTime']],
  ['places', ['alternateDepartment', 'alternateOrganisation']],
  ['hours by activity', ['hours']],
];
/** Fields of the timesheet whose own change says what became of a word's members. */
const SAID_BY: Readonly<Record<string, readonly string[]>> = {
  times: ['startTime', 'finishTime'],
  'hours by activity': ['hoursToPay'],
};
const ALL_DETAILS = 'breaks and activities';

type Segment = Readonly<Record<string, unknown>>;

/** Says what changed about the segments of work. When only the activity of the one segment did, its values too. */
function describeDetails(
  { previous, current, changed }: FieldChanges,
  activities: ReadonlyMap<string, string>,
): FieldWords {
  const [before, after] = [readSegments(previous?.details), readSegments(current?.details)];
  const unspecified = { label: ALL_DETAILS, valueText: () => null };
  if (before === null || after === null || before.length !== after.length) return unspecified;
  const all = DETAIL_WORDS.filter(([, members]) => !isSameIn(before, after, members));
  const isSaid = (word: string) => SAID_BY[word]?.some((field) => changed.includes(field)) === true;
  const differing = all.filter(([word]) => !isSaid(word));
  const [only] = differing;
  if (only === undefined) return all.length === 0 ? unspecified : { ...unspecified, implied: true };
  if (differing.length === 1 && only[0] === 'activities' && before.length === 1) {
    const valueText = (value: unknown) => readActivity(readSegments(value)?.[0], activities);
    return { label: 'activity', valueText };
  }
  return { ...unspecified, label: formatList(differing.map(([word]) => word)) };
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

function readActivity(segment: Segment | undefined, activities: ReadonlyMap<string, string>): string {
  const activity = segment?.activity;
  return typeof activity === 'string' && activity !== '' ? nameOf(activities, activity) : 'none';
}

/** `breaks, activities and times`. */
function formatList(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** ` again` for a processing that settles a reverted one. */
export function describeReprocessing({
  settles,
}: {
  readonly settles?: readonly { readonly type: string }[] | undefined;
}): string {
  return settles?.some(({ type }) => type === 'workforce.timesheet.processing_reverted') === true
    ? ' again'
    : '';
}
