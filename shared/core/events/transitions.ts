import { isDate, parseInstant, toIso } from '../dates.ts';
import type { RecordEventType } from '../event-types.ts';
import { groupBy } from '../group-by.ts';
import type { Fact, FeedDefinition } from '../records/feed-definition.ts';
import type { Json, State } from '../records/fields.ts';

/** One step in a record's life, which becomes one event. */
export interface Transition {
  readonly type: RecordEventType;
  readonly kind: 'created' | 'changed' | 'removed' | 'forward' | 'corrected' | 'reversal' | 'moment';
  /** The fact that changed, for forward, corrected and reversal. */
  readonly fact: Fact | null;
  /** Names of the watched fields that this step changes. */
  readonly changed: readonly string[];
  /** The record just before this step; null when it is created. */
  readonly from: State | null;
  /** The record just after this step; null when it is removed. */
  readonly to: State | null;
  /** More than one step happened between two looks, or a reversal between them may be missing. */
  readonly collapsed: boolean;
}

interface Step extends Omit<Transition, 'from' | 'to' | 'collapsed'> {
  /** The fact had another value before. */
  readonly replacesValue: boolean;
}

/**
 * The steps from one state of a record to another, in the order of their events: created; reversals from the last
 * fact to the first; changed; then the other facts in order. If `before` is null, the record is new, and each of
 * its facts is a step. The end of a derived fact is no step: the first of the others has it among its fields.
 */
export function findTransitions(
  definition: FeedDefinition,
  before: State | null,
  after: State | null,
): Transition[] {
  // What was never readable goes as it came: nobody was told of it.
  if (after === null)
    return before === null ? [] : addStates([step(definition.removed, 'removed')], before, null);
  const facts = [...definition.facts, ...(definition.derived ?? [])];
  const moved = facts.flatMap((fact) => toFactStep(fact, before, after));
  const reversals = moved.filter(({ kind }) => kind === 'reversal').reverse();
  const forward = moved.filter(({ kind }) => kind !== 'reversal');
  if (before === null) return addStates([step(definition.created, 'created'), ...forward], before, after);
  const { changed, changedBy = {} } = definition;
  const fields = findChangedFields(definition, before, after);
  const changes = [...groupBy(fields, (field) => changedBy[field] ?? changed)];
  const change = changes.map(([type, names]) => ({ ...step(type, 'changed'), changed: names }));
  const steps = [...reversals, ...change, ...forward];
  const ended = listEnded(definition, before, after);
  return addStates(
    steps.map((each, place) => (place === 0 ? { ...each, changed: [...each.changed, ...ended] } : each)),
    before,
    after,
  );
}

function listEnded({ derived = [] }: FeedDefinition, before: State, after: State): string[] {
  return derived.map(({ field }) => field).filter((field) => before[field] != null && after[field] == null);
}

/** Whether time alone makes a fact. */
export function isDerived(fact: Fact | null): boolean {
  return fact !== null && fact.reversal === undefined;
}

function step(type: RecordEventType, kind: Transition['kind']): Step {
  return { type, kind, fact: null, changed: [], replacesValue: false };
}

function toFactStep(fact: Fact, before: State | null, after: State): Step[] {
  // A row stored before the field was watched does not have it: the value is added without an event (rule 8).
  if (before !== null && !Object.hasOwn(before, fact.field)) return [];
  const [from, to] = [before?.[fact.field] ?? null, after[fact.field] ?? null];
  if (isSame(from, to)) return [];
  const common = { fact, changed: [fact.field], replacesValue: from !== null };
  if (to === null)
    return fact.reversal === undefined ? [] : [{ ...common, type: fact.reversal, kind: 'reversal' }];
  if (from === null || fact.corrected === undefined)
    return [{ ...common, type: fact.forward, kind: 'forward' }];
  return [{ ...common, type: fact.corrected, kind: 'corrected' }];
}

function findChangedFields(definition: FeedDefinition, before: State, after: State): string[] {
  const facts = new Set(definition.facts.map(({ field }) => field));
  return definition.fields
    .filter(({ silent }) => silent !== true)
    .map(({ name }) => name as string)
    .filter((name) => !facts.has(name) && Object.hasOwn(before, name) && !isSame(before[name], after[name]));
}

/** Values are canonical, so that equal is the same JSON. */
function isSame(stored: Json, now: Json): boolean {
  if (stored === now) return true;
  return isComposite(stored) && isComposite(now) && JSON.stringify(stored) === JSON.stringify(now);
}

function isComposite(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/** Adds to each step the states before and after it. */
function addStates(steps: readonly Step[], before: State | null, after: State | null): Transition[] {
  let from = before;
  // What time alone makes of a record follows from the other steps, or from none.
  const isGap = steps.filter(({ fact }) => !isDerived(fact)).length > 1;
  return steps.map(({ replacesValue, ...current }) => {
    const collapsed = isGap || (current.kind === 'forward' && replacesValue);
    const to = computeStateAfter(current, { from, after, steps });
    const transition: Transition = { ...current, from, to, collapsed };
    from = to;
    return transition;
  });
}

interface StepContext {
  readonly from: State | null;
  readonly after: State | null;
  readonly steps: readonly Step[];
}

/** The record after a step and before the later ones. */
function computeStateAfter(
  { kind, changed }: Pick<Step, 'kind' | 'changed'>,
  { from, after, steps }: StepContext,
): State | null {
  if (after === null) return null;
  return kind === 'created' ? clearFacts(steps, after) : { ...from, ...pick(after, changed) };
}

function clearFacts(steps: readonly Step[], state: State): State {
  const facts = steps.flatMap(({ fact }) => (fact === null ? [] : [[fact.field, null] as const]));
  return { ...state, ...Object.fromEntries(facts) };
}

export function pick(state: State, names: readonly string[]): State {
  return Object.fromEntries(names.map((name) => [name, state[name]]));
}

/** An instant or a date; null when the source does not say when: a stamp may also be neither. */
export function findOccurredAt(
  { kind, fact }: Transition,
  after: State | null,
  timeZone: string,
): string | null {
  if (fact?.occurredAt === undefined || after === null || kind === 'reversal') return null;
  const text = readFactTime(fact, after[fact.field] ?? null);
  if (typeof text !== 'string') return null;
  const instant = parseInstant(text, timeZone);
  if (instant !== null) return toIso(instant);
  return isDate(text) ? text : null;
}

function readFactTime(fact: Fact, value: Json): Json {
  if (fact.occurredAt !== 'localTime') return value;
  return typeof value === 'object' && value !== null && 'localTime' in value ? value.localTime : null;
}
