/** Calendar dates are texts `YYYY-MM-DD`; instants are milliseconds since 1970 UTC. */

const DAY_MS = 86_400_000;
/** Every date but those of February 29, of which some years have none. */
const USUAL_DATE =
  /^\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))$/;
const LEAP_DAY = /^\d{4}-02-29$/;
const OFFSET_PATTERN = /(?:Z|[+-]\d{2}:?\d{2})$/i;
const LOCAL_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?/;

/** Inclusive range of calendar dates. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

/** Whether a text is a real calendar date: `2026-02-30` is not. */
export function isDate(text: string): boolean {
  if (USUAL_DATE.test(text)) return true;
  return LEAP_DAY.test(text) && addDays(text, 0) === text;
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Saturday or Sunday. */
export function isWeekend(date: string): boolean {
  return [0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay());
}

/** More than any window, and any time for which events are kept, has: a range that the source sends can be of any length. */
const MAX_LISTED_DATES = 4_000;

/** Dates of a range in order, the first 4,000 of a longer one; empty when `from` is after `to`. */
export function listDates(range: DateRange): string[] {
  const dates: string[] = [];
  let date = range.from;
  while (date <= range.to && dates.length < MAX_LISTED_DATES) {
    dates.push(date);
    date = addDays(date, 1);
  }
  return dates;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function findFormat(timeZone: string): Intl.DateTimeFormat {
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

/** Offsets change on a quarter hour only. Newfoundland changed at 00:01 until 2011. */
const QUARTER_MS = 15 * 60_000;
const QUARTERS_SINCE = Date.UTC(2012, 0);
/** Quarters of 100 days; then they are dropped. */
const MAX_OFFSETS = 10_000;
/** By zone and quarter: 0.02 us in place of the 4 us that `Intl` takes, some ten times for each record of a page. */
const offsets = new Map<string, Map<number, number>>();

/** The wall-clock time of a zone at an instant, in milliseconds since 1970 as if it were UTC. */
export function toWallClock(instant: number, timeZone: string): number {
  if (instant < QUARTERS_SINCE) return computeWallClock(instant, timeZone);
  const quarter = Math.floor(instant / QUARTER_MS);
  let known = offsets.get(timeZone);
  if (known === undefined || known.size >= MAX_OFFSETS) {
    known = new Map();
    offsets.set(timeZone, known);
  }
  const beginning = quarter * QUARTER_MS;
  const offset = known.get(quarter) ?? computeWallClock(beginning, timeZone) - beginning;
  known.set(quarter, offset);
  return instant + offset;
}

function computeWallClock(instant: number, timeZone: string): number {
  const part: Record<string, number> = {};
  for (const { type, value } of findFormat(timeZone).formatToParts(instant)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instant % 1000) + 1000) % 1000);
}

/** The calendar date in a zone at an instant. */
export function toLocalDate(instant: number, timeZone: string): string {
  return addDays('1970-01-01', Math.floor(toWallClock(instant, timeZone) / DAY_MS));
}

/** What the clocks of a zone show at an instant: `HH:MM`. */
export function toLocalTime(instant: number, timeZone: string): string {
  return new Date(toWallClock(instant, timeZone)).toISOString().slice(11, 16);
}

/**
 * The instant of a date-time text, by its own offset if it has one, else by the zone's. A wall-clock time that the
 * zone skips is read with the offset from before the gap; one that occurs twice is the first. `null` when the text is
 * not a date-time.
 */
export function parseInstant(text: string, timeZone: string): number | null {
  if (!LOCAL_PATTERN.test(text) || isNoDay(text)) return null;
  if (OFFSET_PATTERN.test(text)) return nanToNull(Date.parse(text));
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return null;
  const around = [wall - DAY_MS, wall + DAY_MS].map((near) => toWallClock(near, timeZone) - near);
  const candidates = around.map((offset) => wall - offset);
  const exact = candidates.filter((instant) => toWallClock(instant, timeZone) === wall);
  return exact.length > 0 ? Math.min(...exact) : (candidates[0] ?? null);
}

/** Whether a date-time names a day that its month lacks, such as 30 February: `Date.parse` takes it for one of the next. */
function isNoDay(text: string): boolean {
  return text.slice(8, 10) > '28' && !isDate(text.slice(0, 10));
}

/** The date that begins at a date-time text in a zone; `null` when the text is not a local midnight. */
export function parseMidnightDate(text: string, timeZone: string): string | null {
  const instant = parseInstant(text, timeZone);
  if (instant === null) return null;
  const date = toLocalDate(instant, timeZone);
  return parseInstant(`${date}T00:00:00`, timeZone) === instant ? date : null;
}

function nanToNull(instant: number): number | null {
  return Number.isNaN(instant) ? null : instant;
}

/** RFC 3339 in UTC with milliseconds. */
export function toIso(instant: number): string {
  return new Date(instant).toISOString();
}

/** Days before and after today that are watched. */
export interface WatchedWindow {
  readonly backDays: number;
  readonly forwardDays: number;
}

/** The dates of the window, around today in the connection's zone. */
export function computeWindow(now: number, timeZone: string, window: WatchedWindow): DateRange {
  const today = toLocalDate(now, timeZone);
  return { from: addDays(today, -window.backDays), to: addDays(today, window.forwardDays) };
}
