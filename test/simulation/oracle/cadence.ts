import { connectionAt, MINUTE_MS } from '../settings.ts';
import type { Evidence } from './evidence.ts';
import { dayAt, shiftDay } from './local-time.ts';

/**
 * Cadences of dates, stated without the engine's code: yesterday, today and tomorrow every minute; past dates with
 * unprocessed timesheets every five minutes; all other dates of the window, including dates ahead, every half hour.
 */
export const CADENCES_MS = { hot: MINUTE_MS, active: 5 * MINUTE_MS, settled: 30 * MINUTE_MS } as const;
/** Longest wait before the retry of a failed date. */
export const MAX_BACKOFF_MS = 30 * MINUTE_MS;

export type DateClass = keyof typeof CADENCES_MS;

/** The class of a date at an instant; the caller says whether it has unprocessed timesheets. */
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

/** Wait before the retry of a date after failures in a row: a minute at first, then twice as long each time. */
export function backoffMs(failures: number): number {
  return Math.min(MAX_BACKOFF_MS, 2 ** failures * MINUTE_MS);
}
