import { listDates } from '#shared/core/dates.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import {
  differsFromSource,
  isDueToAsk,
  type OwnedTimesheet,
  selectKnownToAsk,
} from '#shared/core/plan/membership.ts';
import { feedDefinition, toState } from '#shared/core/records/feed-definition.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import { type PayPeriodTotals, roundHours } from '#shared/core/records/pay-period-totals.ts';
import type { Membership } from '#shared/core/snapshot/membership.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import { listLeafRefs } from '../compare/read-leaves.ts';
import { hasTimeLeft, type PollRun } from '../poll-run.ts';

const TIMESHEETS = feedDefinition('timesheets');

/** Employees to be asked about, with their timesheets on the dates of a period. */
export interface EmployeeSurvey {
  readonly employees: ReadonlyMap<string, readonly OwnedTimesheet[]>;
  /** All are among them: there was time to read every date, and room for every employee. */
  readonly isComplete: boolean;
}

interface TimesheetOfEmployee extends OwnedTimesheet {
  readonly employeeId: string;
  readonly hours: number;
}

interface SurveyBounds {
  readonly membership: Membership;
  readonly maxEmployees: number;
}

/**
 * Searches the dates of a period for employees who are to be asked about, at most so many: those whose calendar is not
 * known, and, where what counts as the period's own is not what the source says, those who were asked longest ago.
 */
export async function surveyPeriod(
  period: PayPeriodHint,
  { membership, maxEmployees }: SurveyBounds,
  run: PollRun,
): Promise<EmployeeSurvey> {
  const now = run.ports.clock.now();
  const isDue = (id: string) => isDueToAsk(membership.employees.get(id), now);
  const calendarOf = (id: string) => membership.employees.get(id)?.calendar ?? null;
  const own = new TotalCount();
  const unknown = new TotalCount();
  const employees = new Map<string, TimesheetOfEmployee[]>();
  let isComplete = true;
  const isRead = await forEachDate(period, run, (timesheets) => {
    own.add(timesheets.filter(({ employeeId }) => calendarOf(employeeId) === period.calendar));
    unknown.add(timesheets.filter(({ employeeId }) => calendarOf(employeeId) === null));
    const due = timesheets.filter(({ employeeId }) => isDue(employeeId));
    isComplete = takeEmployees(due, employees, maxEmployees) && isComplete;
  });
  // A new employee explains a difference, and is asked about first.
  if (!isRead || !isComplete || employees.size > 0) return { employees, isComplete: isRead && isComplete };
  const differs = differsFromSource({ own: own.totals, unknown: unknown.totals }, period, now);
  return await findKnown(
    selectKnownToAsk(period, membership, { differs, now }),
    { period, maxEmployees },
    run,
  );
}

/** Of employees in the order in which they are to be asked about, as many as fit who have timesheets in the period. */
async function findKnown(
  ids: readonly string[],
  { period, maxEmployees }: { readonly period: PayPeriodHint; readonly maxEmployees: number },
  run: PollRun,
): Promise<EmployeeSurvey> {
  const chosen = new Set(ids.slice(0, maxEmployees));
  const employees = new Map<string, TimesheetOfEmployee[]>();
  if (chosen.size === 0) return { employees, isComplete: true };
  const isRead = await forEachDate(period, run, (timesheets) => {
    const asked = timesheets.filter(({ employeeId }) => chosen.has(employeeId));
    takeEmployees(asked, employees, maxEmployees);
  });
  return { employees, isComplete: isRead && ids.length <= maxEmployees };
}

class TotalCount {
  readonly #employees = new Set<string>();
  #timesheets = 0;
  #hours = 0;

  add(timesheets: readonly TimesheetOfEmployee[]): void {
    for (const { employeeId, hours } of timesheets) {
      this.#employees.add(employeeId);
      this.#timesheets += 1;
      this.#hours += hours;
    }
  }

  get totals(): PayPeriodTotals {
    return {
      timesheets: this.#timesheets,
      employees: this.#employees.size,
      hours: roundHours(this.#hours),
    };
  }
}

/** Reads the timesheets of a period date by date; false when there was no time for all. */
async function forEachDate(
  { startDate, finishDate }: PayPeriodHint,
  run: PollRun,
  take: (timesheets: readonly TimesheetOfEmployee[]) => void,
): Promise<boolean> {
  const { store } = run.ports;
  const feed: FeedKey = { connection: run.feed.connection, feed: 'timesheets' };
  const dates = new Set(listDates({ from: startDate, to: finishDate }));
  const heads = (await store.loadHeads(feed, startDate)).filter(({ slice }) => dates.has(slice));
  for (const head of heads) {
    if (!hasTimeLeft(run)) return false;
    const leaves = await store.readLeaves(feed, listLeafRefs(head));
    take(leaves.flatMap(({ rows }) => rows).flatMap((row) => readOwner(row, head.slice)));
  }
  return true;
}

/** Adds timesheets to their employees; false when there is no room for all of these. */
function takeEmployees(
  timesheets: readonly TimesheetOfEmployee[],
  employees: Map<string, TimesheetOfEmployee[]>,
  maxEmployees: number,
): boolean {
  let fits = true;
  for (const timesheet of timesheets) {
    const known = employees.get(timesheet.employeeId);
    if (known !== undefined) known.push(timesheet);
    else if (employees.size < maxEmployees) employees.set(timesheet.employeeId, [timesheet]);
    else fits = false;
  }
  return fits;
}

function readOwner({ id, state }: LeafRow, date: string): TimesheetOfEmployee[] {
  const { employeeId, hoursToPay } = toState(TIMESHEETS, state);
  const hours = typeof hoursToPay === 'number' ? hoursToPay : 0;
  return typeof employeeId === 'string' ? [{ id, employeeId, date, hours }] : [];
}
