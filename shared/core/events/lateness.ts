import { isMisdated } from '../clock-tolerance.ts';
import { addDays, isDate, parseInstant, parseMidnightDate } from '../dates.ts';
import { toHours, toUnits } from '../periods/counted-hours.ts';
import { findPeriodsOf, type PeriodFinder, type TimesheetPeriods } from '../periods/members.ts';
import type { State } from '../records/fields.ts';
import type { KnownPeriod } from '../records/pay-period.ts';
import { isDerived, type Transition } from './transitions.ts';

/** What had already happened when a record changed, so that the change came late. */
export type LateAfter = 'approval' | 'processing' | 'close';

/** A closed pay period that a late change belongs to. */
interface ClosedPeriod {
  readonly id: string;
  /** Name of the pay calendar; null where it is not known. */
  readonly calendar: string | null;
  /** Absent where it is not known whether the timesheet belongs to the period. */
  readonly effect?: 'gains' | 'loses' | 'changes';
  /** Hours to pay that the period has more with the change, or less; absent for none. */
  readonly hours?: number;
  /** Absent when the change is known to have come after the closing. */
  readonly certain?: false;
}

export interface Lateness {
  readonly late: readonly LateAfter[];
  /** The closed pay periods of a timesheet for which `late` has `close`. */
  readonly closedPeriods: readonly ClosedPeriod[];
}

/** What decides whether a step of a record came after a closing. */
export interface LatenessContext extends Omit<ChangeTime, 'stampedAt'> {
  readonly id: string;
  /** As its event says. */
  readonly occurredAt: string | null;
  readonly findPeriods: PeriodFinder;
}

interface ClosingContext extends ChangeTime {
  readonly id: string;
  readonly findPeriods: PeriodFinder;
}

/** Closed pay periods that an event names: bounds its size whatever the source lists. */
export const MAX_CLOSED_PERIODS = 20;
/** Facts that are late when first set after the pay period closed. Processing is not: it follows the close. */
const AWAITED_BEFORE_CLOSE: readonly string[] = ['clockIn', 'clockOut', 'approvedHours', 'approvedPayroll'];

const IN_TIME: Lateness = { late: [], closedPeriods: [] };

/**
 * What had already happened before a step. A step that changes or reverses something is late after approval,
 * processing or the close of a pay period; a new record or fact only after the close. Each closed period counts that
 * the record belongs to before the step or after it.
 */
export function findLateness(transition: Transition, context: LatenessContext): Lateness {
  const { from, kind, fact } = transition;
  // Time alone makes no change that could come late.
  if (isDerived(fact) || kind === 'moment') return IN_TIME;
  const isNews = from === null || kind === 'forward';
  if (isNews && !isNewFact(transition)) return IN_TIME;
  const stampedAt = readStamp(transition, context);
  const closedPeriods = findClosedPeriods(transition, { ...context, stampedAt }).slice(0, MAX_CLOSED_PERIODS);
  const late: LateAfter[] = [];
  if (!isNews && from.approvedHours != null) late.push('approval');
  if (!isNews && from.processed != null) late.push('processing');
  if ((!isNews && from.closed != null) || closedPeriods.length > 0) late.push('close');
  return { late, closedPeriods };
}

/** `closedPeriods` only where the close of a pay period is what makes a timesheet late. */
export function describeLateness({ late, closedPeriods }: Lateness): object {
  return closedPeriods.length === 0 ? { late } : { late, closedPeriods };
}

/** Whether a step creates a record, or first sets a fact that belongs before the close. */
function isNewFact({ kind, fact, from }: Transition): boolean {
  if (kind === 'created') return true;
  return fact !== null && from?.[fact.field] == null && AWAITED_BEFORE_CLOSE.includes(fact.field);
}

/** A clock time says when the person clocked, not when the source had it: two looks say when that was. */
function readStamp({ fact }: Transition, { occurredAt, timeZone }: LatenessContext): number | null {
  return occurredAt === null || fact?.occurredAt !== 'value' ? null : parseInstant(occurredAt, timeZone);
}

/** A timesheet before a step or after it, and the pay periods that it belongs to. */
interface Side {
  readonly state: State | null;
  readonly found: TimesheetPeriods;
}

function findClosedPeriods({ from, to }: Transition, context: ClosingContext): ClosedPeriod[] {
  const [before, after] = [findSide(from, context), findSide(to, context)];
  if (before === null || after === null) return [];
  const late = [...selectClosed(before.found, context), ...selectClosed(after.found, context)];
  const periods = new Map(late.map((period) => [period.id, period]));
  return [...periods.values()].map((period) => ({
    id: period.id,
    calendar: period.calendar,
    ...describeEffect(period, before, after),
    ...(compareWithClosing(context, period) === 'after' ? {} : { certain: false as const }),
  }));
}

/** Null when no list of periods is known, or the record is no timesheet. */
function findSide(state: State | null, { id, findPeriods }: ClosingContext): Side | null {
  if (state === null) return { state, found: { periods: [], isKnown: true } };
  const found = findPeriodsOf({ id, state }, findPeriods);
  return found === null ? null : { state, found };
}

/**
 * The periods that closed before a change, or may have. Where it is not known to which of several a timesheet belongs,
 * all must have: only then it came after the closing of its own.
 */
function selectClosed({ periods, isKnown }: TimesheetPeriods, time: ChangeTime): readonly KnownPeriod[] {
  const closed = periods.filter(
    // A closing that is not told yet leaves its period open: what changes before it is told is in its figures.
    (period) => period.closed && compareWithClosing(time, period) !== 'before',
  );
  return isKnown || closed.length === periods.length ? closed : [];
}

/** What a period has more or less with a step; nothing where it is not known whether the timesheet belongs to it. */
function describeEffect(
  period: KnownPeriod,
  before: Side,
  after: Side,
): Pick<ClosedPeriod, 'effect' | 'hours'> {
  const [was, is] = [isMember(period, before), isMember(period, after)];
  if (was === null || is === null) return {};
  const effect = !was ? 'gains' : !is ? 'loses' : 'changes';
  const hours = toHours((is ? readUnits(after) : 0) - (was ? readUnits(before) : 0));
  return { effect, ...(hours === 0 ? {} : { hours }) };
}

function isMember({ id }: KnownPeriod, { found }: Side): boolean | null {
  const isListed = found.periods.some((period) => period.id === id);
  return isListed && !found.isKnown ? null : isListed;
}

function readUnits({ state }: Side): number {
  return typeof state?.hoursToPay === 'number' ? toUnits(state.hoursToPay) : 0;
}

/** When something happened, at the earliest and at the latest, in milliseconds since 1970. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** When a change was seen, and when the source says that it happened. */
export interface ChangeTime {
  readonly observed: { readonly after: number | null; readonly by: number };
  /** The source's own stamp of the change, in milliseconds since 1970; null without one. */
  readonly stampedAt: number | null;
  /** The connection's zone, for stamps without an offset. */
  readonly timeZone: string;
}

const SECOND_MS = 1_000;
const LONG_AGO: Span = { from: Number.NEGATIVE_INFINITY, to: Number.NEGATIVE_INFINITY };

/**
 * Whether a change came before or after its pay period closed. The source's own stamps are compared; without one, or
 * where looks contradict it, it was between two looks. `unknown`: these overlap.
 */
export function compareWithClosing(change: ChangeTime, period: KnownPeriod): 'before' | 'after' | 'unknown' {
  const { after, by } = change.observed;
  const stamped = change.stampedAt === null ? null : toSpan(change.stampedAt);
  const changed = narrow({ from: after ?? Number.NEGATIVE_INFINITY, to: by }, stamped);
  const closed = findClosingTime(period, change);
  if (changed.to <= closed.from) return 'before';
  return changed.from >= closed.to && changed.from > Number.NEGATIVE_INFINITY ? 'after' : 'unknown';
}

function findClosingTime(period: KnownPeriod, { observed, timeZone }: ChangeTime): Span {
  const stamp = period.closedStamp ?? '';
  // A closing at midnight is a date that is written as an instant.
  const date = isDate(stamp) ? stamp : parseMidnightDate(stamp, timeZone);
  const at = date === null ? parseInstant(stamp, timeZone) : null;
  const moment = at === null ? null : toSpan(at);
  const between = period.closedBetween;
  // Looks whose clock was ahead saw nothing that can be placed.
  if (between !== null && !isMisdated(between.by, observed.by))
    return narrow({ from: between.after ?? Number.NEGATIVE_INFINITY, to: between.by }, moment);
  const stamped = date === null ? moment : toDay(date, timeZone);
  return stamped === null || isMisdated(stamped.from, observed.by) ? LONG_AGO : stamped;
}

/** A stamp between two looks says when exactly; another one says nothing of when they could see it. */
function narrow(looks: Span, moment: Span | null): Span {
  if (moment === null) return looks;
  const fits = !isMisdated(looks.from, moment.from) && !isMisdated(moment.to, looks.to);
  return fits ? moment : looks;
}

/** Many sources write whole seconds: such a stamp may be any moment of its second. */
function toSpan(at: number): Span {
  return { from: at, to: at % SECOND_MS === 0 ? at + SECOND_MS - 1 : at };
}

function toDay(date: string, timeZone: string): Span | null {
  const [from, to] = [date, addDays(date, 1)].map((day) => parseInstant(`${day}T00:00:00`, timeZone));
  return from == null || to == null ? null : { from, to };
}
