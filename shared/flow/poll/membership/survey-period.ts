import { listDates } from '#shared/core/dates.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { isDueToAsk, type OwnedTimesheet, type PeriodOfCalendar } from '#shared/core/plan/membership.ts';
import { feedDefinition, toState } from '#shared/core/records/feed-definition.ts';
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

type TimesheetOfEmployee = OwnedTimesheet & { readonly employeeId: string };

/** Searches the dates of a period for employees who are to be asked about, at most so many. */
export async function surveyPeriod(
  { startDate, finishDate }: PeriodOfCalendar,
  { membership, maxEmployees }: { readonly membership: Membership; readonly maxEmployees: number },
  run: PollRun,
): Promise<EmployeeSurvey> {
  const { store, clock } = run.ports;
  const timesheets: FeedKey = { connection: run.feed.connection, feed: 'timesheets' };
  const dates = new Set(listDates({ from: startDate, to: finishDate }));
  const heads = (await store.loadHeads(timesheets, startDate)).filter(({ slice }) => dates.has(slice));
  const employees = new Map<string, TimesheetOfEmployee[]>();
  const isDue = (id: string) => isDueToAsk(membership.employees.get(id), clock.now());
  let isComplete = true;
  for (const head of heads) {
    if (!hasTimeLeft(run)) return { employees, isComplete: false };
    const leaves = await store.readLeaves(timesheets, listLeafRefs(head));
    const owned = leaves.flatMap(({ rows }) => rows).flatMap((row) => readOwner(row, head.slice));
    const fits = takeEmployees(
      owned.filter(({ employeeId }) => isDue(employeeId)),
      employees,
      maxEmployees,
    );
    isComplete &&= fits;
  }
  return { employees, isComplete };
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
  const { employeeId } = toState(TIMESHEETS, state);
  return typeof employeeId === 'string' ? [{ id, employeeId, date }] : [];
}
