import * as z from 'zod';
import {
  isSnapshotType,
  SHORT_EVENT_TYPES,
  type ShortEventType,
  type SnapshotType,
  toEventType,
} from '../../core/event-types.ts';
import { cleanText } from './clean-text.ts';
import { formatStamp, type MessageTimeContext } from './moments.ts';
import { formatHours } from './numbers.ts';
import {
  type Audience,
  type EventState,
  envelope,
  readNumber,
  readText,
  recordData,
  toTimeContext,
} from './record-events.ts';
import { nameOf } from './timesheet-fields.ts';

type TimesheetType = Exclude<Extract<ShortEventType, `timesheet.${string}`>, SnapshotType>;
const TYPES = SHORT_EVENT_TYPES.filter(
  (type): type is TimesheetType => type.startsWith('timesheet.') && !isSnapshotType(type),
).map(toEventType);

/** An event about a timesheet or one of its clockings, as far as its sentence needs it. */
export const timesheetEventSchema = z.looseObject({
  ...envelope,
  type: z.enum(TYPES),
  data: z.looseObject({
    timesheetId: z.string(),
    employeeId: z.string(),
    departmentId: z.string().nullable(),
    organisationId: z.string().nullable(),
    ...recordData,
  }),
});
export type TimesheetEvent = z.output<typeof timesheetEventSchema>;

export function isTimesheetEvent(event: { readonly type: string }): event is TimesheetEvent {
  return TYPES.some((type) => type === event.type);
}
type Data = TimesheetEvent['data'];

export interface SentenceContext {
  readonly data: Data;
  /** Of the timesheet. */
  readonly date: string | null;
  readonly audience: Audience;
  /** For moments of the event: leaves out the day of the event when the timesheet is on it as well. */
  readonly timeContext: MessageTimeContext;
  /** For times of the timesheet: leaves out its own day. */
  readonly onItsDay: MessageTimeContext;
}

export function createSentenceContext({ time, data }: TimesheetEvent, audience: Audience): SentenceContext {
  const seen = toTimeContext(time, audience);
  const date = readText(data.current, 'date') ?? readText(data.previous, 'date');
  return {
    data,
    date,
    audience,
    // A sentence with two days gives both.
    timeContext: date === null || date === seen.day ? seen : { ...seen, day: null },
    onItsDay: { ...seen, day: date ?? seen.day },
  };
}

/** `Timesheet of Ana Lee (Kitchen)`, or ids where names may not be shown. */
export function nameTimesheet({ data, audience: { names } }: SentenceContext): string {
  const employee = cleanText(names.employees.get(data.employeeId) ?? '');
  const place =
    names.departments.size > 0 && data.departmentId !== null
      ? nameOf(names.departments, data.departmentId, 'department ')
      : '';
  const timesheet =
    employee === ''
      ? `Timesheet ${cleanText(data.timesheetId)} of employee ${cleanText(data.employeeId)}`
      : `Timesheet of ${employee}`;
  return place === '' ? timesheet : `${timesheet} (${place})`;
}

/** `09:00 - 17:00`. */
export function formatShift(state: EventState, { onItsDay }: Pick<SentenceContext, 'onItsDay'>): string {
  const [start, finish] = [readText(state, 'startTime'), readText(state, 'finishTime')];
  if (start === null || finish === null) return '';
  const [first, last] = [formatStamp(start, onItsDay), formatStamp(finish, onItsDay)];
  return `${first} - ${last}`;
}

export function formatHoursToPay(state: EventState): string {
  const hours = readNumber(state, 'hoursToPay');
  return hours === null ? '' : `${formatHours(hours)} to pay`;
}

export function appendParts(parts: readonly string[]): string {
  const present = parts.filter((part) => part !== '');
  return present.length === 0 ? '' : `: ${present.join(', ')}`;
}
