import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts';
import type { Alert } from './alert.ts';
import { isQuiet, type QuietHours } from './quiet-hours.ts';

/** Timeout of the function that releases alerts. */
export const RELEASE_TIMEOUT_SECONDS = 120;

export interface ReleaseTiming {
  /** Seconds for which the first alert waits for others, so that they become one message. */
  readonly digestSeconds: number;
  readonly quietHours?: QuietHours | undefined;
}

export interface ReleaseMoment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** `all` ignores `digestSeconds`; quiet hours hold. */
  readonly scope: 'due' | 'all';
}

/**
 * Selects the waiting alerts, given in the order of observation, that are sent now as one message. Urgent ones are due
 * at once, together with earlier ones of the same record, so that a record's alerts stay in order. The others are due
 * when the first of them has waited for `digestSeconds`, but not in quiet hours.
 */
export function selectDueAlerts(
  waiting: readonly Alert[],
  channel: ReleaseTiming,
  moment: ReleaseMoment,
): Alert[] {
  const { now } = moment;
  const { quietHours } = channel;
  const isHeld = ({ timeZone }: Alert) => quietHours !== undefined && isQuiet(quietHours, now, timeZone);
  const calm = waiting.filter((alert) => !alert.urgent && !isHeld(alert));
  const due = new Set([...selectUrgent(waiting), ...(hasWaited(calm, channel, moment) ? calm : [])]);
  return waiting.filter((alert) => due.has(alert));
}

function selectUrgent(waiting: readonly Alert[]): Alert[] {
  const last = new Map<string, number>();
  for (const [place, { urgent, connection, subject }] of waiting.entries()) {
    if (urgent && subject !== null) last.set(`${connection} ${subject}`, place);
  }
  return waiting.filter(
    ({ urgent, connection, subject }, place) =>
      urgent || (subject !== null && place < (last.get(`${connection} ${subject}`) ?? 0)),
  );
}

function hasWaited(
  calm: readonly Alert[],
  { digestSeconds }: ReleaseTiming,
  { now, scope }: ReleaseMoment,
): boolean {
  const [oldest] = calm;
  if (oldest === undefined) return false;
  // Seen by a clock that was ahead: how long it has waited is unknown, and it is not kept until then.
  const isMisdated = oldest.at > now + CLOCK_TOLERANCE_MS;
  return scope === 'all' || isMisdated || now - oldest.at >= digestSeconds * 1000;
}
