import { type EventState, readNumber } from './event-state.ts';
import { isPerhapsLate, sayLate } from './late.ts';
import { bold, type Spans } from './message.ts';
import { listChanges } from './messages/field-changes.ts';
import { createFieldWords } from './messages/timesheet-fields.ts';
import type { TimesheetEvent, TimesheetType } from './read-events.ts';
import type { Reader } from './reader.ts';
import { type Action, findAction } from './timesheet-action.ts';
import {
  CLOCKING_NAMES,
  type Clocking,
  nameTimesheet,
  readClockTime,
  type TimesheetContext,
  toTimesheetContext,
} from './timesheet-context.ts';
import { foldStates, isReadyState, isStamped } from './timesheet-states.ts';
import { sayFacts, sayHours, toPay } from './types/timesheets.ts';

/** All that happened to a timesheet since the last message. */
export interface TimesheetNews {
  readonly events: readonly TimesheetEvent[];
  /** What became of it, for a count. */
  readonly type: TimesheetType;
  readonly spans: Spans;
  /** `Ana Lee, Kitchen, Thu 12 Nov`. */
  readonly who: string;
  /** Null for nothing to do. */
  readonly action: Action | null;
  readonly departmentId: string | null;
  /** Hours to pay now, or of one that was removed. */
  readonly hours: number;
  /** How many more hours are ready to be paid than before. */
  readonly difference: number;
  readonly isPerhapsLate: boolean;
}

/**
 * What became of one timesheet, by its events in their order: null when it stands as it did before them. `implied`: what
 * the heading above it says of its lateness.
 */
export function readNews(
  events: readonly TimesheetEvent[],
  reader: Reader,
  implied: readonly string[] = [],
): TimesheetNews | null {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return null;
  const context = toTimesheetContext(last, reader);
  const { before, after } = foldStates(events);
  const clauses = events.length === 1 ? [] : listEffects({ before, after, events }, context);
  if (events.length > 1 && clauses.length === 0) return null;
  const late = sayLateness({ before, after, events }, implied);
  const facts = events.length === 1 ? sayFacts(context, implied) : `${clauses.join(', ')}${late}`;
  const who = nameTimesheet(context);
  return {
    events,
    type: events.length === 1 ? last.type : findType({ before, after, events }, context),
    spans: [bold(who), `: ${facts}`],
    who,
    action: findAction(events, facts),
    departmentId: last.data.departmentId,
    hours: readNumber(after ?? before, 'hoursToPay') ?? 0,
    difference: countReady(after) - countReady(before),
    isPerhapsLate: events.some(({ data }) => isPerhapsLate(data)),
  };
}

/** After what it changed: of approval and processing only what stood before all of it and stands, or was removed. */
function sayLateness({ before, after, events }: Change, implied: readonly string[]): string {
  const stood = (field: string) => isStamped(before, field) && (after === null || isStamped(after, field));
  const wasUndone = isStamped(before, 'processed') && after !== null && !isStamped(after, 'processed');
  const late = new Set(events.flatMap((event) => event.data.late));
  const closedPeriods = events.flatMap((event) => event.data.closedPeriods ?? []);
  return sayLate({ late: [...late], closedPeriods }, [
    ...implied,
    ...(stood('approvedHours') && !wasUndone ? [] : ['approval']),
    ...(stood('processed') ? [] : ['processing']),
  ]);
}

interface Change {
  /** Null when there was no timesheet, or is none. */
  readonly before: EventState;
  readonly after: EventState;
  readonly events: readonly TimesheetEvent[];
}

const STAMPS = [
  ['approvedHours', 'approved', 'approved', 'approval_revoked'],
  ['approvedPayroll', 'approved for payroll', 'payroll_approved', 'payroll_approval_revoked'],
  ['processed', 'processed', 'processed', 'processing_reverted'],
] as const;

/** Of several events the type that says most what became of a timesheet: none of what was undone meanwhile. */
function findType(change: Change, context: TimesheetContext): TimesheetType {
  const { before, after, events } = change;
  if (after === null) return 'workforce.timesheet.removed';
  if (before === null) return 'workforce.timesheet.created';
  // Its processing ends what came before it.
  const processed = events.findLast(({ type }) => type === 'workforce.timesheet.processed');
  if (processed !== undefined && isStamped(after, 'processed')) return processed.type;
  const isOfFields = events.some(({ type }) => /\.(?:changed|created)$/.test(type));
  if (isOfFields && listFields(change, context).length > 0) return 'workforce.timesheet.changed';
  const moved = STAMPS.findLast(([field]) => isStamped(before, field) !== isStamped(after, field));
  if (moved !== undefined) {
    const [field, , done, undone] = moved;
    return `workforce.timesheet.${isStamped(after, field) ? done : undone}`;
  }
  return events.findLast(({ type }) => type.includes('.clock'))?.type ?? 'workforce.timesheet.changed';
}

/** What of it is otherwise than before, whatever happened in between. */
function listEffects({ before, after, events }: Change, context: TimesheetContext): string[] {
  if (before === null && after === null) return [];
  if (after === null) return [`removed${before === null ? '' : sayHoursToPay(before)}`];
  if (before === null) return [`added${sayHoursToPay(after)}`, ...listStamps({ before, after, events })];
  return [
    ...listFields({ before, after, events }, context),
    ...(['clockIn', 'clockOut'] as const).flatMap((each) => sayClocking(each, { before, after }, context)),
    ...listStamps({ before, after, events }),
  ];
}

/** Its hours and other fields, but for clockings and stamps. */
function listFields({ before, after, events }: Change, context: TimesheetContext): string[] {
  const [was, is] = [readNumber(before, 'hoursToPay'), readNumber(after, 'hoursToPay')];
  const hours = was === null || is === null || was === is ? [] : [sayHours(was, is)];
  const changed = listChanged(events).filter(
    (field) => field !== 'hoursToPay' && !isSaidApart(field) && !isSame(before?.[field], after?.[field]),
  );
  const words = createFieldWords(
    { changed, previous: before, current: after },
    context.reader,
    context.onItsDay,
  );
  return [...hours, ...listChanges({ changed, previous: before, current: after }, words)];
}

/** Names of fields that any of the events changed: of one that was removed and added again, all. */
function listChanged(events: readonly TimesheetEvent[]): string[] {
  const added = events.flatMap(({ data: { previous, current } }) =>
    previous === null ? Object.keys(current ?? {}) : [],
  );
  return [...new Set([...events.flatMap(({ data }) => data.changed), ...added])];
}

function sayHoursToPay(state: EventState): string {
  const hours = toPay(state);
  return hours === '' ? '' : ` with ${hours}`;
}

function isSaidApart(field: string): boolean {
  return field === 'clockIn' || field === 'clockOut' || STAMPS.some(([stamp]) => stamp === field);
}

function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

/** A stamp that was replaced says something only where the hours did change. */
function listStamps({ before, after, events }: Change): string[] {
  const hasMoved = readNumber(before, 'hoursToPay') !== readNumber(after, 'hoursToPay');
  return STAMPS.flatMap(([field, words]) => {
    const [was, is] = [before, after].map((state) => isStamped(state, field));
    if (was !== is) return [is ? words : `no longer ${words}`];
    const isAgain = was && hasMoved && events.some(({ data }) => data.changed.includes(field));
    return isAgain ? [`${words} again`] : [];
  });
}

function sayClocking(
  clocking: Clocking,
  { before, after }: Pick<Change, 'before' | 'after'>,
  context: TimesheetContext,
): string[] {
  const [was, is] = [before, after].map((state) => readClockTime(state, clocking, context));
  if (isSame(was, is)) return [];
  const name = CLOCKING_NAMES[clocking];
  if (was == null) return [`${clocking === 'clockIn' ? 'clocked in' : 'clocked out'} ${is?.at}`];
  return [is == null ? `${name} ${was.at} removed` : `${name} ${was.text} to ${is.text}`];
}

function countReady(state: EventState): number {
  return isReadyState(state) ? (readNumber(state, 'hoursToPay') ?? 0) : 0;
}
