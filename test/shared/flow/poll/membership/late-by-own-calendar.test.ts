import { describe, expect, test } from 'vitest';
import { FORTNIGHTLY, sheetOf, TwoCalendars, WEEKLY } from './two-calendars.ts';

describe('a change on a date where one of two calendars closed', () => {
  test('is late for employees of that calendar alone', async () => {
    const company = await closedCompany();
    company.world.change({ hoursToPay: 9 }, ['1000_7', '1001_7']);
    expect(await news(company)).toEqual({
      '1000_7': [['close'], [{ id: WEEKLY, calendar: 'Weekly' }]],
      '1001_7': [[], undefined],
    });
  });

  test('goes by the employee before the change', async () => {
    const company = await closedCompany();
    company.world.change({ employeeId: '2001_7' }, ['1000_7']);
    expect(await news(company)).toMatchObject({ '1000_7': [['close'], expect.anything()] });
  });

  test('is late only when all are closed, for an employee whose calendar is not known', async () => {
    const company = await closedCompany();
    company.world.put(sheetOf(20));
    expect(await news(company)).toMatchObject({ '1020_7': [[], undefined] });
  });

  test('is told as it was committed, whatever is known by the time it goes out', async () => {
    const company = await closedCompany();
    const { world } = company;
    world.accepts = () => false;
    world.change({ hoursToPay: 9 }, ['1000_7']);
    expect(await news(company)).toEqual({});
    const entry = { calendar: 'Fortnightly', periodId: FORTNIGHTLY, askedAt: world.now };
    const employees = { '2000_7': entry };
    await world.store.saveMembership?.(
      'main',
      Array.from({ length: 16 }, (_, index) => ({ index, employees })),
    );
    world.accepts = () => true;
    expect(await news(company)).toMatchObject({ '1000_7': [['close'], [{ id: WEEKLY }]] });
  });

  test('costs one read of the calendars in a poll, and none where no period on the date is closed', async () => {
    const company = await closedCompany();
    const { world } = company;
    const { loadMembership } = world.store;
    let reads = 0;
    world.store.loadMembership = async (connection) => {
      reads += 1;
      return (await loadMembership?.(connection)) ?? expect.unreachable();
    };
    world.change({ hoursToPay: 9 }, ['1000_7', '1001_7', '1002_7']);
    await news(company);
    expect(reads).toBe(1);
    world.put(sheetOf(30, { date: '2026-03-10' }));
    await news(company);
    expect(reads).toBe(1);
  });
});

/** Both calendars are known, and that of the week is closed. */
async function closedCompany(): Promise<TwoCalendars> {
  const company = new TwoCalendars();
  await company.employ(6);
  await company.pollPeriods();
  await company.close(WEEKLY);
  return company;
}

/** What the next events say of having come late, by timesheet. */
async function news({ world }: TwoCalendars): Promise<Record<string, unknown>> {
  world.published.length = 0;
  await world.poll({ scope: 'window' });
  return Object.fromEntries(
    world.published.map(({ subject, data }) => [subject, [data.late, data.closedPeriods]]),
  );
}
