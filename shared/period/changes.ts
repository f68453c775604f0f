import { toIso } from '../core/dates.ts';
import { compareIds } from '../core/events/compare-ids.ts';
import { type Account, type ChangedTimesheet, MAX_CHANGED } from '../core/periods/account-data.ts';
import { type CountedHours, toHours } from '../core/periods/counted-hours.ts';
import type { PeriodMemory } from '../core/periods/period-memory.ts';
import { type Counted, isReady } from './view.ts';

/** What a pay period was told with. */
export interface ToldBefore {
  /** When, in milliseconds since 1970. */
  readonly at: number;
  readonly verdict: Account['verdict'];
  readonly hours: readonly CountedHours[];
  /** It was of all timesheets of the period: what it has not was added since. */
  readonly isWhole: boolean;
}

/** From what the row of a pay period remembers, and the stored count of that; null where there is none. */
export function toToldBefore(
  { told, count, hasReserve }: PeriodMemory,
  hours: readonly CountedHours[] | null,
): ToldBefore | null {
  if (count === null || hours === null) return null;
  const isToPay = told !== 'reopened' && !hasReserve && hours.every(([, ready]) => ready !== null);
  return { at: count.at, verdict: isToPay ? 'pay' : 'not_yet', isWhole: count.isWhole, hours };
}

interface Now {
  /** The timesheets on the dates of the period, and whether they are its own. */
  readonly all: ReadonlyMap<string, boolean | null>;
  readonly own: readonly Counted[];
  readonly isWhole: boolean;
}

/** A timesheet whose ready hours differ, and by how much no processing has covered that. In units of 1/10,000 hour. */
interface Changed extends Omit<ChangedTimesheet, 'was' | 'now' | 'difference' | 'isOpen'> {
  readonly was: number | null;
  readonly now: number | null;
  readonly units: number;
  readonly openUnits: number;
}

/** What changed since a pay period was told. */
interface Comparison {
  /** The largest difference first. */
  readonly changed: readonly Changed[];
  /** False: what was added or removed is not known, and left out. */
  readonly isComplete: boolean;
}

/**
 * The timesheets whose ready hours differ from those that a period was told with. Null where nothing is known to, and not
 * everything is known: what is open is never 0 by ignorance.
 */
export function compareWithBefore(before: ToldBefore, { all, own, isWhole }: Now): Comparison | null {
  const isComplete = before.isWhole && isWhole;
  const known = new Map(before.hours);
  const present = new Set(own.map(({ id }) => id));
  const found = [
    ...own.flatMap((each) => compare(each, known.get(each.id))),
    ...before.hours.flatMap((each) => (present.has(each[0]) ? [] : compareGone(each, all))),
  ].filter(({ was, now, units }) => units !== 0 && (isComplete || (was !== null && now !== null)));
  if (!isComplete && found.length === 0) return null;
  const changed = found.sort(
    (a, b) => Math.abs(b.units) - Math.abs(a.units) || compareIds(a.timesheetId, b.timesheetId),
  );
  return { changed, isComplete };
}

/** `before`: undefined where the period had it not, null where it was not ready. */
function compare(each: Counted, before: number | null | undefined): Changed[] {
  const { id: timesheetId, employeeId, departmentId, date } = each;
  const now = isReady(each) ? each.units : null;
  if (before === undefined && now === null) return [];
  const units = (now ?? 0) - (before ?? 0);
  const reason = nameReason(each, before);
  // A member that was not ready counted with 0 hours; one that the period had not, with none.
  const was = before === undefined ? null : (before ?? 0);
  const owner = { employeeId, departmentId, date };
  return [{ timesheetId, ...owner, reason, was, now: now ?? 0, units, openUnits: countOpen(each, units) }];
}

function nameReason(each: Counted, before: number | null | undefined): Changed['reason'] {
  if (before === undefined) return each.wasGained ? 'moved' : 'added';
  if (before === null) return 'approved';
  return isReady(each) ? 'changed' : 'revoked';
}

/** Processing covers the hours that a timesheet had then; what came from another period was not processed as one of this. */
function countOpen({ processed, paidUnits, wasGained, units: now }: Counted, units: number): number {
  if (!processed || wasGained) return units;
  return paidUnits === null ? 0 : now - paidUnits;
}

function compareGone([timesheetId, before]: CountedHours, all: Now['all']): Changed[] {
  // Not known whether it is its own: it is not known to be gone.
  if (before === null || all.get(timesheetId) === null) return [];
  const reason = all.has(timesheetId) ? 'moved' : 'removed';
  const owner = { employeeId: null, departmentId: null, date: null };
  return [{ timesheetId, ...owner, reason, was: before, now: null, units: -before, openUnits: -before }];
}

/** As an account shows it. */
export function sumChanges(
  before: ToldBefore,
  { changed, isComplete }: Comparison,
): NonNullable<Account['changes']> {
  const open = changed.filter(({ openUnits }) => openUnits !== 0);
  const sum = (units: readonly number[]) => toHours(units.reduce((total, each) => total + each, 0));
  return {
    ...{ since: toIso(before.at), verdict: before.verdict },
    readyHours: sum(before.hours.map(([, units]) => units ?? 0)),
    timesheets: changed.length,
    hours: sum(changed.map(({ units }) => units)),
    open: { timesheets: open.length, hours: sum(open.map(({ openUnits }) => openUnits)) },
    complete: isComplete,
    listed: changed.slice(0, MAX_CHANGED).map(toChangedTimesheet),
  };
}

export function toChangedTimesheet({ units, openUnits, was, now, ...owner }: Changed): ChangedTimesheet {
  return {
    ...owner,
    was: was === null ? null : toHours(was),
    now: now === null ? null : toHours(now),
    difference: toHours(units),
    isOpen: openUnits !== 0,
  };
}
