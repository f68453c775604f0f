import type { Account } from '#shared/core/periods/account-data.ts';

/** The account of a closed period of 100 timesheets, all ready. */
export function accountOf(values: Partial<Account> = {}): Account {
  return {
    ...{ state: 'closed', since: '2026-03-09T01:30:00.000Z', closesAt: null, verdict: 'pay' },
    ...{ through: '2026-03-08', asOf: '2026-03-09T01:30:10.000Z' },
    ...{ people: 20, timesheets: 100, hours: 750 },
    ready: { people: 20, timesheets: 100, hours: 750 },
    notReady: { people: 0, timesheets: 0, hours: 0 },
    ...{ unprocessed: 100, departments: 0, byDepartment: [], leftOver: [], changes: null },
    ...{ source: null, difference: null, reserves: [] },
    ...values,
  };
}
