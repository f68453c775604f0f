import { toShortType } from '../../core/event-types.ts';
import { cleanText } from '../messages/clean-text.ts';
import { listChanges } from '../messages/field-changes.ts';
import { isPerhapsLate } from '../messages/late-words.ts';
import { formatDay } from '../messages/moments.ts';
import { type Audience, readNumber, readText } from '../messages/record-events.ts';
import { createFieldWords, nameOf } from '../messages/timesheet-fields.ts';
import {
  createSentenceContext,
  type SentenceContext,
  type TimesheetEvent,
} from '../messages/timesheet-sentences.ts';
import { PERHAPS_CLOSE, type TimesheetStory } from '../messages/timesheet-story.ts';
import { TIMESHEET_WORDS } from './timesheet-words.ts';

export function readTimesheetStory(event: TimesheetEvent, audience: Audience): TimesheetStory {
  const { type, data } = event;
  const context = createSentenceContext(event, audience);
  const step = TIMESHEET_WORDS[toShortType(type)].step(context);
  const { place, who } = nameWho(context);
  return {
    who,
    place,
    ...readHours(event, audience),
    changes: step === null ? readChanges(context) : [],
    step,
    late: isPerhapsLate(data)
      ? data.late.map((each) => (each === 'close' ? PERHAPS_CLOSE : each))
      : [...data.late],
    approved: readText(data.current, 'approvedHours') !== null,
    processed: readText(data.current, 'processed') !== null,
  };
}

/** `Ana Lee, Kitchen, Thu 12 Nov` within a sentence. */
export function nameWithin(event: TimesheetEvent, audience: Audience): string {
  return nameWho(createSentenceContext(event, audience)).within;
}

/** Who it is about, and within a sentence. */
function nameWho({ data, date, timeContext, audience: { names } }: SentenceContext) {
  const { departmentId } = data;
  const name = cleanText(names.employees.get(data.employeeId) ?? '');
  const ids = { id: cleanText(data.timesheetId), employee: cleanText(data.employeeId) };
  const place = departmentId === null ? null : nameOf(names.departments, departmentId, 'department ');
  const rest = [
    ...(names.departments.size > 0 && place !== null ? [place] : []),
    ...(date === null ? [] : [formatDay(date, timeContext)]),
  ];
  const join = (unnamedAs: string) => [name || unnamedAs, ...rest].join(', ');
  return {
    place,
    who: join(`Timesheet ${ids.id} of employee ${ids.employee}`),
    within: join(`timesheet ${ids.id} of employee ${ids.employee}`),
  };
}

function readHours(
  { data: { current, previous } }: TimesheetEvent,
  { hoursBefore = null }: Audience,
): Pick<TimesheetStory, 'hours' | 'hoursBefore'> {
  const hours = readNumber(current, 'hoursToPay');
  // The same hours go without saying.
  if (hoursBefore !== null && hours !== hoursBefore) return { hoursBefore, hours };
  if (current === null) return { hoursBefore: readNumber(previous, 'hoursToPay'), hours: null };
  if (previous === null) return { hoursBefore: null, hours };
  return 'hoursToPay' in previous ? { hoursBefore: readNumber(previous, 'hoursToPay'), hours } : { hours };
}

/** Fields of approvals and clockings have steps of their own. */
function readChanges(context: SentenceContext): TimesheetStory['changes'] {
  const { data } = context;
  const changed = data.changed.filter((field) => field !== 'hoursToPay');
  return listChanges({ ...data, changed }, createFieldWords(data, context));
}
