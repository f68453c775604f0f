import { isSnapshotType } from '../shared/core/event-types.ts';
import { compareEpochs } from '../shared/core/events/event-order.ts';
import { dropGaps, type Gap, isMissing, updateGaps } from './gaps.ts';
import type { RecordEvent } from './workforce-event.ts';

/**
 * The state of a record by its events so far. Plain data: store it as JSON under the `partitionkey` of the event, and pass
 * it in with the next one. `FoldState<TimesheetEvent>` is that of a timesheet.
 */
export interface FoldState<Event extends RecordEvent = RecordEvent> {
  /** The latest epoch received. Absent until an event carries one. */
  readonly epoch?: string | undefined;
  /** Sequence of the last applied event of this epoch; 0 for none. */
  readonly sequence: number;
  /** The values of the record; null when it was removed. */
  readonly current: NonNullable<Event['data']['current']> | null;
  readonly removed: boolean;
  /**
   * Sequences of this epoch that did not come although later ones did: still on their way, filtered out, published on
   * another topic, or older than your subscription.
   */
  readonly missing: readonly Gap[];
  /** Members of `current` that the last event left out, with the sequence of the event that supplied them. */
  readonly inherited: Readonly<Record<string, number>>;
  /** Sequence of the last removal, unless a snapshot came after it; 0 for none. */
  readonly goneAt: number;
}

/**
 * `repeated`: this event was received before, or a snapshot holds what it says. `overtaken`: a later event was already
 * applied, or one of a later epoch was received.
 */
export type FoldOutcome = 'applied' | 'repeated' | 'overtaken';

export interface FoldResult<Event extends RecordEvent = RecordEvent> {
  readonly outcome: FoldOutcome;
  readonly state: FoldState<Event>;
}

/**
 * Applies an event to the state of its record, which is null at first. Pure. Events may come in any order and more than
 * once: the same events always give the same state. Each has the whole record, so that an event is applied although an
 * earlier one is missing. One of a later epoch ends the earlier epoch; a snapshot takes the place of all events up to its
 * sequence.
 */
export function fold<Event extends RecordEvent>(
  state: FoldState<Event> | null,
  event: Event,
): FoldResult<Event> {
  const known = enterEpoch(state ?? EMPTY, event);
  if (known === null) return { outcome: 'overtaken', state: state ?? EMPTY };
  return isSnapshotType(event.type) ? foldSnapshot(known, event) : foldChange(known, event);
}

const EMPTY = { sequence: 0, current: null, removed: false, missing: [], inherited: {}, goneAt: 0 } as const;

function foldChange<Event extends RecordEvent>(known: FoldState<Event>, event: Event): FoldResult<Event> {
  const { sequence } = event;
  if (sequence <= known.sequence && !isMissing(known.missing, sequence))
    return { outcome: 'repeated', state: known };
  const missing = updateGaps(known.missing, sequence, known.sequence);
  const outcome = sequence < known.sequence ? 'overtaken' : 'applied';
  return { outcome, state: merge({ ...known, missing }, event) };
}

function foldSnapshot<Event extends RecordEvent>(
  known: FoldState<Event>,
  snapshot: Event,
): FoldResult<Event> {
  const state = rebase(known, snapshot);
  if (snapshot.sequence < known.sequence) return { outcome: 'overtaken', state };
  return isSameState(state, known) ? { outcome: 'repeated', state: known } : { outcome: 'applied', state };
}

/** The state with everything up to a snapshot replaced by it; what is known from later events stays. */
function rebase<Event extends RecordEvent>(state: FoldState<Event>, snapshot: Event): FoldState<Event> {
  const { sequence } = snapshot;
  const isGone = snapshot.data.current === null;
  const later = listKnownMembers(state).filter(({ from }) => from > sequence);
  const goneBefore = isGone ? sequence : 0;
  return compose(
    {
      ...state,
      missing: dropGaps(state.missing, sequence),
      sequence: Math.max(state.sequence, sequence),
      removed: sequence >= state.sequence ? isGone : state.removed,
      goneAt: state.goneAt > sequence ? state.goneAt : goneBefore,
    },
    [...listEventMembers(snapshot), ...later],
  );
}

/** The state in the epoch of an event; null when that is over. */
function enterEpoch<Event extends RecordEvent>(
  known: FoldState<Event>,
  { epoch }: Event,
): FoldState<Event> | null {
  const order = compareEpochs(epoch, known.epoch);
  if (order <= 0) return order < 0 ? null : known;
  // Sequences restart: every known member is older than any event of the new epoch, and than its baseline, which is 0.
  const inherited = Object.fromEntries(Object.keys(known.current ?? {}).map((name) => [name, -1]));
  return { ...known, epoch, sequence: 0, missing: [], inherited, goneAt: 0 };
}

/** A value of a record, and the sequence of the event that supplied it. */
interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly from: number;
}

/**
 * Merges an event into the state, whichever is newer. The newer one wins. Members that it leaves out (`details` are
 * only in events that change them) keep the value of the last event that had them, unless the record was removed in
 * between.
 */
function merge<Event extends RecordEvent>(state: FoldState<Event>, event: Event): FoldState<Event> {
  const goneAt = event.data.current === null ? Math.max(state.goneAt, event.sequence) : state.goneAt;
  const sequence = Math.max(state.sequence, event.sequence);
  const removed = sequence === event.sequence ? event.data.current === null : state.removed;
  const members = [...listKnownMembers(state), ...listEventMembers(event)];
  return compose({ ...state, sequence, removed, goneAt }, members);
}

/** A state with the latest of these members. */
function compose<Event extends RecordEvent>(
  state: FoldState<Event>,
  members: readonly Member[],
): FoldState<Event> {
  const { sequence, removed, goneAt } = state;
  if (removed) return { ...state, current: null, inherited: {} };
  const latest = members
    .filter(({ from }) => (goneAt === 0 ? from >= 0 : from > goneAt))
    .sort((left, right) => left.from - right.from);
  const origins = Object.fromEntries(latest.map(({ name, from }) => [name, from]));
  return {
    ...state,
    current: Object.fromEntries(
      latest.map(({ name, value }) => [name, value]),
    ) as unknown as FoldState<Event>['current'],
    inherited: Object.fromEntries(Object.entries(origins).filter(([, from]) => from !== sequence)),
  };
}

function listKnownMembers({ current, sequence, inherited }: FoldState): Member[] {
  return Object.entries(current ?? {}).map(([name, value]) => {
    return { name, value, from: inherited[name] ?? sequence };
  });
}

function listEventMembers({ data, sequence }: RecordEvent): Member[] {
  return Object.entries(data.current ?? {}).map(([name, value]) => ({ name, value, from: sequence }));
}

/** Whether two states say the same, in whatever order their members are. */
function isSameState(left: object, right: object): boolean {
  return JSON.stringify(left, sortMembers) === JSON.stringify(right, sortMembers);
}

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
