import type { FeedName } from '#shared/core/feeds.ts';
import { FACTS, type Fact, shownOf, type Watched } from './reading.ts';

/** An event due for a change of a record, as docs/events.md states it. */
export interface DueEvent {
  readonly type: string;
  readonly kind: 'created' | 'removed' | 'changed' | 'on' | 'off' | 'over';
  readonly fact: Fact | null;
  readonly changed: readonly string[];
  readonly previous: Watched | null;
  readonly current: Watched | null;
  readonly collapsed: boolean;
  /** The record before the step; null when it is new. */
  readonly stood: Watched | null;
  /** Facts before the step that can make it late, without pay periods. */
  readonly late: readonly string[];
  /** The date whose pay periods may be closed; null for events that cannot be late. */
  readonly lateDate: string | null;
}

/** A record before and after a change; null where it is not there. */
export interface DueChange {
  readonly feed: FeedName;
  readonly before: Watched | null;
  readonly after: Watched | null;
  /** As what one that returns was removed, while that is remembered. */
  readonly buried: Watched | null;
}

interface Step {
  readonly type: string;
  readonly kind: DueEvent['kind'];
  readonly fact: Fact | null;
  readonly changed: readonly string[];
}

/** Types of what happens to a record as a whole; `changed` by the fields that changed. */
const TYPES: Readonly<
  Record<FeedName, { readonly created: string; readonly removed: string; changed(field: string): string }>
> = {
  timesheets: {
    created: 'timesheet.created',
    removed: 'timesheet.removed',
    changed: () => 'timesheet.changed',
  },
  'pay-periods': {
    created: 'pay_period.created',
    removed: 'pay_period.removed',
    changed: () => 'pay_period.changed',
  },
  employees: { created: 'employee.joined', removed: 'employee.left', changed: () => 'employee.moved' },
  departments: {
    created: 'department.added',
    removed: 'department.removed',
    changed: (field) => (field === 'name' ? 'department.renamed' : 'department.manager_changed'),
  },
};

/** Events due between two states of a record, in order. */
export function dueEvents({ feed, before, after, buried }: DueChange): DueEvent[] {
  if (after === null) {
    if (before === null) return [];
    const step: Step = { type: TYPES[feed].removed, kind: 'removed', fact: null, changed: [] };
    return [due(feed, step, { stood: before, after, collapsed: false })];
  }
  const steps = before === null ? stepsOfNew(feed, after, buried) : stepsBetween(feed, before, after);
  let stood = before;
  return steps.map((step) => {
    const collapsed = steps.length > 1 || (step.kind === 'over' && step.type === step.fact?.on);
    const event = due(feed, step, { stood, after, collapsed });
    stood = standsAfter(feed, step, { stood, after });
    return event;
  });
}

/** The closing of a pay period that returns as closed as it was removed was told before. */
function stepsOfNew(feed: FeedName, after: Watched, buried: Watched | null): Step[] {
  const isTold = ({ field }: Fact) => feed === 'pay-periods' && same(buried?.[field], after[field]);
  const on = FACTS[feed].filter((fact) => after[fact.field] !== null && !isTold(fact));
  return [
    { type: TYPES[feed].created, kind: 'created', fact: null, changed: [] },
    ...on.map((fact) => stepOf(fact, 'on')),
  ];
}

function stepsBetween(feed: FeedName, before: Watched, after: Watched): Step[] {
  const facts = FACTS[feed];
  const off = facts.filter(({ field }) => before[field] !== null && after[field] === null);
  const rest = facts.filter(({ field }) => after[field] !== null && !same(before[field], after[field]));
  const factFields = new Set(facts.map(({ field }) => field));
  const changed = Object.keys(after).filter(
    (name) => !factFields.has(name) && !same(before[name], after[name]),
  );
  const changes = [...Map.groupBy(changed, TYPES[feed].changed)].map(
    ([type, fields]): Step => ({ type, kind: 'changed', fact: null, changed: fields }),
  );
  return [
    ...off.reverse().map((fact) => stepOf(fact, 'off')),
    ...changes,
    ...rest.map((fact) => stepOf(fact, before[fact.field] === null ? 'on' : 'over')),
  ];
}

function stepOf(fact: Fact, kind: 'on' | 'off' | 'over'): Step {
  return { type: fact[kind], kind, fact, changed: [fact.field] };
}

interface Moment {
  readonly stood: Watched | null;
  readonly after: Watched | null;
}

function due(
  feed: FeedName,
  step: Step,
  { stood, after, collapsed }: Moment & { readonly collapsed: boolean },
): DueEvent {
  const previous =
    stood === null || step.kind === 'created'
      ? null
      : step.kind === 'removed'
        ? stood
        : Object.fromEntries(step.changed.map((name) => [name, stood[name]]));
  return {
    ...step,
    previous: previous === null ? null : shownOf(feed, previous),
    current: after === null ? null : shownOf(feed, currentOf(step, after)),
    collapsed,
    stood,
    ...lateness(feed, step, { stood, after }),
  };
}

function lateness(feed: FeedName, step: Step, { stood, after }: Moment): Pick<DueEvent, 'late' | 'lateDate'> {
  const altered = step.kind === 'created' || isForward(step) ? null : stood;
  const words = { approvedHours: 'approval', processed: 'processing', closed: 'close' };
  const late = Object.entries(words).filter(([field]) => isSet(altered?.[field]));
  const dated = altered ?? (isFirst(step) ? (stood ?? after) : null);
  return {
    late: late.map(([, word]) => word),
    lateDate: dated !== null && feed === 'timesheets' ? String(dated.date) : null,
  };
}

/** A new record, a clock time, or a first approval of either kind: late when its pay period is closed. */
function isFirst({ kind, fact }: Step): boolean {
  return kind === 'created' || (kind === 'on' && fact?.field !== 'processed');
}

/** A new timestamp over an old one repeats the forward event. */
function isForward({ kind, type, fact }: Step): boolean {
  return kind === 'on' || (kind === 'over' && type === fact?.on);
}

function currentOf({ kind, changed }: Step, after: Watched): Watched {
  if (kind === 'created' || changed.includes('details')) return after;
  const { details: _, ...rest } = after;
  return rest;
}

/** The record after a step and before the later ones. */
function standsAfter(feed: FeedName, step: Step, { stood, after }: Moment): Watched | null {
  if (after === null) return null;
  if (step.kind !== 'created')
    return { ...stood, ...Object.fromEntries(step.changed.map((name) => [name, after[name]])) };
  return { ...after, ...Object.fromEntries(FACTS[feed].map(({ field }) => [field, null])) };
}

function isSet(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function same(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
