import { addDays, parseInstant, toLocalDate, toLocalTime, toWallClock } from '#shared/core/dates.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAY_MINUTES = 1440;

/** Dates and times of day in one time zone. Instants are milliseconds since 1970. */
export interface LocalCalendar {
  /** The instant some minutes after local midnight; 1440 or more is on a later day. */
  at(date: string, minutes: number): number;
  dateOf(instant: number): string;
  /** Minutes since local midnight. */
  minutesOf(instant: number): number;
  /** `YYYY-MM-DDTHH:MM:SS.mmm` without an offset. */
  textOf(instant: number): string;
}

export function createLocalCalendar(timeZone: string): LocalCalendar {
  return {
    at(date, minutes) {
      const day = addDays(date, Math.floor(minutes / DAY_MINUTES));
      const rest = ((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
      return parseInstant(`${day}T${formatTimeOfDay(rest)}`, timeZone) ?? Date.parse(day) + rest * MINUTE_MS;
    },
    dateOf: (instant) => toLocalDate(instant, timeZone),
    minutesOf: (instant) => parseTimeOfDay(toLocalTime(instant, timeZone)),
    textOf: (instant) => new Date(toWallClock(instant, timeZone)).toISOString().slice(0, -1),
  };
}

/** `HH:MM` of minutes since midnight. */
export function formatTimeOfDay(minutes: number): string {
  const inDay = ((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  return `${String(Math.floor(inDay / 60)).padStart(2, '0')}:${String(Math.floor(inDay % 60)).padStart(2, '0')}`;
}

/** Minutes since midnight of a text that begins with `HH:MM`. */
export function parseTimeOfDay(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
}

/** Calendar days from one date to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** 1 for Monday to 7 for Sunday. */
export function weekdayOf(date: string): number {
  return (((daysBetween('2024-01-01', date) % 7) + 7) % 7) + 1;
}
