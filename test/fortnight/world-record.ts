import type { Company } from '#local/source/company/company.ts';
import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';

interface Version<Value> {
  /** When it was noted first, in milliseconds since 1970. */
  readonly at: number;
  readonly value: Value | null;
}

/** What the company's own records were at any instant, noted without the notifier. */
export interface WorldRecord {
  /** Notes what changed up to now. Returns whether anything did. */
  record(now: number): boolean;
  /** Ids of timesheets that changed since the last call. */
  takeChanged(): readonly string[];
  /** Ids of the timesheets of an employee in a pay period, as they are now. */
  listMembers(employeeId: string, periodId: string): readonly string[];
  timesheetsAt(at: number): readonly Timesheet[];
  /** Of all timesheets that there ever were. */
  listTimesheetIds(): readonly string[];
  /** Every state of a timesheet that was noted, in order; null from when it is removed. */
  statesOf(id: string): readonly Version<Timesheet>[];
  periodStatesOf(id: string): readonly Version<PayPeriod>[];
  /** Name of the calendar by which an employee is paid. */
  calendarOf(employeeId: string): string | undefined;
  periodsAt(at: number): readonly PayPeriod[];
}

export function recordWorld(company: Company): WorldRecord {
  const timesheets = new Map<string, Version<Timesheet>[]>();
  const periods = new Map<string, Version<PayPeriod>[]>();
  let read = company.history.length;
  let changed = company.timesheets().map(({ id }) => id);
  for (const each of company.timesheets()) timesheets.set(each.id, [{ at: company.now(), value: each }]);
  for (const each of company.payPeriods()) periods.set(each.id, [{ at: company.now(), value: each }]);
  return {
    record(now) {
      const entries = company.history.slice(read);
      read = company.history.length;
      if (entries.length === 0) return false;
      for (const id of new Set(entries.map((entry) => entry.id))) {
        note(timesheets, id, { at: now, value: company.timesheet(id) ?? null });
        changed.push(id);
      }
      // The totals of a period move with its timesheets.
      for (const each of company.payPeriods()) note(periods, each.id, { at: now, value: each });
      return true;
    },
    takeChanged() {
      const taken = [...new Set(changed)];
      changed = [];
      return taken;
    },
    listMembers(employeeId, periodId) {
      const period = company.payPeriod(periodId);
      const members = period === undefined ? [] : company.members(period);
      return members.filter((each) => each.employeeId === employeeId).map(({ id }) => id);
    },
    listTimesheetIds: () => [...timesheets.keys()],
    statesOf: (id) => timesheets.get(id) ?? [],
    periodStatesOf: (id) => periods.get(id) ?? [],
    calendarOf: (employeeId) => findCalendar(company, employeeId),
    timesheetsAt: (at) => valuesAt(timesheets, at),
    periodsAt: (at) => valuesAt(periods, at),
  };
}

/** As the source tells it: by the periods that list the timesheets of an employee. */
function findCalendar(company: Company, employeeId: string): string | undefined {
  return company
    .payPeriods()
    .find((period) => company.members(period).some((each) => each.employeeId === employeeId))?.calendar;
}

function note<Value>(all: Map<string, Version<Value>[]>, id: string, version: Version<Value>): void {
  const versions = all.get(id) ?? [];
  if (versions.length === 0 && version.value === null) return;
  versions.push(version);
  all.set(id, versions);
}

function valuesAt<Value>(all: ReadonlyMap<string, readonly Version<Value>[]>, at: number): Value[] {
  return [...all.values()].flatMap((versions) => {
    const value = versions.findLast((version) => version.at <= at)?.value;
    return value === null || value === undefined ? [] : [value];
  });
}
