import { isWeekend, toLocalDate, toLocalTime } from '../core/dates.ts';

/** From `HH:MM` up to but not including another; over midnight when `to` is before `from`. */
interface PartOfDay {
  readonly from: string;
  readonly to: string;
}

export interface QuietHours extends PartOfDay {
  /** Saturdays and Sundays are quiet all day. */
  readonly weekends: boolean;
}

/**
 * Whether an instant is in quiet hours, by local time. An hour skipped by daylight saving is never quiet, and a
 * repeated one is quiet both times.
 */
export function isQuiet(hours: QuietHours, instant: number, timeZone: string): boolean {
  return (
    (hours.weekends && isWeekend(toLocalDate(instant, timeZone))) ||
    isTimeWithin(hours, toLocalTime(instant, timeZone))
  );
}

/** Quiet hours begin and end on minutes that people choose, mostly whole quarters. */
const STEP_MS = 300_000;

/** Whether an instant is quiet, and so is every moment (looked at every 5 minutes) until another one. */
export function isQuietUntil(
  hours: QuietHours,
  { from, to }: { readonly from: number; readonly to: number },
  timeZone: string,
): boolean {
  for (let at = from; at < to; at += STEP_MS) if (!isQuiet(hours, at, timeZone)) return false;
  return isQuiet(hours, Math.max(from, to), timeZone);
}

/** Whether a time of day, `HH:MM`, is within a part of the day. */
export function isTimeWithin({ from, to }: PartOfDay, time: string): boolean {
  return from < to ? from <= time && time < to : from <= time || time < to;
}
