import { addDays, parseInstant, toLocalDate, toLocalTime, toWallClock } from '#shared/core/dates.ts';

const DAY_MS = 86_400_000;
const DAY_MINUTES = 1440;

/** Dates and times of day in one time zone. Instants are milliseconds since 1970. */
export class LocalCalendar {
  readonly #timeZone: string;

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  /** The instant some minutes after local midnight; 1440 or more is on a later day. */
  at(date: string, minutes: number): number {
    const day = addDays(date, Math.floor(minutes / DAY_MINUTES));
    return parseInstant(`${day}T${formatTimeOfDay(minutes)}`, this.#timeZone) ?? Number.NaN;
  }

  dateOf(instant: number): string {
    return toLocalDate(instant, this.#timeZone);
  }

  /** `HH:MM`. */
  timeOf(instant: number): string {
    return toLocalTime(instant, this.#timeZone);
  }

  /** `YYYY-MM-DDTHH:MM:SS.mmm` without an offset. */
  textOf(instant: number): string {
    return new Date(toWallClock(instant, this.#timeZone)).toISOString().slice(0, -1);
  }
}

/** `HH:MM` of minutes since a midnight. */
export function formatTimeOfDay(minutes: number): string {
  const inDay = minutes % DAY_MINUTES;
  return `${String(Math.floor(inDay / 60)).padStart(2, '0')}:${String(inDay % 60).padStart(2, '0')}`;
}

/** Calendar days from one date to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}
