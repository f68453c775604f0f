import type { Change } from '../compare/change.ts';
import { toIso } from '../dates.ts';
import { type RecordEventType, sourceOf, toEventType } from '../event-types.ts';
import type { FeedKey } from '../feeds.ts';
import type { CloseManifest } from '../periods/close-manifest.ts';
import type { PeriodFinder } from '../periods/learn-membership.ts';
import { ABSENCE_FIELDS } from '../records/absences.ts';
import { type FeedDefinition, type State, showState, toState } from '../records/feed-definition.ts';
import type { Json } from '../records/fields.ts';
import { beginEpoch, type EpochRule, hasEnded, NO_EPOCHS, toPublishedPosition } from '../snapshot/epochs.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';
import { computeEventId, toEventText, toPosition } from './envelope.ts';
import type { FeedPosition } from './event-order.ts';
import { findFormerPlaces, type PlacedData } from './former-places.ts';
import { describeLateness, findLateness, type Lateness } from './lateness.ts';
import { namePeriods } from './name-periods.ts';
import { findEndedMatters, recordMatter, recordSent } from './open-matters.ts';
import {
  findNumbers,
  rememberStatement,
  type StatementPlan,
  toStatementStep,
  withoutPublishedClosing,
} from './plan-statement.ts';
import { findTellableStates } from './tellable-absences.ts';
import { findOccurredAt, findTransitions, pick, rewriteInNotation, type Transition } from './transitions.ts';

/** What the events of a change depend on besides the change itself. */
export interface EventContext {
  readonly feed: FeedKey;
  readonly definition: FeedDefinition;
  /** The connection's zone, for date-times without an offset. */
  readonly timeZone: string;
  readonly findPeriods: PeriodFinder;
  /** By the ids of pay periods that closed. */
  readonly manifests: ReadonlyMap<string, CloseManifest>;
  /** By the ids of pay periods whose statement is due, or whose memory of it changes. */
  readonly statements?: ReadonlyMap<string, StatementPlan>;
  /** When new epochs begin; when absent, `NO_EPOCHS`. */
  readonly epochs?: EpochRule;
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
  /** The new row; null when the record was removed. `epoch` and `sequence` then go into its tombstone. */
  readonly row: LeafRow | null;
  readonly epoch: number;
  readonly sequence: number;
}

/** A change with an event that does not fit its published schema. `issues`: paths of members, never values. */
export interface Misfit extends ChangeEvents {
  readonly issues: readonly string[];
}

/** The events of a change, one per step, and the row that remembers them. */
export function toEvents(change: Change, context: EventContext): ChangeEvents {
  if (change.silent === true) return toSilentChange(change);
  const { definition, timeZone } = context;
  const seen = change.after === null ? null : toState(definition, change.after.row);
  const stored = change.before === null ? null : toState(definition, change.before.row.state);
  const written = stored === null || seen === null ? stored : rewriteInNotation(seen, stored, timeZone);
  const { before, after } = findTellableStates(definition, { before: written, after: seen }, change);
  const plan = after === null ? undefined : context.statements?.get(change.id);
  const stepped = withoutPublishedClosing(definition, change, after);
  const steps = [...findTransitions(stepped, before, after), ...toStatementStep(plan, after)];
  const transitions = context.isSilent === true ? [] : steps;
  const memory = { ...keepReminded(change), ...rememberStatement(change, plan) };
  const beginning = beginEvents(change, {
    hasEvents: transitions.length > 0,
    epochs: context.epochs ?? NO_EPOCHS,
  });
  const { epoch, isRestart } = beginning;
  const sent: Record<string, number> = { ...beginning.sent };
  const texts: string[] = [];
  const types: RecordEventType[] = [];
  let { sequence } = beginning;
  for (const transition of transitions) {
    sequence += 1;
    const position = toPosition({ epoch, sequence });
    const occurredAt = findOccurredAt(transition, after, timeZone);
    const lateness = findLateness(transition, { ...change, ...context, occurredAt });
    const input = { change, context, before, after, position, sent, isRestart, lateness, occurredAt };
    texts.push(buildEvent(transition, input));
    types.push(transition.type);
    recordSent(sent, transition, sequence);
    recordMatter(sent, { definition, transition }, { sequence, ...lateness });
  }
  const row =
    change.after === null
      ? null
      : { id: change.id, state: change.after.row, sequence, sent, epoch, ...memory };
  return { change, texts, types, row, sequence, epoch };
}

/** No event: the row is removed or rewritten. */
export function toSilentChange(change: Change): ChangeEvents {
  return { change, texts: [], types: [], row: change.rewritten ?? null, ...toPublishedPosition(change) };
}

interface EventInput {
  readonly change: Change;
  readonly context: EventContext;
  readonly before: State | null;
  readonly after: State | null;
  readonly position: FeedPosition;
  readonly sent: Readonly<Record<string, number>>;
  readonly isRestart: boolean;
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
    time: toIso(change.observed.by),
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
    observed: {
      after: change.observed.after === null ? null : toIso(change.observed.after),
      by: toIso(change.observed.by),
    },
    occurredAt: input.occurredAt,
    collapsed: transition.collapsed,
    ...describeLateness(input.lateness),
    ...namePeriods({ id: change.id, state }, context.findPeriods),
    ...findReversed(transition, input),
    ...describeEndedMatters(transition, input),
    ...findNumbers(transition, change.id, context),
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
function pickCurrent(after: State, { kind, changed }: Transition, input: EventInput): State {
  const { definition } = input.context;
  const shown = showState(definition, after);
  if (kind === 'created' || input.isRestart) return shown;
  const hidden = definition.onlyWhenChanged.filter((name) => !changed.includes(name));
  const current: Record<string, Json> = {};
  for (const name of Object.keys(shown)) if (!hidden.includes(name)) current[name] = shown[name];
  return current;
}

/** The fields that the step changed, as they were before; all known fields of a removed record. */
function pickPrevious(definition: FeedDefinition, { kind, from, changed }: Transition): State | null {
  if (from === null) return null;
  const names = kind === 'removed' ? definition.fields.map(({ name }) => name as string) : changed;
  return showState(definition, pick(from, names));
}

function findReversed({ kind, fact }: Transition, { sent, context, change, position }: EventInput): object {
  const sequence = fact === null || kind !== 'reversal' ? undefined : sent[fact.field];
  // 0: published in an epoch that has ended.
  return sequence === undefined || sequence === 0
    ? {}
    : { reverses: computeEventId(context.feed, change.id, { ...position, sequence }) };
}

function describeEndedMatters(
  transition: Transition,
  { sent, context, change, position }: EventInput,
): object {
  const { definition, feed } = context;
  const settles = findEndedMatters({ definition, transition, sent }).map(({ type, sequence, late }) => ({
    id: computeEventId(feed, change.id, { ...position, sequence }),
    type: toEventType(type),
    late,
  }));
  return settles.length === 0 ? {} : { settles };
}

/** Position after which the events of a change continue. */
interface Beginning {
  readonly epoch: number;
  readonly sequence: number;
  readonly sent: LeafRow['sent'];
  /** Whether a known record begins a new epoch. */
  readonly isRestart: boolean;
}

/**
 * An unknown record begins its epoch when it is found. A known one continues its epoch unless a restore ended it; then
 * reversals no longer name events of the old epoch, since the restored table may not hold its latest ones.
 */
export function beginEvents(
  change: Change,
  { hasEvents, epochs }: { readonly hasEvents: boolean; readonly epochs: EpochRule },
): Beginning {
  const { epoch, sequence, before, observed } = change;
  const sent = before?.row.sent ?? {};
  if (isUnknown(change)) {
    return { epoch: beginEpoch(epoch, epochs), sequence, sent, isRestart: false };
  }
  if (!(hasEvents && hasEnded(epoch, epochs))) {
    // Its epoch began with a snapshot, which not everybody takes.
    const isRenewed = sequence === 0 && epoch === epochs.restoredAt;
    return { epoch, sequence, sent, isRestart: isRenewed };
  }
  const begun = beginEpoch(observed.by, epochs);
  return { epoch: begun, sequence: 0, sent: keepPublishedAbsences(sent), isRestart: true };
}

/** What was published as missing is not published again until it ends. */
export function keepPublishedAbsences(sent: LeafRow['sent']): LeafRow['sent'] {
  return Object.fromEntries(
    ABSENCE_FIELDS.filter((field) => sent[field] !== undefined).map((field) => [field, 0]),
  );
}

function isUnknown({ rowSlice, tombstoneSlice }: Change): boolean {
  return rowSlice === null && tombstoneSlice === null;
}

/** What the row of a changed record remembers besides its state and its events. */
export function keepReminded({ before }: Change): Pick<LeafRow, 'remindedAt'> {
  return before?.row.remindedAt === undefined ? {} : { remindedAt: before.row.remindedAt };
}
