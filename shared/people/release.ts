import { isMisdated } from '../core/clock-tolerance.ts';
import type { Alert } from './alert.ts';
import { isNewsOfPeriod, listPeriodKeys, sortBySeen, toRecordKey } from './digest/record-order.ts';
import { isQuiet, isWeekend, type QuietHours } from './quiet-hours.ts';

/** Timeout of the function that releases alerts. */
export const RELEASE_TIMEOUT_SECONDS = 120;

/** Messages that are sealed at once: one transaction holds at most 100 items and 4 MB. */
export const MAX_SEALED_MESSAGES = 50;

/** From this many waiting alerts on, one after another, they are a burst such as a payroll run. */
const MIN_BURST = 20;
/** For so long the first alert waits for others, so that they become one message. */
const DIGEST_MS = 60_000;
/**
 * For so long an alert that can wait is gathered with others of its pay period: nobody acts on each of them within the
 * hour, and one message is read where ten are not.
 */
const GATHER_MS = 3_600_000;
/** A burst that goes on waits for so much longer at most. */
const MAX_EXTENSION_MS = 600_000;

export interface ReleaseMoment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** `all` waits for no others; quiet hours hold. */
  readonly scope: 'due' | 'all';
}

/**
 * Selects the waiting alerts, given in the order of observation, that are sent now as one message. Urgent ones are due
 * at once, together with earlier ones of the same record, so that a record's alerts stay in order. The others are due
 * when the first of them has waited for a minute, but not in quiet hours. A burst that goes on waits until it pauses, up
 * to ten minutes more. What can wait for more of its pay period does so for an hour, or until there is news of the
 * period itself.
 */
export function selectDueAlerts(
  waiting: readonly Alert[],
  { quietHours }: { readonly quietHours?: QuietHours | undefined },
  moment: ReleaseMoment,
): Alert[] {
  const { now } = moment;
  const zones = new Set(quietHours === undefined ? [] : waiting.map(({ timeZone }) => timeZone));
  const quiet = new Set(
    [...zones].filter((zone) => quietHours !== undefined && isQuiet(quietHours, now, zone)),
  );
  const isHeld = ({ timeZone }: Alert) => quiet.has(timeZone);
  const calm = waiting.filter((alert) => !alert.urgent && !isHeld(alert));
  const ready = calm.filter((alert) => !isGathering(alert, moment));
  const due = new Set([...selectUrgent(waiting), ...(hasWaited(ready, moment) ? ready : [])]);
  for (const alert of selectCompanions(calm, due)) due.add(alert);
  return waiting.filter((alert) => due.has(alert));
}

/** Whether it still waits for others of its pay period. On a weekend nobody acts on it. */
function isGathering({ waits, at, timeZone }: Alert, { now, scope }: ReleaseMoment): boolean {
  if (waits === undefined || scope === 'all' || isMisdated(at, now)) return false;
  return now < at + GATHER_MS || isWeekend(now, timeZone);
}

/**
 * What waits no longer, because what it waits for is sent: news of its pay period itself, other news of the period, or
 * of its record. What waits for an answer goes on waiting beside news of other timesheets.
 */
function selectCompanions(calm: readonly Alert[], due: ReadonlySet<Alert>): Alert[] {
  const sent = [...due];
  const closings = new Set(sent.filter(isNewsOfPeriod).map(toRecordKey));
  const periods = new Set(sent.filter(({ waits }) => waits !== undefined).flatMap(listPeriodKeys));
  const joins = (alert: Alert) => {
    const own = listPeriodKeys(alert);
    return own.some((key) => closings.has(key) || (alert.waits === 'news' && periods.has(key)));
  };
  const companions = calm.filter((alert) => alert.waits !== undefined && joins(alert));
  const records = new Set(
    [...sent, ...companions].filter(({ subject }) => subject !== null).map(toRecordKey),
  );
  return calm.filter((alert) => alert.waits !== undefined && records.has(toRecordKey(alert)));
}

function selectUrgent(waiting: readonly Alert[]): Alert[] {
  const ordered = sortBySeen(waiting);
  const last = new Map<string, number>();
  for (const [place, { urgent, connection, subject }] of ordered.entries()) {
    if (urgent && subject !== null) last.set(`${connection} ${subject}`, place);
  }
  return ordered.filter(
    ({ urgent, connection, subject }, place) =>
      urgent || (subject !== null && place < (last.get(`${connection} ${subject}`) ?? 0)),
  );
}

function hasWaited(calm: readonly Alert[], { now, scope }: ReleaseMoment): boolean {
  const [oldest] = calm;
  if (oldest === undefined) return false;
  // Seen by a clock that was ahead: how long it has waited is unknown, and it is not kept until then.
  const isUndated = isMisdated(oldest.at, now);
  if (scope === 'all' || isUndated) return true;
  const waited = now - oldest.at;
  return waited >= DIGEST_MS && (waited >= DIGEST_MS + MAX_EXTENSION_MS || !goesOn(calm, now - DIGEST_MS));
}

/** Whether a burst had another alert after the given instant. */
function goesOn(calm: readonly Alert[], since: number): boolean {
  return calm.length >= MIN_BURST && calm.some(({ at }) => at > since);
}
