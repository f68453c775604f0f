import { parseInstant } from '../core/dates.ts';
import { type EventState, readText } from './event-state.ts';
import { cleanText } from './messages/clean-text.ts';
import { formatAt, formatDay, formatStamp, type MessageTimeContext } from './messages/moments.ts';
import type { TimesheetEvent } from './read-events.ts';
import { nameOf, type Reader, toTimeContext } from './reader.ts';

/** An event of a timesheet with what its words need. */
export interface TimesheetContext {
  readonly event: TimesheetEvent;
  readonly data: TimesheetEvent['data'];
  readonly reader: Reader;
  /** Of the timesheet. */
  readonly date: string | null;
  /** For moments of the event: of a timesheet of another day they have their day. */
  readonly seen: MessageTimeContext;
  /** For times of the timesheet: leaves out its own day. */
  readonly onItsDay: MessageTimeContext;
}

export function toTimesheetContext(event: TimesheetEvent, reader: Reader): TimesheetContext {
  const { data, time } = event;
  const seen = toTimeContext(time, reader);
  const date = readText(data.current, 'date') ?? readText(data.previous, 'date');
  return {
    ...{ event, data, reader, date },
    seen: date === null || date === seen.day ? seen : { ...seen, day: null },
    onItsDay: { ...seen, day: date ?? seen.day },
  };
}

/** `Ana Lee, Kitchen, Thu 12 Nov`; where names may not be shown, `Employee 2001_7, Thu 12 Nov (timesheet 1001_7)`. */
export function nameTimesheet({ data, date, seen, reader: { names } }: TimesheetContext): string {
  const { employeeId, departmentId, timesheetId } = data;
  const name = cleanText(names.employees.get(employeeId) ?? '');
  const place = departmentId === null ? '' : placeOf(departmentId, names.departments);
  const day = date === null ? '' : formatDay(date, seen);
  const parts = [name || `Employee ${cleanText(employeeId)}`, place, day].filter((part) => part !== '');
  return `${parts.join(', ')}${name === '' ? ` (timesheet ${cleanText(timesheetId)})` : ''}`;
}

/** Where no names of departments may be shown, none is given. */
function placeOf(id: string, departments: ReadonlyMap<string, string>): string {
  return departments.size === 0 ? '' : nameOf(departments, id, 'department ');
}

/** `09:00 - 17:00`; empty where one of them is not known. */
export function formatShift(state: EventState, { onItsDay }: Pick<TimesheetContext, 'onItsDay'>): string {
  const [start, finish] = [readText(state, 'startTime'), readText(state, 'finishTime')];
  if (start === null || finish === null) return '';
  return `${formatStamp(start, onItsDay)} - ${formatStamp(finish, onItsDay)}`;
}

export type Clocking = 'clockIn' | 'clockOut';
export const CLOCKING_NAMES = { clockIn: 'clock-in', clockOut: 'clock-out' } as const;

/** Local time of a clocking, `at 09:01` and `09:01`; null when there is none, or it has no time. */
export function readClockTime(
  state: EventState,
  clocking: Clocking,
  { onItsDay }: Pick<TimesheetContext, 'onItsDay'>,
): { readonly at: string; readonly text: string } | null {
  const record = state?.[clocking];
  if (typeof record !== 'object' || record === null || !('localTime' in record)) return null;
  const { localTime } = record;
  const instant = typeof localTime === 'string' ? parseInstant(localTime, onItsDay.timeZone) : null;
  if (typeof localTime !== 'string' || instant === null) return null;
  return { at: formatAt(instant, onItsDay), text: formatStamp(localTime, onItsDay) };
}
