import { type AbsenceType, describeAbsence, isAbsenceType } from './absence-sentences.ts';
import { cleanText } from './clean-text.ts';
import { listChanges } from './field-changes.ts';
import { isPerhapsLate } from './late-words.ts';
import { formatDay } from './moments.ts';
import { type Audience, readNumber, readText } from './record-events.ts';
import { createFieldWords, describeReprocessing, nameOf } from './timesheet-fields.ts';
import {
  createSentenceContext,
  describeClocking,
  type SentenceContext,
  type TimesheetEvent,
} from './timesheet-sentences.ts';
import { PERHAPS_CLOSE, type TimesheetStory } from './timesheet-story.ts';

type Step = TimesheetStory['step'];

export function readTimesheetStory(event: TimesheetEvent, audience: Audience): TimesheetStory {
  const { type, data } = event;
  const context = createSentenceContext(event, audience);
  const { departmentId } = data;
  const place =
    departmentId === null ? null : nameOf(audience.names.departments, departmentId, 'department ');
  const isShown = audience.names.departments.size > 0 && place !== null;
  return {
    who: [describePerson(context), ...(isShown ? [place] : []), ...describeDate(context)].join(', '),
    place,
    ...readHours(event, audience),
    changes: type.includes('.clocked_') ? [] : readChanges(context, type),
    step: readStep(event, context),
    late: isPerhapsLate(data)
      ? data.late.map((each) => (each === 'close' ? PERHAPS_CLOSE : each))
      : [...data.late],
    approved: readText(data.current, 'approvedHours') !== null,
    processed: readText(data.current, 'processed') !== null,
  };
}

function describePerson({ data, audience: { names } }: SentenceContext): string {
  const employee = cleanText(names.employees.get(data.employeeId) ?? '');
  return employee === ''
    ? `Timesheet ${cleanText(data.timesheetId)} of employee ${cleanText(data.employeeId)}`
    : employee;
}

function describeDate({ date, timeContext }: SentenceContext): string[] {
  return date === null ? [] : [formatDay(date, timeContext)];
}

function readHours(
  { type, data: { current, previous } }: TimesheetEvent,
  { hoursBefore = null }: Audience,
): Pick<TimesheetStory, 'hours' | 'hoursBefore'> {
  const hours = readNumber(current, 'hoursToPay');
  // The same hours go without saying.
  if (type === 'workforce.timesheet.processed' && hoursBefore !== null && hours !== hoursBefore)
    return { hoursBefore, hours };
  if (current === null) return { hoursBefore: readNumber(previous, 'hoursToPay'), hours: null };
  if (previous === null) return { hoursBefore: null, hours };
  return 'hoursToPay' in previous ? { hoursBefore: readNumber(previous, 'hoursToPay'), hours } : { hours };
}

/** Fields of approvals and clockings have steps of their own. */
function readChanges(context: SentenceContext, type: TimesheetEvent['type']): TimesheetStory['changes'] {
  const { data } = context;
  if (type !== 'workforce.timesheet.changed') return [];
  const changed = data.changed.filter((field) => field !== 'hoursToPay');
  return listChanges({ ...data, changed }, createFieldWords(data, context));
}

function readStep({ type, data }: TimesheetEvent, context: SentenceContext): Step {
  const isRepeated = (field: string) =>
    readText(data.previous, field) !== null || (field === 'processed' && describeReprocessing(data) !== '');
  const done = (aspect: string, words: string, field: string): Step => {
    return { aspect, words, done: true, repeated: isRepeated(field) };
  };
  const undone = (aspect: string, words: string): Step => ({ aspect, words, done: false, repeated: false });
  if (isAbsenceType(type)) return readAbsenceStep(type, context);
  switch (type) {
    case 'workforce.timesheet.changed':
      return null;
    case 'workforce.timesheet.created':
      return { aspect: 'record', words: 'added', done: true, repeated: false };
    case 'workforce.timesheet.removed':
      return undone('record', 'removed');
    case 'workforce.timesheet.approved':
      return done('approval', 'approved', 'approvedHours');
    case 'workforce.timesheet.approval_revoked':
      return undone('approval', 'no longer approved');
    case 'workforce.timesheet.payroll_approved':
      return done('payroll', 'approved for payroll', 'approvedPayroll');
    case 'workforce.timesheet.payroll_approval_revoked':
      return undone('payroll', 'no longer approved for payroll');
    case 'workforce.timesheet.processed':
      return done('processing', 'processed', 'processed');
    case 'workforce.timesheet.processing_reverted':
      return undone('processing', 'no longer processed');
    default:
      return undone(
        type.includes('_in') ? 'clock-in' : 'clock-out',
        describeClocking(type, context).replace(/^the (.*) was removed .*$/, '$1 removed'),
      );
  }
}

/** A clocking that came in the meantime follows the absence: `no clock-in, ..., then clocked in at 08:22`. */
function readAbsenceStep(type: AbsenceType, context: SentenceContext): Step {
  const aspect = type.includes('_in_') ? 'missing clock-in' : 'missing clock-out';
  const done = !type.endsWith('_cleared');
  return { aspect, words: describeAbsence(type, context), done, repeated: false };
}
