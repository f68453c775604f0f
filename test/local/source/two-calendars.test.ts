import { expect, test } from 'vitest';
import { type Company, createCompany } from '#local/source/company/company.ts';
import { HOUR_MS, MORNING, openSource } from './support.ts';

const SETTINGS = { seed: 1, size: 30, timeZone: 'Pacific/Auckland', startsAt: MORNING };

test('with two calendars one department is paid every two weeks, and all else is as with one', () => {
  const [one, two] = [createCompany(SETTINGS), createCompany({ ...SETTINGS, calendars: 2 })];
  for (const company of [one, two]) company.advanceTo(MORNING + 6 * HOUR_MS);
  expect(listWorked(two)).toEqual(listWorked(one));
  expect(periodsOf(two, 'Weekly')).toEqual(periodsOf(one, 'Weekly'));
  const fortnights = two.payPeriods().filter(({ calendar }) => calendar === 'Fortnightly');
  expect(fortnights.length).toBeGreaterThan(4);
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

test('the source says which timesheets of an employee are in a period, whatever the dates', async () => {
  const { company, ask } = await openSource({ ...SETTINGS, calendars: 2 });
  const period = company.payPeriods().find(({ calendar }) => calendar === 'Fortnightly');
  for (const { id } of company.employees()) {
    const own = company.members({ id: period?.id ?? '' }).filter(({ employeeId }) => employeeId === id);
    const path = `/employees/${id}/timesheets`;
    const { body } = await ask(`${path}?payPeriodId=${period?.id}&pageSize=3&dateTo=2001-01-01`);
    expect(body.data).toEqual(own.slice(0, 3));
    expect(body.pagination.totalRecords).toBe(own.length);
    const next = own.length > 3 ? `/api/v1${path}?payPeriodId=${period?.id}&page=2&pageSize=3` : '';
    expect(body.pagination.nextPage).toBe(next);
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

function departmentOf(company: Company, id: string): string | undefined {
  return company.memberOf(id)?.workplace.department.name;
}
