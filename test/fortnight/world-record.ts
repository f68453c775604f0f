import type { Company } from '#local/source/company/company.ts';
import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';

interface Version<Value> {
  readonly at: number;
  /** Null from when it is removed. */
  readonly value: Value | null;
}

/** What the company's own records were at any instant, noted without the notifier. */
export interface WorldRecord {
  /** Notes what changed up to now. */
  record(now: number): void;
  /** Ids of timesheets that changed since the last call. */
  takeChanged(): readonly string[];
  /** Ids of the timesheets of an employee in a pay period, as they are now. */
  listMembers(employeeId: string, periodId: string): readonly string[];
  timesheetsAt(at: number): readonly Timesheet[];
  periodsAt(at: number): readonly PayPeriod[];
  /** Instants from one to another at which anything changed, the first one included. */
  instants(from: number, to: number): readonly number[];
}

export function recordWorld(company: Company): WorldRecord {
  const timesheets = new Map<string, Version<Timesheet>[]>();
  const periods = new Map<string, Version<PayPeriod>[]>();
  const instants = [company.now()];
  let read = company.history.length;
  let changed = company.timesheets().map(({ id }) => id);
  for (const each of company.timesheets()) timesheets.set(each.id, [{ at: company.now(), value: each }]);
  for (const each of company.payPeriods()) periods.set(each.id, [{ at: company.now(), value: each }]);
  return {
    record(now) {
      const entries = company.history.slice(read);
      read = company.history.length;
      if (entries.length === 0) return;
      instants.push(now);
      for (const id of new Set(entries.map((entry) => entry.id))) {
        note(timesheets, id, { at: now, value: company.timesheet(id) ?? null });
        changed.push(id);
      }
      // The totals of a period move with its timesheets.
      for (const each of company.payPeriods()) note(periods, each.id, { at: now, value: each });
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
    timesheetsAt: (at) => valuesAt(timesheets, at),
    periodsAt: (at) => valuesAt(periods, at),
    instants(from, to) {
      const before = instants.findLast((at) => at <= from);
      const between = instants.filter((at) => from < at && at <= to);
      return before === undefined ? between : [before, ...between];
    },
  };
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
