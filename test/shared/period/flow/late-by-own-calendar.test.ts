import { describe, expect, test, vi } from 'vitest';
import { FORTNIGHTLY, sheetOf, TwoCalendars, WEEKLY } from './two-calendars.ts';

describe('a change on a date where one of two calendars closed', () => {
  test('is late for employees of that calendar alone', async () => {
    const company = await closedCompany();
    company.world.change({ hoursToPay: 9 }, ['1000_7', '1001_7']);
    expect(await news(company)).toEqual({
      '1000_7': [['close'], [{ ...WEEK, effect: 'changes', hours: 1.5 }]],
      '1001_7': [[], undefined],
    });
  });

  test('goes by the employee before the change, and by the one after it', async () => {
    const company = await closedCompany();
    company.world.change({ employeeId: '2001_7' }, ['1000_7']);
    company.world.change({ employeeId: '2002_7' }, ['1003_7']);
    expect(await news(company)).toEqual({
      '1000_7': [['close'], [{ ...WEEK, effect: 'loses', hours: -7.5 }]],
      '1003_7': [['close'], [{ ...WEEK, effect: 'gains', hours: 7.5 }]],
    });
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
    const answers = await world.store.loadAnswers('main', WEEKLY);
    vi.spyOn(world.store, 'loadAnswers').mockResolvedValue(
      new Map([...answers].map(([id]) => [id, [world.now, 'none']])),
    );
    world.accepts = () => true;
    expect(await news(company)).toMatchObject({ '1000_7': [['close'], [WEEK]] });
  });

  test('costs one read of the answers about a period in a poll', async () => {
    const company = await closedCompany();
    const { world } = company;
    const loadAnswers = vi.spyOn(world.store, 'loadAnswers');
    world.change({ hoursToPay: 9 }, ['1000_7', '1001_7', '1002_7']);
    await news(company);
    expect(loadAnswers.mock.calls.map(([, id]) => id).sort()).toEqual([WEEKLY, FORTNIGHTLY]);
  });
});

describe('an event names the pay period of its timesheet', () => {
  const periods = async (company: TwoCalendars) => {
    company.world.published.length = 0;
    await company.world.poll({ all: true });
    return Object.fromEntries(company.world.published.map(({ subject, data }) => [subject, data.payPeriods]));
  };

  test('that of its employee, open or closed', async () => {
    const company = await closedCompany();
    company.world.change({ hoursToPay: 9 }, ['1000_7', '1001_7']);
    expect(await periods(company)).toEqual({
      '1000_7': [{ ...WEEK, state: 'closed' }],
      '1001_7': [{ id: FORTNIGHTLY, calendar: 'Fortnightly', state: 'open' }],
    });
  });

  test('after a change of date or employee the one where it is now, and none on a date of none', async () => {
    const company = await closedCompany();
    company.world.change({ employeeId: '2001_7' }, ['1000_7']);
    company.world.change({ date: '2026-03-20' }, ['1002_7']);
    expect(await periods(company)).toEqual({
      '1000_7': [{ id: FORTNIGHTLY, calendar: 'Fortnightly', state: 'open' }],
      '1002_7': [],
    });
  });

  test('not while the calendar of its employee is unknown', async () => {
    const company = await closedCompany();
    company.world.put(sheetOf(20));
    expect(await periods(company)).toEqual({ '1020_7': undefined });
  });
});

const WEEK = { id: WEEKLY, calendar: 'Weekly' };

/** Both calendars are known, that of the week is closed, and its dates were read since. */
async function closedCompany(): Promise<TwoCalendars> {
  const company = new TwoCalendars();
  await company.employ(6);
  await company.close(WEEKLY);
  await company.world.poll({ all: true });
  return company;
}

/** What the next events say of having come late, by timesheet. */
async function news({ world }: TwoCalendars): Promise<Record<string, unknown>> {
  world.published.length = 0;
  await world.poll({ all: true });
  return Object.fromEntries(
    world.published.map(({ subject, data }) => [subject, [data.late, data.closedPeriods]]),
  );
}
