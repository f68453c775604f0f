import type { ClosedPeriod } from '../plan/pay-period-dates.ts';
import type { Transition } from './transitions.ts';

/** What had already happened when a record changed, so that the change came late. */
export type LateAfter = 'approval' | 'processing' | 'close';

/** The pay periods of an employee's date when all of them are closed, otherwise none. */
export type ClosedPeriodFinder = (date: string, employeeId: string | null) => readonly ClosedPeriod[];

export interface Lateness {
  readonly late: readonly LateAfter[];
  /** The closed pay periods of a timesheet for which `late` has `close`. */
  readonly closedPeriods: readonly ClosedPeriod[];
}

/** Closed pay periods that an event names: bounds its size whatever the source lists. */
export const MAX_CLOSED_PERIODS = 20;
/** Markers that are late when first set after the pay period closed. Processing is not: it follows the close. */
const AWAITED_BEFORE_CLOSE: readonly string[] = ['clockIn', 'clockOut', 'approvedHours', 'approvedPayroll'];

/**
 * What had already happened before a step. A step that changes or reverses something is late after approval,
 * processing or the close of the pay period; a new record or fact only after the close. The date and the employee before
 * the step decide which pay period counts, for a new record its own.
 */
export function findLateness(transition: Transition, findClosedPeriods: ClosedPeriodFinder): Lateness {
  const { from, to, kind, marker } = transition;
  // Time alone makes no change that could come late.
  if (marker?.derived === true) return { late: [], closedPeriods: [] };
  const { date, employeeId } = from ?? to ?? {};
  const employee = typeof employeeId === 'string' ? employeeId : null;
  const closed = typeof date === 'string' ? findClosedPeriods(date, employee) : [];
  const afterClose = closed.length > 0;
  const closedPeriods = closed.slice(0, MAX_CLOSED_PERIODS);
  if (kind === 'statement') return { late: [], closedPeriods: [] };
  if (from === null || kind === 'created' || kind === 'forward') {
    const isLate = afterClose && isNewFact(transition);
    return isLate ? { late: ['close'], closedPeriods } : { late: [], closedPeriods: [] };
  }
  const late: LateAfter[] = [];
  if (from.approvedHours != null) late.push('approval');
  if (from.processed != null) late.push('processing');
  if (from.closed != null || afterClose) late.push('close');
  return { late, closedPeriods };
}

/** Whether a step creates a record, or first sets a marker that belongs before the close. */
function isNewFact({ kind, marker, from }: Transition): boolean {
  if (kind === 'created') return true;
  return marker !== null && from?.[marker.field] == null && AWAITED_BEFORE_CLOSE.includes(marker.field);
}
