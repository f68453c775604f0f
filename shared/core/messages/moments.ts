import { dateIn, instantOf, isDate, timeIn } from '../dates.ts';
import { plainText } from './plain.ts';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** From where days and times are read. */
export interface Reading {
  readonly timeZone: string;
  /** Year that goes without saying; null when none does. */
  readonly year: string | null;
  /** Calendar date that goes without saying; null when none does. */
  readonly day: string | null;
}

/** `Mon 16 Nov`, with the year when it is another one. A text that is no date stays as it is. */
export function dayText(date: string, { year }: Pick<Reading, 'year'>): string {
  if (!isDate(date)) return plainText(date);
  const weekday = WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()];
  return `${weekday} ${dayAndMonth(date)}${yearOf(date) === year ? '' : ` ${yearOf(date)}`}`;
}

/** `10-16 Nov`, `30 Nov - 6 Dec`, `28 Dec 2026 - 3 Jan 2027`. Both dates are part of it. */
export function datesText(from: string, to: string, { year }: Pick<Reading, 'year'>): string {
  if (!isDate(from) || !isDate(to)) return `${plainText(from)} - ${plainText(to)}`;
  const last = `${dayAndMonth(to)}${yearOf(to) === year && yearOf(from) === year ? '' : ` ${yearOf(to)}`}`;
  if (from === to) return last;
  if (from.slice(0, 7) === to.slice(0, 7)) return `${Number(from.slice(8))}-${last}`;
  const first = `${dayAndMonth(from)}${yearOf(from) === yearOf(to) ? '' : ` ${yearOf(from)}`}`;
  return `${first} - ${last}`;
}

/** `10:01`, or `Thu 12 Nov 10:01` when it is another day. */
export function momentText(instant: number, reading: Reading): string {
  const date = dateIn(instant, reading.timeZone);
  const time = timeIn(instant, reading.timeZone);
  return date === reading.day ? time : `${dayText(date, reading)} ${time}`;
}

/** `at 10:01`, or `on Thu 12 Nov at 10:01` when it is another day. */
export function atText(instant: number, reading: Reading): string {
  const date = dateIn(instant, reading.timeZone);
  const time = `at ${timeIn(instant, reading.timeZone)}`;
  return date === reading.day ? time : `on ${dayText(date, reading)} ${time}`;
}

/** `between 10:01 and 10:02`; without a beginning `before 10:02`; `at 10:02` when both are in the same minute. */
export function betweenText(after: number | null, by: number, reading: Reading): string {
  if (after === null) return `before ${momentText(by, reading)}`;
  if (momentText(after, reading) === momentText(by, reading)) return atText(by, reading);
  const day = dateIn(by, reading.timeZone);
  const isOneDay = dateIn(after, reading.timeZone) === day;
  // Of two days both are said, the present one too.
  const said = isOneDay ? reading : { ...reading, day: null };
  if (!isOneDay || day === reading.day) {
    return `between ${momentText(after, said)} and ${momentText(by, said)}`;
  }
  return `on ${dayText(day, reading)} between ${timeIn(after, reading.timeZone)} and ${timeIn(by, reading.timeZone)}`;
}

/** An instant or a date of the source: `at 10:01`, `on Mon 16 Nov`; null when the text is neither. */
export function whenText(text: string, reading: Reading): string | null {
  const instant = instantOf(text, reading.timeZone);
  if (instant !== null) return atText(instant, reading);
  return isDate(text) ? `on ${dayText(text, reading)}` : null;
}

/** An instant or a date of the source, to compare with another one. A text that is neither stays as it is. */
export function stampText(text: string, reading: Reading): string {
  const instant = instantOf(text, reading.timeZone);
  return instant === null ? dayText(text, reading) : momentText(instant, reading);
}

function dayAndMonth(date: string): string {
  return `${Number(date.slice(8))} ${MONTHS[Number(date.slice(5, 7)) - 1]}`;
}

function yearOf(date: string): string {
  return date.slice(0, 4);
}
