import { toIso } from '../dates.ts';
import { type RecordEventType, sourceOf, toEventType } from '../event-types.ts';
import type { FeedKey } from '../feeds.ts';
import type { PeriodFinder } from '../periods/members.ts';
import { showMissing } from '../records/absences.ts';
import { type FeedDefinition, parseRow, showState, toState } from '../records/feed-definition.ts';
import type { Json, State } from '../records/fields.ts';
import type { RowMemory, StoredRow } from '../snapshot/row.ts';
import { computeEventId, toEventText } from './envelope.ts';
import type { FeedPosition } from './event-order.ts';
import { findFormerPlaces, type PlacedData } from './former-places.ts';
import { describeLateness, findLateness, type Lateness } from './lateness.ts';
import { describeMoment, type Moments, toMomentSteps } from './moments.ts';
import { namePeriods } from './name-periods.ts';
import { findEndedMatters, recordMatter, recordSent } from './open-matters.ts';
import { findOccurredAt, findTransitions, pick, type Transition } from './transitions.ts';

/** What became of one record. Instants in milliseconds since 1970. */
export interface Change {
  readonly id: string;
  /** As last committed; null when it is new. */
  readonly before: StoredRow | null;
  /** Canonical JSON of its values now; null when it was removed. */
  readonly text: string | null;
  /** When the old state was last seen, and the new one first (rule 10). */
  readonly observed: { readonly after: number | null; readonly by: number };
  /** What its row remembers from now on; absent: as before. */
  readonly memory?: RowMemory;
}

/** What the events of a change depend on besides the change itself. */
export interface EventContext {
  readonly feed: FeedKey;
  readonly definition: FeedDefinition;
  /** The connection's zone, for date-times without an offset. */
  readonly timeZone: string;
  readonly findPeriods: PeriodFinder;
  /** The connection's clock: an epoch that begins now. */
  readonly clock: number;
  /** Records of an earlier epoch begin a new one at their next event (rule 16); null: none do. */
  readonly restoredAt: number | null;
  /** What is told of pay periods besides; absent for nothing. */
  readonly moments?: Moments;
  /** Nobody asked for events of the feed: rows are stored for their names. */
  readonly isSilent?: boolean;
}

/** A change with the events to publish and the row to store. */
export interface ChangeEvents {
  readonly change: Change;
  /** CloudEvents as JSON, in the order of their sequence. */
  readonly texts: readonly string[];
  /** Their types, in the same order. */
  readonly types: readonly RecordEventType[];
  /** The new row; null when the record was removed. */
  readonly row: StoredRow | null;
}

/** A change with an event that does not fit its published schema. `issues`: paths of members, never values. */
export interface Misfit extends ChangeEvents {
  readonly issues: readonly string[];
}

/** The events of a change, one per step, and the row that remembers them. */
export function toEvents(change: Change, context: EventContext): ChangeEvents {
  const { before: known, id, text } = change;
  const memory = change.memory ?? known?.memory ?? {};
  const { before, after } = findStates(change, memory, context);
  const steps = [
    ...findTransitions(context.definition, before, after),
    ...toMomentSteps(after, context.moments?.get(id)),
  ];
  // Of a record that was never readable nothing was told.
  const isUntold = text === null && before === null;
  const transitions = context.isSilent === true || isUntold ? [] : steps;
  const position = beginEvents(known, transitions.length > 0, context);
  const sent: Record<string, number> = { ...position.sent };
  const epoch = toIso(position.epoch);
  const { after: lastSeen, by } = change.observed;
  const observed = { after: lastSeen === null ? null : toIso(lastSeen), by: toIso(by) };
  const texts = transitions.map((transition, index) => {
    const at = { epoch, sequence: position.sequence + index + 1 };
    const occurredAt = findOccurredAt(transition, after, context.timeZone);
    const lateness = findLateness(transition, { ...context, id, observed: change.observed, occurredAt });
    const input = { change, context, before, after, position: at, sent, observed, lateness, occurredAt };
    const event = buildEvent(transition, input);
    recordSent(sent, transition, at.sequence);
    recordMatter(
      sent,
      { definition: context.definition, transition },
      { sequence: at.sequence, ...lateness },
    );
    return event;
  });
  const sequence = position.sequence + transitions.length;
  const kept = Object.keys(memory).length === 0 ? {} : { memory };
  const row = text === null ? null : { id, epoch: position.epoch, sequence, sent, text, ...kept };
  return { change, texts, types: transitions.map(({ type }) => type), row };
}

/** The states between which steps are sought, with what time alone made of the record. */
function findStates(
  { before: known, text }: Change,
  memory: RowMemory,
  { definition }: EventContext,
): { readonly before: State | null; readonly after: State | null } {
  const read = (each: string) => toState(definition, parseRow(each));
  const before = known?.text == null ? null : read(known.text);
  if (text === null) return { before: withMissing(before, known?.memory), after: null };
  const [told, tells] = [showMissing(known?.memory?.missing ?? {}), showMissing(memory.missing ?? {})];
  const absent = Object.fromEntries(Object.keys({ ...told, ...tells }).map((name) => [name, null]));
  return {
    before: before === null ? null : { ...before, ...absent, ...told },
    after: { ...read(text), ...absent, ...tells },
  };
}

function withMissing(state: State | null, memory: RowMemory | undefined): State | null {
  return state === null ? null : { ...state, ...showMissing(memory?.missing ?? {}) };
}

interface Beginning {
  readonly epoch: number;
  /** Events of the epoch before this change. */
  readonly sequence: number;
  readonly sent: Readonly<Record<string, number>>;
}

/** Where the events of a change begin: after a restore, a record begins a new epoch with its next event. */
function beginEvents(
  known: StoredRow | null,
  hasEvents: boolean,
  { clock, restoredAt }: EventContext,
): Beginning {
  if (known === null) return { epoch: clock, sequence: 0, sent: {} };
  const { epoch, sequence, sent } = known;
  if (!hasEvents || restoredAt === null || epoch >= restoredAt) return { epoch, sequence, sent };
  return { epoch: clock, sequence: 0, sent: {} };
}

interface EventInput {
  readonly change: Change;
  readonly context: EventContext;
  readonly before: State | null;
  readonly after: State | null;
  readonly position: FeedPosition;
  readonly sent: Readonly<Record<string, number>>;
  readonly observed: { readonly after: string | null; readonly by: string };
  readonly lateness: Lateness;
  readonly occurredAt: string | null;
}

function buildEvent(transition: Transition, input: EventInput): string {
  const { change, context, position } = input;
  const { feed } = context;
  return toEventText({
    id: computeEventId(feed, change.id, position),
    source: sourceOf(feed.connection, feed.feed),
    type: transition.type,
    subject: change.id,
    time: input.observed.by,
    connection: feed.connection,
    ...position,
    data: buildData(transition, input),
  });
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
    observed: input.observed,
    occurredAt: input.occurredAt,
    collapsed: transition.collapsed,
    ...describeLateness(input.lateness),
    ...namePeriods({ id: change.id, state }, context.findPeriods),
    ...findReversed(transition, input),
    ...describeEndedMatters(transition, input),
    ...describeMoment(transition, context.moments?.get(change.id)),
  };
}

interface PlacedState {
  readonly state: State;
  /** The record just before the step. */
  readonly from: State | null;
}

/** With the places that the record leaves, so that filters on them match too. */
function buildIds(definition: FeedDefinition, id: string, { state, from }: PlacedState): object {
  const own = { [definition.idMember]: id };
  if (definition.name !== 'timesheets') return own;
  const { employeeId, departmentId, organisationWorkedId: organisationId } = state;
  const left = findFormerPlaces({ departmentId, organisationId, previous: from } as PlacedData);
  return {
    ...own,
    employeeId,
    departmentId,
    organisationId,
    ...(left.departmentId === null ? {} : { previousDepartmentId: left.departmentId }),
    ...(left.organisationId === null ? {} : { previousOrganisationId: left.organisationId }),
  };
}

/** Complete in the first event of an epoch: a subscriber has no earlier one that holds what is left out. */
function pickCurrent(after: State, { changed }: Transition, { context, position }: EventInput): State {
  const { definition } = context;
  const shown = showState(definition, after);
  if (position.sequence === 1) return shown;
  const hidden = definition.onlyWhenChanged.filter((name) => !changed.includes(name));
  const current: Record<string, Json> = {};
  for (const name of Object.keys(shown)) if (!hidden.includes(name)) current[name] = shown[name];
  return current;
}

/** The fields that the step changed, as they were before; all known fields of a removed record. */
function pickPrevious(definition: FeedDefinition, { kind, from, changed }: Transition): State | null {
  if (from === null) return null;
  const names = kind === 'removed' ? Object.keys(from) : changed;
  return showState(definition, pick(from, names));
}

function findReversed({ kind, fact }: Transition, { sent, context, change, position }: EventInput): object {
  const sequence = fact === null || kind !== 'reversal' ? undefined : sent[fact.field];
  return sequence === undefined
    ? {}
    : { reverses: computeEventId(context.feed, change.id, { ...position, sequence }) };
}

function describeEndedMatters(
  transition: Transition,
  { sent, context, change, position }: EventInput,
): object {
  const { definition, feed } = context;
  const settles = findEndedMatters({ definition, transition, sent }).map(({ type, sequence, ...matter }) => ({
    id: computeEventId(feed, change.id, { ...position, sequence }),
    type: toEventType(type),
    ...matter,
  }));
  return settles.length === 0 ? {} : { settles };
}
