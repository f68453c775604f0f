import * as z from 'zod';
import { toWallClock } from '#shared/core/dates.ts';

/**
 * IANA time zone that this Node runtime knows, such as `Pacific/Auckland`. An offset or an abbreviation that keeps no
 * summer time is refused: whoever writes one mostly means a place that does, and would be an hour off for half the year.
 */
export const timeZoneSchema = z
  .string()
  .refine(isTimeZone, {
    abort: true,
    error: ({ input }) =>
      `unknown time zone ${JSON.stringify(input)}; use an IANA name such as Pacific/Auckland`,
  })
  .refine((name) => isPlace(name) || keepsSummerTime(name), {
    error: ({ input }) =>
      `time zone ${JSON.stringify(input)} is no place, and keeps no summer time; use the IANA name of the place that is meant, such as ${nameMeant(String(input)).join(' or ')}`,
  });

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name !== '';
  } catch {
    // Intl has no other way to ask whether a zone exists.
    return false;
  }
}

/** Not `Etc/GMT+5`; a word such as `Japan` is one, `EST` and `Zulu` are not. UTC is what a source itself may keep. */
function isPlace(name: string): boolean {
  if (/^(?:etc\/)?utc$/i.test(name)) return true;
  if (/^(?:etc|systemv)\//i.test(name)) return false;
  return name.includes('/') || (/^[A-Z][a-z]{3}/.test(name) && resolveZone(name) !== 'UTC');
}

function resolveZone(name: string): string {
  return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
}

/** In the middle of both halves of a year; which year makes no difference for what is no place. */
const HALVES = [Date.UTC(2026, 0, 1), Date.UTC(2026, 6, 1)] as const;

function listOffsets(zone: string): readonly number[] {
  return HALVES.map((instant) => toWallClock(instant, zone) - instant);
}

function keepsSummerTime(zone: string): boolean {
  const [winter, summer] = listOffsets(zone);
  return winter !== summer;
}

/** The zones that most people live in, each with others of its hours; UTC last. */
const KNOWN_ZONES = [
  ...['Pacific/Auckland', 'Australia/Sydney', 'Australia/Brisbane', 'Australia/Adelaide', 'Australia/Perth'],
  ...['America/New_York', 'America/Chicago', 'America/Denver', 'America/Phoenix', 'America/Los_Angeles'],
  ...['America/Anchorage', 'Pacific/Honolulu', 'America/Halifax', 'America/Sao_Paulo', 'Europe/London'],
  ...['Europe/Berlin', 'Europe/Athens', 'Africa/Lagos', 'Africa/Johannesburg', 'Europe/Istanbul'],
  ...['Asia/Dubai', 'Asia/Karachi', 'Asia/Kolkata', 'Asia/Jakarta', 'Asia/Shanghai', 'Asia/Tokyo', 'UTC'],
];
const MAX_NAMED = 3;

/** Zones whose clocks show the same in one half of the year at least. */
function nameMeant(zone: string): readonly string[] {
  const [offset] = listOffsets(zone);
  const isMeant = (each: string) => listOffsets(each).some((other) => other === offset);
  const known = KNOWN_ZONES.filter(isMeant);
  return (known.length > 0 ? known : Intl.supportedValuesOf('timeZone').filter(isMeant)).slice(0, MAX_NAMED);
}
