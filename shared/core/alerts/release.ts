import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts';
import type { Alert } from './alert.ts';
import { isQuiet, type QuietHours } from './quiet-hours.ts';

/** The longest that telling people may take: the timeout of its function. */
export const RELEASE_TIMEOUT_SECONDS = 120;

/** When a channel is told. */
export interface ReleaseTiming {
  /** Seconds that the first alert waits for others. */
  readonly digestSeconds: number;
  readonly quietHours?: QuietHours | undefined;
}

export interface ReleaseMoment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** `all`: what waits for others does not wait any longer. Quiet hours hold. */
  readonly scope: 'due' | 'all';
}

/**
 * Which of the waiting alerts, given in the order in which they were seen, go out now as one. Urgent ones at once,
 * with what waits of the same record before them: told alone they would come before their own past. The others when
 * the first of them has waited for `digestSeconds`, and nothing but urgent ones in quiet hours.
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
  // Seen by a clock that was ahead: how long it has waited nobody knows, and it is not kept until then.
  const isMisdated = oldest.at > now + CLOCK_TOLERANCE_MS;
  return scope === 'all' || isMisdated || now - oldest.at >= digestSeconds * 1000;
}
