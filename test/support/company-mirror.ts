import type { Company } from '#local/source/company/company.ts';
import type { PollHarness } from './poll-harness.ts';

/** The sample company as the source of a harness. */
export interface CompanyMirror {
  /** Whether anything happened since the last update. */
  hasChanged(): boolean;
  /** The source has what the company has now. */
  update(harness: PollHarness): void;
}

export function mirrorCompany(company: Company): CompanyMirror {
  let read = company.history.length;
  let changed = company.timesheets().map(({ id }) => id);
  return {
    hasChanged: () => company.history.length > read,
    update(harness) {
      changed.push(...company.history.slice(read).map(({ id }) => id));
      read = company.history.length;
      for (const id of new Set(changed)) {
        const record = company.timesheet(id);
        if (record === undefined) harness.remove(id);
        else harness.put(record);
      }
      changed = [];
      harness.lists['pay-periods'] = company.payPeriods();
    },
  };
}

/** Ids of the timesheets of an employee in a pay period, as they are now. */
export function listMembers(company: Company, employeeId: string, periodId: string): readonly string[] {
  const period = company.payPeriod(periodId);
  const members = period === undefined ? [] : company.members(period);
  return members.filter((each) => each.employeeId === employeeId).map(({ id }) => id);
}
