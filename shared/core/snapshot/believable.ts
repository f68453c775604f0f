import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts';
import type { Head } from './head.ts';
import type { ConnectionState } from './state.ts';

/** The longest wait before a slice that failed is tried again. */
const MAX_WAIT_MS = 3_600_000;

/**
 * The stored state as of now (rule 20): an instant that lies ahead by more than the tolerance came from a wrong clock,
 * and is as if absent. The connection's own clock alone never goes back.
 */
export function believeState(state: ConnectionState, now: number): ConnectionState {
  const isPast = (at: number) => at <= now + CLOCK_TOLERANCE_MS;
  const { unreachable, remindedUntil, smallPages } = state;
  return {
    ...state,
    lookedAt: filterValues(state.lookedAt, isPast),
    failing: filterValues(
      state.failing,
      ({ since, nextAt }) => isPast(since) && isPast(nextAt - MAX_WAIT_MS),
    ),
    unreachable: unreachable !== null && isPast(unreachable.since) ? unreachable : null,
    troubles: state.troubles.map((each) => (isPast(each.since) ? each : { ...each, since: now })),
    remindedUntil: remindedUntil !== null && isPast(remindedUntil) ? remindedUntil : null,
    smallPages: smallPages !== null && isPast(smallPages.since) ? smallPages : null,
  };
}

/** The same of a head: the head itself where all of it is believed. */
export function believeHead(head: Head, now: number): Head {
  const isPast = (at: number) => at <= now + CLOCK_TOLERANCE_MS;
  const { doubt, pending = [], changedAt, unlisted, bad } = head;
  const isDoubted = doubt === null || [doubt.since, ...doubt.losses.map(({ at }) => at)].every(isPast);
  const isKnown =
    isDoubted &&
    isPast(changedAt ?? 0) &&
    isPast(bad?.since ?? 0) &&
    isPast(unlisted?.askedAt ?? 0) &&
    pending.every(({ by }) => isPast(by));
  if (isKnown) return head;
  return {
    ...head,
    doubt: isDoubted ? doubt : null,
    changedAt: changedAt !== null && isPast(changedAt) ? changedAt : null,
    bad: bad === null || isPast(bad.since) ? bad : { ...bad, since: now },
    unlisted: unlisted === null || isPast(unlisted.askedAt) ? unlisted : { ...unlisted, askedAt: 0 },
    ...(head.pending === undefined ? {} : { pending: pending.filter(({ by }) => isPast(by)) }),
  };
}

function filterValues<Value>(
  record: Readonly<Record<string, Value>>,
  isKept: (value: Value) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => isKept(value)));
}
