import { addDays, parseInstant } from '#shared/core/dates.ts';

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
  // The Swedish format is 2026-03-02 08:03:12; format() is several times faster than formatToParts().
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const midnights = new Map<string, number>();
  const midnightOf = (date: string): number => {
    const known = midnights.get(date);
    if (known !== undefined) return known;
    const midnight = parseInstant(`${date}T00:00`, timeZone) ?? Date.parse(date);
    midnights.set(date, midnight);
    return midnight;
  };
  return {
    at(date, minutes) {
      const day = addDays(date, Math.floor(minutes / DAY_MINUTES));
      const rest = ((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
      const midnight = midnightOf(day);
      if (midnightOf(addDays(day, 1)) - midnight === DAY_MS) return midnight + rest * MINUTE_MS;
      return parseInstant(`${day}T${formatTimeOfDay(rest)}`, timeZone) ?? midnight + rest * MINUTE_MS;
    },
    dateOf: (instant) => format.format(instant).slice(0, 10),
    minutesOf(instant) {
      const [hours = 0, minutes = 0] = format.format(instant).slice(11).split(':').map(Number);
      return hours * 60 + minutes;
    },
    textOf(instant) {
      const milliseconds = String(((instant % 1000) + 1000) % 1000).padStart(3, '0');
      return `${format.format(instant).replace(' ', 'T')}.${milliseconds}`;
    },
  };
}

/** `HH:MM` of minutes since midnight. */
export function formatTimeOfDay(minutes: number): string {
  const inDay = ((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  return `${String(Math.floor(inDay / 60)).padStart(2, '0')}:${String(Math.floor(inDay % 60)).padStart(2, '0')}`;
}

/** Calendar days from one date to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** 1 for Monday to 7 for Sunday. */
export function weekdayOf(date: string): number {
  return (((daysBetween('2024-01-01', date) % 7) + 7) % 7) + 1;
}
