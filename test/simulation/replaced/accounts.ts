import { vi } from 'vitest';
import type * as Members from '#shared/core/periods/members.ts';
import type * as Accounts from '#shared/period/account.ts';
import type * as Counts from '#shared/period/flow/keep-count.ts';
import type * as Moments from '#shared/period/moments.ts';
import type * as Views from '#shared/period/view.ts';
import { planted, wrongWhen } from './planted.ts';

/** Mistakes of the account of a pay period (rule 18), each with the first history that catches it. */
export const ACCOUNT_MISTAKES = {
  'takes a date that was never read for empty': 104,
  'counts hours that nobody approved as ready': 63,
  'counts timesheets of another calendar': 7,
  'counts timesheets of which nobody knows whose they are': 34,
  'settles what is not processed': 5,
  'holds what changed against an older count': 127,
  'takes the department of the employee for that of the timesheet': 63,
};

vi.mock('#shared/period/view.ts', async (original) => {
  const right = await original<typeof Views>();
  const name = 'counts hours that nobody approved as ready';
  return { ...right, isReady: wrongWhen(name, right.isReady, () => true) };
});

vi.mock('#shared/core/periods/members.ts', async (original) => {
  const right = await original<typeof Members>();
  const belongsTo: typeof right.belongsTo = (timesheet, period, known) => {
    const isOwn = right.belongsTo(timesheet, period, known);
    if (planted.name === 'counts timesheets of which nobody knows whose they are') return isOwn ?? true;
    const isOnDates = period.startDate <= timesheet.date && timesheet.date <= period.finishDate;
    return planted.name === 'counts timesheets of another calendar' && isOwn !== null ? isOnDates : isOwn;
  };
  return { ...right, belongsTo };
});

vi.mock('#shared/period/account.ts', async (original) => {
  const right = await original<typeof Accounts>();
  const countPeriod: typeof right.countPeriod = (view) => {
    const isByEmployee = planted.name.startsWith('takes the department of the employee');
    const counted = right.countPeriod(isByEmployee ? withDepartmentsOfEmployees(view) : view);
    if (planted.name !== 'takes a date that was never read for empty') return counted;
    const { account } = counted;
    const reserves = account.reserves.filter(({ kind }) => kind !== 'dates_unread');
    const isClosed = account.state === 'closed' || account.state === 'settled';
    const isToPay = isClosed && account.notReady.timesheets === 0 && reserves.length === 0;
    return { ...counted, account: { ...account, verdict: isToPay ? 'pay' : 'not_yet', reserves } };
  };
  return { ...right, countPeriod };
});

/** Each timesheet in the department of the first one of its employee. */
function withDepartmentsOfEmployees(view: Accounts.PeriodView): Accounts.PeriodView {
  const departments = new Map(
    view.timesheets.toReversed().map(({ employeeId, departmentId }) => [employeeId, departmentId]),
  );
  const timesheets = view.timesheets.map((each) => ({
    ...each,
    departmentId: departments.get(each.employeeId) ?? null,
  }));
  return { ...view, timesheets };
}

vi.mock('#shared/period/moments.ts', async (original) => {
  const right = await original<typeof Moments>();
  const findDueMoment = wrongWhen('settles what is not processed', right.findDueMoment, (account, due) =>
    right.findDueMoment({ ...account, unprocessed: 0 }, due),
  );
  return { ...right, findDueMoment };
});

vi.mock('#shared/period/flow/keep-count.ts', async (original) => {
  const right = await original<typeof Counts>();
  type Kept = Awaited<ReturnType<typeof right.keepCount>>;
  /** The first count of each period, by the connections of histories. */
  const first = new WeakMap<object, Map<string, Kept>>();
  const keepCount: typeof right.keepCount = async (id, counted, run) => {
    const kept = await right.keepCount(id, counted, run);
    if (planted.name !== 'holds what changed against an older count') return kept;
    const ofHistory = first.get(run.connection) ?? new Map<string, Kept>();
    first.set(run.connection, ofHistory);
    ofHistory.set(id, ofHistory.get(id) ?? kept);
    return ofHistory.get(id) ?? kept;
  };
  return { ...right, keepCount };
});
