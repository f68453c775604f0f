import { isMisdated } from '../core/clock-tolerance.ts';
import { addDays, isDate, parseInstant, parseMidnightDate } from '../core/dates.ts';
import { type PayPeriodHint, readClosedBetween } from '../core/records/pay-period.ts';

/** When something happened, at the earliest and at the latest, in milliseconds since 1970. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** When a change was seen, and when the source says that it happened. */
export interface ChangeTime {
  readonly observed: { readonly after: number | null; readonly by: number };
  /** The source's own stamp of the change, in milliseconds since 1970; null without one. */
  readonly stampedAt: number | null;
  /** The connection's zone, for stamps without an offset. */
  readonly timeZone: string;
}

const LONG_AGO: Span = { from: Number.NEGATIVE_INFINITY, to: Number.NEGATIVE_INFINITY };

/**
 * Whether a change came before or after its pay period closed. The source's own stamps are compared; without one, or
 * where looks contradict it, it was between two looks. `unknown`: these overlap.
 */
export function compareWithClosing(
  change: ChangeTime,
  period: PayPeriodHint,
): 'before' | 'after' | 'unknown' {
  const { after, by } = change.observed;
  const changed = narrow({ from: after ?? Number.NEGATIVE_INFINITY, to: by }, change.stampedAt);
  const closed = findClosingTime(period, change);
  if (changed.to <= closed.from) return 'before';
  return changed.from >= closed.to && changed.from > Number.NEGATIVE_INFINITY ? 'after' : 'unknown';
}

function findClosingTime(period: PayPeriodHint, { observed, timeZone }: ChangeTime): Span {
  const now = observed.by;
  const between = readClosedBetween(period, now);
  const stamp = period.closedStamp ?? '';
  // A closing at midnight is a date that is written as an instant.
  const date = isDate(stamp) ? stamp : parseMidnightDate(stamp, timeZone);
  const stampedAt = date === null ? parseInstant(stamp, timeZone) : null;
  if (between !== undefined) {
    return narrow({ from: between.after ?? Number.NEGATIVE_INFINITY, to: between.by }, stampedAt);
  }
  const stamped = date === null ? toMoment(stampedAt) : toDay(date, timeZone);
  return stamped === null || isMisdated(stamped.from, now) ? LONG_AGO : stamped;
}

/** A stamp between two looks says when exactly; another one says nothing of when they could see it. */
function narrow(looks: Span, stampedAt: number | null): Span {
  const moment = toMoment(stampedAt);
  if (moment === null) return looks;
  const fits = !isMisdated(looks.from, moment.from) && !isMisdated(moment.to, looks.to);
  return fits ? moment : looks;
}

function toMoment(at: number | null): Span | null {
  return at === null ? null : { from: at, to: at };
}

function toDay(date: string, timeZone: string): Span | null {
  const [from, to] = [date, addDays(date, 1)].map((day) => parseInstant(`${day}T00:00:00`, timeZone));
  return from == null || to == null ? null : { from, to };
}
