import { isSnapshotType } from '../shared/core/event-types.ts';
import { compareEpochs, comparePositions, type EventPosition } from '../shared/core/events/event-order.ts';
import { dropGaps, type Gap, isMissing, updateGaps } from './gaps.ts';
import type { FoldableEvent, RecordEvent } from './workforce-event.ts';

/**
 * The state of a record, built from its events so far. Plain data: store it as JSON and pass it in with the next event.
 * Start with `null`.
 */
export interface Folded<Event extends FoldableEvent = RecordEvent> {
  /**
   * The latest epoch received. Absent until an event carries one.
   */
  readonly epoch?: string | undefined;
  /** Sequence of the last applied event of this epoch; 0 for none. */
  readonly sequence: number;
  /** The values of the record; null when it was removed, or when nothing was applied yet. */
  readonly current: NonNullable<Event['data']['current']> | null;
  readonly removed: boolean;
  /**
   * Sequences of this epoch that are missing although later ones arrived: still on their way, filtered out, published
   * on another topic, or older than your subscription.
   */
  readonly missing: readonly Gap[];
  /** Events that wait for a missing one, in order. Empty unless `gaps` is `wait`. */
  readonly waiting: readonly Event[];
  /** Members of `current` that the last event left out, with the sequence of the event that supplied them. */
  readonly inherited: Readonly<Record<string, number>>;
  /** Sequence of the last removal, unless a snapshot came after it; 0 for none. */
  readonly goneAt: number;
}

/**
 * `repeated`: this event was received before, or a snapshot holds what it says. `overtaken`: a later event was already applied, or one of a later epoch
 * was received. `waiting`: an earlier event is missing.
 */
export type FoldOutcome = 'applied' | 'repeated' | 'overtaken' | 'waiting';

export interface FoldResult<Event extends FoldableEvent = RecordEvent> {
  readonly outcome: FoldOutcome;
  readonly state: Folded<Event>;
  /** Events applied by this call, in order: the given one and those that waited for it. */
  readonly applied: readonly Event[];
}

export interface FoldOptions {
  /**
   * `take`, the default: an event is applied even when an earlier one is missing. Correct for keeping state, because
   * each event carries the whole record, and the only choice when you receive some of a record's events. `wait`: events
   * are applied strictly from 1 upwards and those behind a gap wait. For subscribers that receive all of a record's
   * events and act on each.
   */
  readonly gaps?: 'take' | 'wait';
}

/**
 * Applies an event to the state of its record. Pure. Events may arrive in any order and more than once: the same events
 * always give the same state. An event of a later epoch ends the earlier epoch: waiting events are applied, and from
 * then on only the later epoch counts. A snapshot takes the place of all events up to its sequence, arrived or not.
 * Keep one state per `recordKey`.
 */
export function fold<Event extends FoldableEvent>(
  state: Folded<Event> | null,
  event: Event,
  { gaps = 'take' }: FoldOptions = {},
): FoldResult<Event> {
  const entered = enterEpoch(state ?? emptyState<Event>(), event);
  if (entered === null) return { outcome: 'overtaken', state: state ?? emptyState<Event>(), applied: [] };
  return isSnapshotType(event.type) ? foldSnapshot(entered, event, gaps) : foldChange(entered, event, gaps);
}

function foldChange<Event extends FoldableEvent>(
  { known, released }: EnteredEpoch<Event>,
  event: Event,
  gaps: FoldOptions['gaps'],
): FoldResult<Event> {
  const { sequence } = event;
  const highest = known.waiting.at(-1)?.sequence ?? known.sequence;
  if (sequence <= highest && !isMissing(known.missing, sequence)) {
    return { outcome: 'repeated', state: known, applied: [] };
  }
  const noted = { ...known, missing: updateGaps(known.missing, sequence, highest) };
  if (sequence < known.sequence) return { outcome: 'overtaken', state: merge(noted, event), applied: [] };
  const arrived = [...known.waiting, event].sort(comparePositions);
  const ready = gaps === 'take' ? arrived.length : countReady(arrived, known.sequence);
  const applied = arrived.slice(0, ready);
  const next = { ...applied.reduce(merge<Event>, noted), waiting: arrived.slice(ready) };
  return {
    outcome: applied.includes(event) ? 'applied' : 'waiting',
    state: next,
    applied: [...released, ...applied],
  };
}

function foldSnapshot<Event extends FoldableEvent>(
  { known, released }: EnteredEpoch<Event>,
  snapshot: Event,
  gaps: FoldOptions['gaps'],
): FoldResult<Event> {
  const based = rebase(known, snapshot);
  if (snapshot.sequence < known.sequence) return { outcome: 'overtaken', state: based, applied: [] };
  if (isSameState(based, known)) return { outcome: 'repeated', state: known, applied: [] };
  const { waiting } = based;
  const ready = gaps === 'take' ? waiting.length : countReady(waiting, based.sequence);
  const next = waiting.slice(0, ready);
  return {
    outcome: 'applied',
    state: { ...next.reduce(merge<Event>, based), waiting: waiting.slice(ready) },
    applied: [...released, snapshot, ...next],
  };
}

/** The state with everything up to a snapshot replaced by it; what is known from later events stays. */
function rebase<Event extends FoldableEvent>(state: Folded<Event>, snapshot: Event): Folded<Event> {
  const { sequence } = snapshot;
  const isGone = snapshot.data.current === null;
  const later = listKnownMembers(state).filter(({ from }) => from > sequence);
  const goneBefore = isGone ? sequence : 0;
  return compose(
    {
      ...state,
      missing: dropGaps(state.missing, sequence),
      waiting: state.waiting.filter((event) => event.sequence > sequence),
      sequence: Math.max(state.sequence, sequence),
      removed: sequence >= state.sequence ? isGone : state.removed,
      goneAt: state.goneAt > sequence ? state.goneAt : goneBefore,
    },
    [...listEventMembers(snapshot), ...later],
  );
}

/** The state once it has moved to the epoch of an event. */
interface EnteredEpoch<Event extends FoldableEvent> {
  readonly known: Folded<Event>;
  /** Waiting events of the earlier epoch, applied now. */
  readonly released: readonly Event[];
}

/** Null when the epoch of the event is over. */
function enterEpoch<Event extends FoldableEvent>(
  known: Folded<Event>,
  { epoch }: EventPosition,
): EnteredEpoch<Event> | null {
  const order = compareEpochs(epoch, known.epoch);
  if (order < 0) return null;
  if (order === 0) return { known, released: [] };
  const ended = foldWaiting(known);
  // Sequences restart: every known member is older than any event of the new epoch, and than its baseline, which is 0.
  const inherited = Object.fromEntries(Object.keys(ended.state.current ?? {}).map((name) => [name, -1]));
  return {
    known: { ...ended.state, epoch, sequence: 0, missing: [], inherited, goneAt: 0 },
    released: ended.applied,
  };
}

/** A record after several events. */
export interface FoldAllResult<Event extends FoldableEvent = RecordEvent> {
  readonly state: Folded<Event>;
  /** Events applied by this call, in order. */
  readonly applied: readonly Event[];
}

/** Applies several events of one record with `fold`, in any order. Pure. */
export function foldAll<Event extends FoldableEvent>(
  state: Folded<Event> | null,
  events: Iterable<Event>,
  options: FoldOptions = {},
): FoldAllResult<Event> {
  const applied: Event[] = [];
  let known = state ?? emptyState<Event>();
  for (const event of events) {
    const folded: FoldResult<Event> = fold(known, event, options);
    applied.push(...folded.applied);
    known = folded.state;
  }
  return { state: known, applied };
}

/** Applies all waiting events. For when the missing ones will never arrive. */
export function foldWaiting<Event extends FoldableEvent>(state: Folded<Event>): FoldResult<Event> {
  const applied = state.waiting;
  return { outcome: 'applied', state: { ...applied.reduce(merge<Event>, state), waiting: [] }, applied };
}

/** Key of the record of an event, unique over all connections and feeds. */
export function recordKey({ source, subject = '' }: FoldableEvent): string {
  return `${source}/${subject}`;
}

function emptyState<Event extends FoldableEvent>(): Folded<Event> {
  return { sequence: 0, current: null, removed: false, missing: [], waiting: [], inherited: {}, goneAt: 0 };
}

/** How many of the events continue the sequence after `last` without a gap. */
function countReady(events: readonly FoldableEvent[], last: number): number {
  const stop = events.findIndex(({ sequence }, index) => sequence !== last + 1 + index);
  return stop === -1 ? events.length : stop;
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
function merge<Event extends FoldableEvent>(state: Folded<Event>, event: Event): Folded<Event> {
  const goneAt = event.data.current === null ? Math.max(state.goneAt, event.sequence) : state.goneAt;
  const sequence = Math.max(state.sequence, event.sequence);
  const removed = sequence === event.sequence ? event.data.current === null : state.removed;
  const members = [...listKnownMembers(state), ...listEventMembers(event)];
  return compose({ ...state, sequence, removed, goneAt }, members);
}

/** A state with the latest of these members. */
function compose<Event extends FoldableEvent>(
  state: Folded<Event>,
  members: readonly Member[],
): Folded<Event> {
  const { sequence, removed, goneAt } = state;
  if (removed) return { ...state, current: null, inherited: {} };
  const latest = members
    .filter(({ from }) => (goneAt === 0 ? from >= 0 : from > goneAt))
    .sort((left, right) => left.from - right.from);
  const origins = Object.fromEntries(latest.map(({ name, from }) => [name, from]));
  return {
    ...state,
    current: Object.fromEntries(latest.map(({ name, value }) => [name, value])) as Folded<Event>['current'],
    inherited: Object.fromEntries(Object.entries(origins).filter(([, from]) => from !== sequence)),
  };
}

function listKnownMembers({ current, sequence, inherited }: Folded<FoldableEvent>): Member[] {
  return Object.entries(current ?? {}).map(([name, value]) => {
    return { name, value, from: inherited[name] ?? sequence };
  });
}

function listEventMembers({ data, sequence }: FoldableEvent): Member[] {
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
