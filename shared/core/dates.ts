/** Calendar dates are texts `YYYY-MM-DD`; instants are milliseconds since 1970 UTC. */

const DAY_MS = 86_400_000;
const DATE_PATTERN = /^\d{4}-\d{2}-\d{2}$/;
const OFFSET_PATTERN = /(?:Z|[+-]\d{2}:?\d{2})$/i;
const LOCAL_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?/;

/** Inclusive range of calendar dates. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

/** Dates that were found to be real: a page of 200 timesheets has few different ones. */
const realDates = new Set<string>();
const MOST_REMEMBERED_DATES = 5_000;

/** Whether a text is a real calendar date: `2026-02-30` is not. */
export function isDate(text: string): boolean {
  if (realDates.has(text)) return true;
  if (!DATE_PATTERN.test(text)) return false;
  const instant = Date.parse(`${text}T00:00:00Z`);
  const real = !Number.isNaN(instant) && new Date(instant).toISOString().slice(0, 10) === text;
  if (real && realDates.size < MOST_REMEMBERED_DATES) realDates.add(text);
  return real;
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Dates of a range in order; empty when `from` is after `to`. */
export function datesOf(range: DateRange): string[] {
  const dates: string[] = [];
  for (let date = range.from; date <= range.to; date = addDays(date, 1)) dates.push(date);
  return dates;
}

/** Fewest ranges that hold exactly these dates. */
export function rangesOf(dates: Iterable<string>): DateRange[] {
  const ranges: { from: string; to: string }[] = [];
  for (const date of [...new Set(dates)].sort()) {
    const last = ranges.at(-1);
    if (last !== undefined && addDays(last.to, 1) === date) last.to = date;
    else ranges.push({ from: date, to: date });
  }
  return ranges;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formats.set(timeZone, format);
  return format;
}

/** A plan asks for the same instant date after date, and formatting is slow. */
let lastWallClock = { instant: Number.NaN, timeZone: '', wall: Number.NaN };

/** Milliseconds that the wall clock of a zone shows at an instant, as if it were UTC. */
function wallClock(instant: number, timeZone: string): number {
  if (instant !== lastWallClock.instant || timeZone !== lastWallClock.timeZone)
    lastWallClock = { instant, timeZone, wall: readWallClock(instant, timeZone) };
  return lastWallClock.wall;
}

function readWallClock(instant: number, timeZone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instant)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
}

/** The calendar date in a zone at an instant. */
export function dateIn(instant: number, timeZone: string): string {
  return new Date(wallClock(instant, timeZone)).toISOString().slice(0, 10);
}

/** What the clocks of a zone show at an instant: `HH:MM`. */
export function timeIn(instant: number, timeZone: string): string {
  return new Date(wallClock(instant, timeZone)).toISOString().slice(11, 16);
}

/**
 * The instant a date-time text of the source means: its own offset when it has one, the zone's otherwise
 * (design, section 8). A wall-clock time that a zone skips is read with the offset from before the gap; one
 * that happens twice is the first. `null` when the text is no date-time.
 */
export function instantOf(text: string, timeZone: string): number | null {
  if (!LOCAL_PATTERN.test(text)) return null;
  if (OFFSET_PATTERN.test(text)) return orNull(Date.parse(text));
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return null;
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((near) => wallClock(near, timeZone) - near);
  const candidates = offsets.map((offset) => wall - offset);
  const exact = candidates.filter((instant) => wallClock(instant, timeZone) === wall);
  return exact.length > 0 ? Math.min(...exact) : (candidates[0] ?? null);
}

/** The date whose beginning in a zone a date-time text means; `null` when it means another time, or none. */
export function dateBegunAt(text: string, timeZone: string): string | null {
  const instant = instantOf(text, timeZone);
  if (instant === null) return null;
  const date = dateIn(instant, timeZone);
  return instantOf(`${date}T00:00:00`, timeZone) === instant ? date : null;
}

function orNull(instant: number): number | null {
  return Number.isNaN(instant) ? null : instant;
}

/** RFC 3339 in UTC with milliseconds. */
export function isoOf(instant: number): string {
  return new Date(instant).toISOString();
}
