import { expect, test } from 'vitest';
import { type Company, createCompany } from '#local/source/company/company.ts';
import type { Account } from '#shared/core/periods/account-data.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { showCompany } from '#test/support/show-company.ts';
import { MINUTE_MS, MORNING, makeSource } from './support.ts';

const SETTINGS = { seed: 1, size: 30, timeZone: 'Pacific/Auckland', startsAt: MORNING };

test('with two calendars one department is paid every two weeks, and all else is as with one', () => {
  const [one, two] = [createCompany(SETTINGS), createCompany({ ...SETTINGS, calendars: 2 })];
  for (const company of [one, two]) company.advanceTo(MORNING + 6 * 3_600_000);
  expect(listWorked(two)).toEqual(listWorked(one));
  expect(periodsOf(two, 'Weekly')).toEqual(periodsOf(one, 'Weekly'));
  const fortnights = two.payPeriods().filter(({ calendar }) => calendar === 'Fortnightly');
  expect(fortnights.length).toBeGreaterThan(4);
  expect(fortnights[0]).toMatchObject({ id: '9501_1' });
  for (const fortnight of fortnights.slice(0, -1)) {
    const { startDate, finishDate } = fortnight;
    const weeks = two
      .payPeriods()
      .filter(
        (each) => each.calendar === 'Weekly' && startDate <= each.startDate && each.finishDate <= finishDate,
      );
    expect(weeks).toHaveLength(2);
    const all = [fortnight, ...weeks].flatMap((period) => two.members(period).map(({ id }) => id));
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(two.timesheets({ from: startDate, to: finishDate }).length);
    const departments = two.members(fortnight).map(({ employeeId }) => departmentOf(two, employeeId));
    expect(new Set(departments)).toEqual(new Set(['Sample Office']));
  }
});

test('the source says which timesheets of an employee are in a period', async () => {
  const source = makeSource({ ...SETTINGS, calendars: 2, pageSizeCap: 3 });
  const { company } = source;
  const period = company.payPeriods().find(({ calendar }) => calendar === 'Fortnightly');
  if (period === undefined) throw new Error('the company has no second calendar');
  for (const { employee } of company.staff) {
    const own = company.members(period).filter(({ employeeId }) => employeeId === employee.id);
    const list = await source.ask(`/employees/${employee.id}/timesheets?payPeriodId=${period.id}`);
    expect(list.body.pagination.totalRecords).toBe(own.length);
  }
});

test('each closing is counted of its own members, and adds up with the source', async () => {
  const company = createCompany({ ...SETTINGS, calendars: 2 });
  const harness = new PollHarness({
    connection: { timeZone: SETTINGS.timeZone, window: { backDays: 17, forwardDays: 7 } },
    startAt: new Date(MORNING).toISOString(),
    requestMs: 1,
  });
  const showChanges = showCompany(company, harness);
  const poll = async () => {
    company.advanceTo(harness.now);
    showChanges();
    await harness.poll();
  };
  for (let polls = 0; polls < 4; polls += 1) await poll();
  const until = MORNING + 6 * 3_600_000;
  while (harness.now < until) {
    harness.now += 4 * MINUTE_MS;
    await poll();
  }
  const closings = harness.published
    .filter(({ type }) => type === 'workforce.pay_period.closed')
    .map(({ subject, data }) => ({ id: subject ?? '', account: data.account as Account }));
  // The week is closed, opened and closed again; then two weeks are.
  expect(closings.map(({ id }) => id.slice(0, 2))).toEqual(['90', '90', '95']);
  for (const { id, account } of closings) {
    const { timesheets, people, hours, source, reserves } = account;
    expect(reserves).toEqual([]);
    expect(source).toEqual({ timesheets, employees: people, hours });
    expect(company.payPeriod(id)?.numberTimesheets).toBe(timesheets);
  }
});

/** What everybody worked and planned to: payroll comes on another day to those who are paid every two weeks. */
function listWorked(company: Company) {
  return company
    .timesheets()
    .map(({ id, employeeId, date, clockIn }) => ({ id, employeeId, date, in: clockIn?.id }));
}

function periodsOf(company: Company, name: string) {
  return company
    .payPeriods()
    .filter(({ calendar }) => calendar === name)
    .map(({ id, startDate, closed }) => ({ id, startDate, closed }));
}

function departmentOf({ staff }: Company, id: string): string | undefined {
  return staff.find(({ employee }) => employee.id === id)?.workplace.department.name;
}
