import { describe, expect, test } from 'vitest';
import type { Account } from '#shared/core/periods/account-data.ts';
import { payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const HOUR_MS = 3_600_000;
const PERIODS = [
  { id: 'W1', calendar: 'Weekly', startDate: '2026-03-02', finishDate: '2026-03-08' },
  { id: 'F1', calendar: 'Fortnightly', startDate: '2026-03-02', finishDate: '2026-03-15' },
  { id: 'W3', calendar: 'Weekly', startDate: '2026-03-16', finishDate: '2026-03-22' },
  { id: 'F2', calendar: 'Fortnightly', startDate: '2026-03-16', finishDate: '2026-03-29' },
];

/** Employees 2000 and 2002 are paid weekly, 2001 and 2003 fortnightly; from 16 March on 2002 is paid fortnightly. */
class Company extends PollHarness {
  readonly closed = new Map<string, string>();
  readonly #periodOf = new Map<string, string>();

  constructor() {
    super({ startAt: '2026-03-09T01:00:00Z', connection: { window: { backDays: 25, forwardDays: 5 } } });
    Object.defineProperty(this.lists, 'pay-periods', {
      get: () => PERIODS.map((each) => this.#describe(each)),
    });
    this.members = (employeeId, periodId) =>
      this.#own(periodId).flatMap((each) => (each.employeeId === employeeId ? [each.id] : []));
  }

  enter(id: string, employeeId: string, date: string, periodId: string): void {
    this.#periodOf.set(id, periodId);
    this.put(timesheet({ id, employeeId, date, approvedHours: `${date}T20:00:00Z` }));
  }

  async close(id: string, at: string): Promise<void> {
    this.now = Date.parse(at);
    this.closed.set(id, at);
    await this.pollFor(8);
  }

  /** The account of the last event of a type about a period. */
  told(type: string, id: string): Account {
    const event = this.published.findLast((each) => each.type.endsWith(type) && each.subject === id);
    return event?.data.account as Account;
  }

  #own(periodId: string): SampleRecord[] {
    return [...this.timesheets.values()].filter(({ id }) => this.#periodOf.get(id) === periodId);
  }

  #describe(values: (typeof PERIODS)[number]): SampleRecord {
    const own = this.#own(values.id);
    return payPeriod({
      ...values,
      closed: this.closed.get(values.id) ?? null,
      hours: own.reduce((sum, { hoursToPay }) => sum + Number(hoursToPay), 0),
      numberEmployees: new Set(own.map(({ employeeId }) => employeeId)).size,
      numberTimesheets: own.length,
    });
  }
}

/** The first week closed, and one of its employees went to the other calendar after it. */
async function begin(): Promise<Company> {
  const company = new Company();
  for (const n of [0, 1, 2, 3])
    company.enter(`100${n}_7`, `200${n}_7`, '2026-03-04', n % 2 === 0 ? 'W1' : 'F1');
  await company.pollFor(3);
  await company.close('W1', '2026-03-09T01:30:00Z');
  expect(company.told('closed', 'W1')).toMatchObject({ timesheets: 2, hours: 15, verdict: 'pay' });
  company.now = Date.parse('2026-03-17T01:00:00Z');
  for (const n of [0, 1, 2, 3]) company.enter(`101${n}_7`, `200${n}_7`, '2026-03-17', n === 0 ? 'W3' : 'F2');
  await company.pollFor(40);
  company.news();
  return company;
}

describe('who is paid by another calendar from the next period on', () => {
  test('stays in the account of the period that had closed', async () => {
    const company = await begin();
    company.change({ processed: '2026-03-17T06:00:00Z' }, ['1000_7', '1002_7']);
    await company.pollFor(40);
    expect(company.told('settled', 'W1')).toMatchObject({
      ...{ timesheets: 2, hours: 15, reserves: [], changes: { timesheets: 0 } },
      difference: { timesheets: 0, employees: 0, hours: 0 },
    });
  });

  test('is in no other period of his old dates', async () => {
    const company = await begin();
    await company.close('F1', '2026-03-17T04:00:00Z');
    expect(company.told('closed', 'F1')).toMatchObject({ timesheets: 2, hours: 15, reserves: [] });
  });

  test('is late for the period that had closed', async () => {
    const company = await begin();
    company.change({ hoursToPay: 9.5 }, ['1002_7']);
    await company.pollFor(31);
    const event = company.published.find(({ subject }) => subject === '1002_7');
    expect(event?.data).toMatchObject({
      late: expect.arrayContaining(['close']),
      payPeriods: [{ id: 'W1', state: 'closed' }],
      closedPeriods: [{ id: 'W1', effect: 'changes', hours: 2 }],
    });
  });

  test('also where the calendar has another name by then', async () => {
    const company = await begin();
    const [first] = PERIODS;
    if (first !== undefined) PERIODS[0] = { ...first, calendar: 'Weekly 2026' };
    await company.pollFor(3);
    company.news();
    company.change({ hoursToPay: 9.5 }, ['1002_7']);
    company.now += HOUR_MS;
    await company.pollFor(31);
    if (first !== undefined) PERIODS[0] = first;
    const event = company.published.find(({ subject }) => subject === '1002_7');
    expect(event?.data).toMatchObject({ payPeriods: [{ id: 'W1', calendar: 'Weekly 2026' }] });
  });
});
