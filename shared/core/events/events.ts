import { hash } from 'node:crypto';
import type { Change } from '../compare/change.ts';
import { isDate, parseInstant, toIso } from '../dates.ts';
import { type RecordEventType, type ShortEventType, sourceOf, toEventType } from '../event-types.ts';
import type { FeedKey } from '../feeds.ts';
import { toQueueSafeJson } from '../queue-safe-json.ts';
import { type FeedDefinition, type Marker, type State, toState } from '../records/feed-definition.ts';
import type { Json } from '../records/fields.ts';
import { type EpochRule, NO_EPOCHS } from '../snapshot/epochs.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';
import { beginEvents } from './beginnings.ts';
import type { CloseManifest } from './close-manifest.ts';
import type { EventPosition } from './event-order.ts';
import { findLateAfter, findTransitions, pick, rewriteInNotation, type Transition } from './transitions.ts';

/** Version of the shape of `data`; part of `dataschema`. Only additions keep it. */
const SCHEMA_VERSION = 1;

/** What is needed to tell a change besides the change itself. */
export interface EventContext {
  readonly feed: FeedKey;
  readonly definition: FeedDefinition;
  /** The connection's zone: for clock times that come without an offset. */
  readonly timeZone: string;
  /** Whether every pay period that covers a date is closed, and there is one. */
  readonly isClosed: (date: string) => boolean;
  /** What stood on the dates of pay periods that closed, by their ids. */
  readonly manifests: ReadonlyMap<string, CloseManifest>;
  /** When new epochs begin; without it nothing was restored, and no epoch was given. */
  readonly epochs?: EpochRule;
}

/** A change as it will be told and remembered. */
export interface ChangeEvents {
  readonly change: Change;
  /** CloudEvents as JSON, in the order of their sequence. */
  readonly texts: readonly string[];
  /** Their types, in the same order. */
  readonly types: readonly RecordEventType[];
  /** The row as it becomes; null when the record is gone. `epoch` and `sequence` then say where a return goes on. */
  readonly row: LeafRow | null;
  readonly epoch?: number;
  readonly sequence: number;
}

/**
 * Event ids are computed (rule 4): 128 bits of a hash of connection, feed, record, epoch and sequence. The same change
 * found by anybody, at any time, has the same id. A number is the sequence of a record without an epoch: the ids of
 * such events are what they were before there were epochs.
 */
export function computeEventId(feed: FeedKey, recordId: string, position: number | EventPosition): string {
  const { epoch, sequence } =
    typeof position === 'number' ? { epoch: undefined, sequence: position } : position;
  const order = epoch === undefined ? [sequence] : [epoch, sequence];
  const name = JSON.stringify([feed.connection, feed.feed, recordId, ...order]);
  return hash('sha256', name, 'hex').slice(0, 32);
}

/** A position as events say it. `epoch` in milliseconds since 1970. */
export function toPosition({
  epoch,
  sequence,
}: {
  readonly epoch?: number | undefined;
  readonly sequence: number;
}): EventPosition {
  return epoch === undefined ? { sequence } : { epoch: toIso(epoch), sequence };
}

/** The URI of the JSON Schema of an event's `data`. */
export function toDataSchemaUri(type: ShortEventType): string {
  return `urn:workforce-change-notifier:schema:${type}:${SCHEMA_VERSION}`;
}

/** Tells a change: one event per step, and the row that remembers what was told. */
export function toEvents(change: Change, context: EventContext): ChangeEvents {
  if (change.silent === true) return toSilentChange(change);
  const { definition, timeZone } = context;
  const after = change.after === null ? null : toState(definition, change.after.row);
  const stored = change.before === null ? null : toState(definition, change.before.row.state);
  const before = stored === null || after === null ? stored : rewriteInNotation(after, stored, timeZone);
  const transitions = findTransitions(definition, before, after);
  const beginning = beginEvents(change, {
    isTold: transitions.length > 0,
    epochs: context.epochs ?? NO_EPOCHS,
  });
  const { isRestart } = beginning;
  const epoch = beginning.epoch === undefined ? {} : { epoch: beginning.epoch };
  const sent: Record<string, number> = { ...beginning.sent };
  const texts: string[] = [];
  const types: RecordEventType[] = [];
  let { sequence } = beginning;
  for (const transition of transitions) {
    sequence += 1;
    const position = toPosition({ ...epoch, sequence });
    texts.push(
      toQueueSafeJson(buildEvent(transition, { change, context, before, after, position, sent, isRestart })),
    );
    types.push(transition.type);
    recordSent(sent, transition, sequence);
  }
  const row =
    change.after === null ? null : { id: change.id, state: change.after.row, sequence, sent, ...epoch };
  return { change, texts, types, row, sequence, ...epoch };
}

/** Nothing happened to the record: its row goes, or is rewritten. */
function toSilentChange(change: Change): ChangeEvents {
  return { change, texts: [], types: [], row: change.rewritten ?? null, sequence: change.sequence };
}

/** Remembers which event tells of a fact that stands, so that its reversal can name it. */
function recordSent(sent: Record<string, number>, { kind, marker }: Transition, sequence: number): void {
  if (marker === null) return;
  if (kind === 'forward') sent[marker.field] = sequence;
  if (kind === 'reversal') delete sent[marker.field];
}

interface EventInput {
  readonly change: Change;
  readonly context: EventContext;
  readonly before: State | null;
  readonly after: State | null;
  readonly position: EventPosition;
  readonly sent: Readonly<Record<string, number>>;
  readonly isRestart: boolean;
}

function buildEvent(transition: Transition, input: EventInput): object {
  const { change, context, position } = input;
  const { feed } = context;
  return {
    specversion: '1.0',
    id: computeEventId(feed, change.id, position),
    source: sourceOf(feed.connection, feed.feed),
    type: toEventType(transition.type),
    subject: change.id,
    time: toIso(change.observed.by),
    datacontenttype: 'application/json',
    dataschema: toDataSchemaUri(transition.type),
    connection: feed.connection,
    ...position,
    data: buildData(transition, input),
  };
}

function buildData(transition: Transition, input: EventInput): object {
  const { change, context, before, after } = input;
  const { definition } = context;
  const state = after ?? before ?? {};
  return {
    ...buildIds(definition, change.id, { state, from: transition.from }),
    current: after === null ? null : pickCurrent(after, transition, input),
    previous: pickPrevious(definition, transition),
    changed: transition.changed,
    observed: {
      after: change.observed.after === null ? null : toIso(change.observed.after),
      by: toIso(change.observed.by),
    },
    occurredAt: occurredAt(transition, after, context.timeZone),
    collapsed: transition.collapsed,
    late: findLateAfter(transition, context.isClosed),
    ...findReversed(transition, input),
    ...findManifest(transition, input),
  };
}

interface PlacedState {
  readonly state: State;
  /** The record just before the step. */
  readonly from: State | null;
}

function buildIds(definition: FeedDefinition, id: string, { state, from }: PlacedState): object {
  switch (definition.name) {
    case 'timesheets':
      return {
        timesheetId: id,
        employeeId: state.employeeId,
        departmentId: state.departmentId,
        organisationId: state.organisationWorkedId,
        ...pickIfLeft('previousDepartmentId', from?.departmentId, state.departmentId),
        ...pickIfLeft('previousOrganisationId', from?.organisationWorkedId, state.organisationWorkedId),
      };
    case 'pay-periods':
      return { payPeriodId: id };
  }
}

/** Says whom the record leaves, so that filters on the former value match too. */
function pickIfLeft(name: string, before: Json | undefined, now: Json | undefined): object {
  return before == null || before === now ? {} : { [name]: before };
}

/** Whole when nothing of it was told in this epoch: nobody can add what an event leaves out then. */
function pickCurrent(after: State, { kind, changed }: Transition, input: EventInput): State {
  const { definition } = input.context;
  if (kind === 'created' || input.isRestart) return after;
  const hidden = definition.onlyWhenChanged.filter((name) => !changed.includes(name));
  return Object.fromEntries(Object.entries(after).filter(([name]) => !hidden.includes(name)));
}

/** What the step changed, as it was before; of a removed record all that was known. */
function pickPrevious(definition: FeedDefinition, { kind, from, changed }: Transition): State | null {
  if (from === null) return null;
  return kind === 'removed'
    ? pick(
        from,
        definition.fields.map(({ name }) => name as string),
      )
    : pick(from, changed);
}

/** An instant or a date; null when the source does not say when, which a stamp may be too. */
function occurredAt({ kind, marker }: Transition, after: State | null, timeZone: string): string | null {
  if (marker?.occurredAt === undefined || after === null || kind === 'reversal') return null;
  const text = readMarkerTime(marker, after[marker.field] ?? null);
  if (typeof text !== 'string') return null;
  const instant = parseInstant(text, timeZone);
  if (instant !== null) return toIso(instant);
  return isDate(text) ? text : null;
}

function readMarkerTime(marker: Marker, value: Json): Json {
  if (marker.occurredAt !== 'localTime') return value;
  return typeof value === 'object' && value !== null && 'localTime' in value ? value.localTime : null;
}

function findReversed({ kind, marker }: Transition, { sent, context, change, position }: EventInput): object {
  const sequence = marker === null || kind !== 'reversal' ? undefined : sent[marker.field];
  return sequence === undefined
    ? {}
    : { reverses: computeEventId(context.feed, change.id, { ...position, sequence }) };
}

function findManifest({ type }: Transition, { context, change }: EventInput): object {
  const manifest = type === 'pay_period.closed' ? context.manifests.get(change.id) : undefined;
  return manifest === undefined ? {} : { closeManifest: manifest };
}
