import { hash } from 'node:crypto';
import type { Change } from '../compare/compare.ts';
import { instantOf, isDate, isoOf } from '../dates.ts';
import { eventType, type RecordEventType, type ShortEventType, sourceOf } from '../event-types.ts';
import type { FeedKey } from '../feeds.ts';
import { jsonText } from '../json-text.ts';
import { type FeedDefinition, type Marker, type State, stateOf } from '../records/feed-definition.ts';
import type { Json } from '../records/fields.ts';
import { type EpochRule, NO_EPOCHS } from '../snapshot/epochs.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';
import { beginEvents } from './beginnings.ts';
import type { CloseManifest } from './close-manifest.ts';
import type { EventPosition } from './event-order.ts';
import { inNotationOf, lateAfter, pick, type Transition, transitionsOf } from './transitions.ts';

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
export interface ToldChange {
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
export function eventId(feed: FeedKey, recordId: string, position: number | EventPosition): string {
  const { epoch, sequence } =
    typeof position === 'number' ? { epoch: undefined, sequence: position } : position;
  const order = epoch === undefined ? [sequence] : [epoch, sequence];
  const name = JSON.stringify([feed.connection, feed.feed, recordId, ...order]);
  return hash('sha256', name, 'hex').slice(0, 32);
}

/** A position as events say it. `epoch` in milliseconds since 1970. */
export function positionOf({
  epoch,
  sequence,
}: {
  readonly epoch?: number | undefined;
  readonly sequence: number;
}): EventPosition {
  return epoch === undefined ? { sequence } : { epoch: isoOf(epoch), sequence };
}

/** The URI of the JSON Schema of an event's `data`. */
export function dataSchemaOf(type: ShortEventType): string {
  return `urn:workforce-change-notifier:schema:${type}:${SCHEMA_VERSION}`;
}

/** Tells a change: one event per step, and the row that remembers what was told. */
export function tell(change: Change, context: EventContext): ToldChange {
  if (change.silent === true) return untoldChange(change);
  const { definition, timeZone } = context;
  const after = change.after === null ? null : stateOf(definition, change.after.row);
  const stored = change.before === null ? null : stateOf(definition, change.before.row.state);
  const before = stored === null || after === null ? stored : inNotationOf(after, stored, timeZone);
  const transitions = transitionsOf(definition, before, after);
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
    const position = positionOf({ ...epoch, sequence });
    texts.push(jsonText(eventOf(transition, { change, context, before, after, position, sent, isRestart })));
    types.push(transition.type);
    note(sent, transition, sequence);
  }
  const row =
    change.after === null ? null : { id: change.id, state: change.after.row, sequence, sent, ...epoch };
  return { change, texts, types, row, sequence, ...epoch };
}

/** Nothing happened to the record: its row goes, or is rewritten. */
function untoldChange(change: Change): ToldChange {
  return { change, texts: [], types: [], row: change.rewritten ?? null, sequence: change.sequence };
}

/** Remembers which event tells of a fact that stands, so that its reversal can name it. */
function note(sent: Record<string, number>, { kind, marker }: Transition, sequence: number): void {
  if (marker === null) return;
  if (kind === 'forward') sent[marker.field] = sequence;
  if (kind === 'reversal') delete sent[marker.field];
}

interface Telling {
  readonly change: Change;
  readonly context: EventContext;
  readonly before: State | null;
  readonly after: State | null;
  readonly position: EventPosition;
  readonly sent: Readonly<Record<string, number>>;
  readonly isRestart: boolean;
}

function eventOf(transition: Transition, telling: Telling): object {
  const { change, context, position } = telling;
  const { feed } = context;
  return {
    specversion: '1.0',
    id: eventId(feed, change.id, position),
    source: sourceOf(feed.connection, feed.feed),
    type: eventType(transition.type),
    subject: change.id,
    time: isoOf(change.observed.by),
    datacontenttype: 'application/json',
    dataschema: dataSchemaOf(transition.type),
    connection: feed.connection,
    ...position,
    data: dataOf(transition, telling),
  };
}

function dataOf(transition: Transition, telling: Telling): object {
  const { change, context, before, after } = telling;
  const { definition } = context;
  const state = after ?? before ?? {};
  return {
    ...idsOf(definition, change.id, { state, from: transition.from }),
    current: after === null ? null : currentOf(after, transition, telling),
    previous: previousOf(definition, transition),
    changed: transition.changed,
    observed: {
      after: change.observed.after === null ? null : isoOf(change.observed.after),
      by: isoOf(change.observed.by),
    },
    occurredAt: occurredAt(transition, after, context.timeZone),
    collapsed: transition.collapsed,
    late: lateAfter(transition, context.isClosed),
    ...reversesOf(transition, telling),
    ...manifestOf(transition, telling),
  };
}

interface Placing {
  readonly state: State;
  /** The record just before the step. */
  readonly from: State | null;
}

function idsOf(definition: FeedDefinition, id: string, { state, from }: Placing): object {
  switch (definition.name) {
    case 'timesheets':
      return {
        timesheetId: id,
        employeeId: state.employeeId,
        departmentId: state.departmentId,
        organisationId: state.organisationWorkedId,
        ...leftBehind('previousDepartmentId', from?.departmentId, state.departmentId),
        ...leftBehind('previousOrganisationId', from?.organisationWorkedId, state.organisationWorkedId),
      };
    case 'pay-periods':
      return { payPeriodId: id };
  }
}

/** Says whom the record leaves, so that filters on the former value match too. */
function leftBehind(name: string, before: Json | undefined, now: Json | undefined): object {
  return before == null || before === now ? {} : { [name]: before };
}

/** Whole when nothing of it was told in this epoch: nobody can add what an event leaves out then. */
function currentOf(after: State, { kind, changed }: Transition, telling: Telling): State {
  const { definition } = telling.context;
  if (kind === 'created' || telling.isRestart) return after;
  const hidden = definition.onlyWhenChanged.filter((name) => !changed.includes(name));
  return Object.fromEntries(Object.entries(after).filter(([name]) => !hidden.includes(name)));
}

/** What the step changed, as it was before; of a removed record all that was known. */
function previousOf(definition: FeedDefinition, { kind, from, changed }: Transition): State | null {
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
  const text = momentOf(marker, after[marker.field] ?? null);
  if (typeof text !== 'string') return null;
  const instant = instantOf(text, timeZone);
  if (instant !== null) return isoOf(instant);
  return isDate(text) ? text : null;
}

function momentOf(marker: Marker, value: Json): Json {
  if (marker.occurredAt !== 'localTime') return value;
  return typeof value === 'object' && value !== null && 'localTime' in value ? value.localTime : null;
}

function reversesOf({ kind, marker }: Transition, { sent, context, change, position }: Telling): object {
  const sequence = marker === null || kind !== 'reversal' ? undefined : sent[marker.field];
  return sequence === undefined
    ? {}
    : { reverses: eventId(context.feed, change.id, { ...position, sequence }) };
}

function manifestOf({ type }: Transition, { context, change }: Telling): object {
  const manifest = type === 'pay_period.closed' ? context.manifests.get(change.id) : undefined;
  return manifest === undefined ? {} : { closeManifest: manifest };
}
