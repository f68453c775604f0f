import { type EventState, readText } from './event-state.ts';
import type { TimesheetEvent } from './read-events.ts';

/** A timesheet before its first event and after its last: null when there was none, or is none. */
export interface States {
  readonly before: EventState;
  readonly after: EventState;
}

/**
 * What stood before events and stands after them. All events of one look have the timesheet as that look found it, so
 * that what stood before is told by all of them together. Fields that only some events have are taken from these.
 */
export function foldStates(events: readonly TimesheetEvent[]): States {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return { before: null, after: null };
  const backwards = events.toReversed();
  const ofLook = backwards.filter(({ data }) => data.observed.by === first.data.observed.by);
  const before = merge([...backwards.map(toPrevious), first.data.current, ...ofLook.map(toPrevious)]);
  const after = merge(events.map(({ data }) => data.current));
  return {
    before: first.data.previous === null ? null : before,
    after: last.data.current === null ? null : after,
  };
}

function toPrevious({ data }: TimesheetEvent): EventState {
  return data.previous;
}

/** Of each field the last value. */
function merge(states: readonly EventState[]): EventState {
  return Object.fromEntries(states.flatMap((state) => Object.entries(state ?? {})));
}

export function isStamped(state: EventState, field: string): boolean {
  return readText(state, field) !== null;
}

/** Whether its hours can be paid, as an account counts them. */
export function isReadyState(state: EventState): boolean {
  return isStamped(state, 'approvedHours') || isStamped(state, 'processed');
}
