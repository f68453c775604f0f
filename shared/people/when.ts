import { isMisdated } from '../core/clock-tolerance.ts';
import type { Group } from './groups.ts';
import { isQuiet, type QuietHours } from './quiet-hours.ts';
import { DELAYS_MS } from './waiting-event.ts';

/** Timeout of the function that releases messages. */
export const RELEASE_TIMEOUT_SECONDS = 120;

/** Messages that are sealed at once: one transaction holds at most 100 items and 4 MB. */
export const MAX_SEALED_MESSAGES = 50;

export interface ReleaseMoment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** `all` waits for no others; quiet hours hold. */
  readonly scope: 'due' | 'all';
}

interface ChannelHours {
  readonly quietHours?: QuietHours | undefined;
  /** IANA zone of a connection. */
  readonly timeZoneOf: (connection: string) => string;
}

/**
 * The groups of a channel that are sent now. What is sent as one message goes whole, as soon as one of its events has
 * waited long enough; in quiet hours, once one of them is urgent.
 */
export function selectDue(
  groups: readonly Group[],
  { quietHours, timeZoneOf }: ChannelHours,
  moment: ReleaseMoment,
): Group[] {
  const isHeld = ({ connection, events }: Group) =>
    quietHours !== undefined &&
    events.every((each) => !each.waiting.urgent) &&
    isQuiet(quietHours, moment.now, timeZoneOf(connection));
  return groups.filter((group) => !isHeld(group) && isDue(group, moment));
}

function isDue({ events }: Group, { now, scope }: ReleaseMoment): boolean {
  return (
    scope === 'all' ||
    events.some(
      // Of one that was seen by a clock ahead nobody knows how long it has waited.
      ({ waiting: { at, delay, urgent } }) => urgent || isMisdated(at, now) || now - at >= DELAYS_MS[delay],
    )
  );
}
