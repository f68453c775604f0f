import { connectionAt, MINUTE_MS } from '../settings.ts';
import type { Evidence } from './evidence.ts';
import { dayAt, shiftDay } from './local-time.ts';

/**
 * How often a date is looked at, read from the design alone: yesterday, today and tomorrow by every poll of a minute;
 * past dates with timesheets that are not processed every five minutes; all others of the window, dates ahead
 * included, every half hour.
 */
export const CADENCES_MS = { hot: MINUTE_MS, active: 5 * MINUTE_MS, settled: 30 * MINUTE_MS } as const;
/** Longest time after which a date that failed is tried again. */
export const MAX_BACKOFF_MS = 30 * MINUTE_MS;

export type DateClass = keyof typeof CADENCES_MS;

/** Of which class a date is for certain at an instant. Whether it is active, who asks must know. */
export function classOf(
  evidence: Evidence,
  date: string,
  { at, active }: { readonly at: number; readonly active: boolean },
): DateClass {
  const { timeZone } = connectionAt(evidence.history.settings, at);
  const today = dayAt(at, timeZone);
  if (shiftDay(today, -1) <= date && date <= shiftDay(today, 1)) return 'hot';
  return active && date < today ? 'active' : 'settled';
}

/** How long a date that failed so many times in a row may be left alone: a minute at first, twice as long each time. */
export function backoffMs(failures: number): number {
  return Math.min(MAX_BACKOFF_MS, 2 ** failures * MINUTE_MS);
}
