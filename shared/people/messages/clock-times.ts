import { parseInstant } from '../../core/dates.ts';
import { formatAt, formatStamp, type MessageTimeContext } from './moments.ts';

/** Local time of a clocking in words; null when none is recorded. */
export function readClockTime(
  record: unknown,
  timeContext: MessageTimeContext,
): { at: string; text: string } | null {
  if (typeof record !== 'object' || record === null || !('localTime' in record)) return null;
  const { localTime } = record;
  const instant = typeof localTime === 'string' ? parseInstant(localTime, timeContext.timeZone) : null;
  if (typeof localTime !== 'string' || instant === null) return null;
  return { at: formatAt(instant, timeContext), text: formatStamp(localTime, timeContext) };
}
