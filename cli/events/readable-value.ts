import { dateIn, instantOf } from '#shared/core/dates.ts';

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
const LONGEST_TEXT = 60;
const NOTHING = '–';

/** From where a value is read. */
export interface Reading {
  readonly timeZone: string;
  /** Calendar date of the line: of moments on that day only the time is told. */
  readonly day: string | null;
}

/** A value of an event as a person reads it, on one line and without anything that a terminal would obey. */
export function readable(value: unknown, reading: Reading): string {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === 'string') return MOMENT.test(value) ? momentOf(value, reading) : plain(value);
  if (Array.isArray(value)) return `${value.length} ${value.length === 1 ? 'entry' : 'entries'}`;
  if (typeof value === 'object') return objectText(value, reading);
  return plain(String(value));
}

/** A clock record is best told by its time. */
function objectText(value: object, reading: Reading): string {
  if (!('localTime' in value)) return plain(JSON.stringify(value));
  return typeof value.localTime === 'string' ? momentOf(value.localTime, reading) : 'without time';
}

function momentOf(text: string, { timeZone, day }: Reading): string {
  const moment = localMoment(text, timeZone);
  return day !== null && moment.startsWith(`${day} `) ? moment.slice(day.length + 1) : moment;
}

/** `2026-11-16 09:01:37` in the zone; a text that is no date-time is left as it is. */
export function localMoment(text: string, timeZone: string): string {
  const instant = instantOf(text, timeZone);
  if (instant === null) return plain(text);
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(instant);
  return `${dateIn(instant, timeZone)} ${time}`;
}

function plain(text: string): string {
  const line = text.replaceAll(/\p{C}/gu, ' ');
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT)}…` : line;
}
