import { addDays, parseInstant } from '#shared/core/dates.ts';

const DAY_MS = 86_400_000;
const DAY_MINUTES = 1440;

/** The instant (ms since 1970) some minutes after local midnight; 1440 or more is on a later day. */
export function instantAt(date: string, minutes: number, timeZone: string): number {
  const day = addDays(date, Math.floor(minutes / DAY_MINUTES));
  return parseInstant(`${day}T${formatTimeOfDay(minutes)}`, timeZone) ?? Number.NaN;
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
