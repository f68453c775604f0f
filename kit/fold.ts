import { compareEpochs, comparePositions, type EventPosition } from '../shared/core/events/event-order.ts';
import { type Gap, isMissing, updateGaps } from './gaps.ts';
import type { RecordEvent } from './workforce-event.ts';

/**
 * A record as its events tell it so far. Plain data: store it as JSON, and give it back with the next event. Begin with
 * `null`.
 */
export interface Folded<Event extends RecordEvent = RecordEvent> {
  /**
   * The latest epoch of which an event came. Absent before the first event that has one, and in what was stored before
   * there were epochs.
   */
  readonly epoch?: string | undefined;
  /** Of the last event of this epoch that was applied; 0 for none. */
  readonly sequence: number;
  /** The record as it is; null when it is gone, or nothing was applied. */
  readonly current: NonNullable<Event['data']['current']> | null;
  readonly removed: boolean;
  /**
   * Events of this epoch that did not come though later ones did: on their way, filtered out, on another topic of the
   * same record, or from before you subscribed.
   */
  readonly missing: readonly Gap[];
  /** Events that wait for a missing one, in order; with `gaps: 'wait'` only. */
  readonly waiting: readonly Event[];
  /** Members of `current` that its event left out, with the sequence of the event they are from. */
  readonly inherited: Readonly<Record<string, number>>;
  /** Sequence of the last event that told that the record was gone; 0 for none. */
  readonly goneAt: number;
}

/**
 * `repeated`: it had come before. `overtaken`: a later one had been applied, or one of a later epoch had come. `waiting`:
 * one before it is missing.
 */
export type FoldOutcome = 'applied' | 'repeated' | 'overtaken' | 'waiting';

export interface FoldResult<Event extends RecordEvent = RecordEvent> {
  readonly outcome: FoldOutcome;
  readonly state: Folded<Event>;
  /** What was applied now, in order: the event, and with it those that waited for it. */
  readonly applied: readonly Event[];
}

export interface FoldOptions {
  /**
   * `take`, the usual: an event is applied although one before it is missing. That is right for the state, since each
   * event has the whole of it, and the only way for who gets some of a record's events. `wait`: events are applied one
   * after the other from 1, and those behind a gap wait: for who gets all of them, and acts on each.
   */
  readonly gaps?: 'take' | 'wait';
}

/**
 * Applies an event to what is known of its record. Pure. Events may come in any order and any number of times: the same
 * events give the same state. An event of a later epoch ends the earlier one: what waited is applied, and the record is
 * as the events of the later epoch say. Keep one state for each `recordKey`.
 */
export function fold<Event extends RecordEvent>(
  state: Folded<Event> | null,
  event: Event,
  { gaps = 'take' }: FoldOptions = {},
): FoldResult<Event> {
  const entered = enterEpoch(state ?? unknown<Event>(), event);
  if (entered === null) return { outcome: 'overtaken', state: state ?? unknown<Event>(), applied: [] };
  const { known, released } = entered;
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

/** What is known, in the epoch of an event; null when that epoch is over. */
interface EnteredEpoch<Event extends RecordEvent> {
  readonly known: Folded<Event>;
  /** Events of the earlier epoch that waited, and are applied now. */
  readonly released: readonly Event[];
}

function enterEpoch<Event extends RecordEvent>(
  known: Folded<Event>,
  { epoch }: EventPosition,
): EnteredEpoch<Event> | null {
  const order = compareEpochs(epoch, known.epoch);
  if (order < 0) return null;
  if (order === 0) return { known, released: [] };
  const ended = foldWaiting(known);
  // Sequences count anew: every member known so far is older than any event of the new epoch.
  const inherited = Object.fromEntries(Object.keys(ended.state.current ?? {}).map((name) => [name, 0]));
  return {
    known: { ...ended.state, epoch, sequence: 0, missing: [], inherited, goneAt: 0 },
    released: ended.applied,
  };
}

/** A record after several of its events. */
export interface FoldAllResult<Event extends RecordEvent = RecordEvent> {
  readonly state: Folded<Event>;
  /** What was applied, one after the other. */
  readonly applied: readonly Event[];
}

/** Applies events of one record, in whatever order they are given, as `fold` does one after the other. Pure. */
export function foldAll<Event extends RecordEvent>(
  state: Folded<Event> | null,
  events: Iterable<Event>,
  options: FoldOptions = {},
): FoldAllResult<Event> {
  const applied: Event[] = [];
  let known = state ?? unknown<Event>();
  for (const event of events) {
    const folded: FoldResult<Event> = fold(known, event, options);
    applied.push(...folded.applied);
    known = folded.state;
  }
  return { state: known, applied };
}

/** Applies what waits for events that are not expected any more. */
export function foldWaiting<Event extends RecordEvent>(state: Folded<Event>): FoldResult<Event> {
  const applied = state.waiting;
  return { outcome: 'applied', state: { ...applied.reduce(merge<Event>, state), waiting: [] }, applied };
}

/** Names the record of an event, among those of all connections and feeds. */
export function recordKey({ source, subject = '' }: RecordEvent): string {
  return `${source}/${subject}`;
}

function unknown<Event extends RecordEvent>(): Folded<Event> {
  return { sequence: 0, current: null, removed: false, missing: [], waiting: [], inherited: {}, goneAt: 0 };
}

/** How many of these follow each other, and the one that was applied last. */
function countReady(events: readonly RecordEvent[], last: number): number {
  const stop = events.findIndex(({ sequence }, index) => sequence !== last + 1 + index);
  return stop === -1 ? events.length : stop;
}

/** A value of a record, and the sequence of the event it is from. */
interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly from: number;
}

/**
 * The state with an event in it, whichever of the two is newer. The newer one decides; what it leaves out (`details`
 * stand only in events that change them) is as the last event before it says, unless the record was gone in between.
 */
function merge<Event extends RecordEvent>(state: Folded<Event>, event: Event): Folded<Event> {
  const goneAt = event.data.current === null ? Math.max(state.goneAt, event.sequence) : state.goneAt;
  const sequence = Math.max(state.sequence, event.sequence);
  const removed = sequence === event.sequence ? event.data.current === null : state.removed;
  if (removed) return { ...state, sequence, current: null, removed, inherited: {}, goneAt };
  const members = [...listKnownMembers(state), ...listEventMembers(event)]
    .filter(({ from }) => from > goneAt)
    .sort((left, right) => left.from - right.from);
  const origins = Object.fromEntries(members.map(({ name, from }) => [name, from]));
  return {
    ...state,
    sequence,
    current: Object.fromEntries(members.map(({ name, value }) => [name, value])) as Folded<Event>['current'],
    removed,
    inherited: Object.fromEntries(Object.entries(origins).filter(([, from]) => from !== sequence)),
    goneAt,
  };
}

function listKnownMembers({ current, sequence, inherited }: Folded): Member[] {
  return Object.entries(current ?? {}).map(([name, value]) => {
    return { name, value, from: inherited[name] ?? sequence };
  });
}

function listEventMembers({ data, sequence }: RecordEvent): Member[] {
  return Object.entries(data.current ?? {}).map(([name, value]) => ({ name, value, from: sequence }));
}
