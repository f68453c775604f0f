import { describe, expect, test } from 'vitest';
import { readStoredAccount } from '#shared/period/flow/stored-account.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { TwoCalendars, WEEKLY } from './two-calendars.ts';

const WEEK = { startDate: '2026-03-04', finishDate: '2026-03-06' };
const DATES = ['2026-03-04', '2026-03-05', '2026-03-06'];

describe('the account of a pay period beside polls', () => {
  test('is whole between a commit and the end of its poll, also with a record that was never readable', async () => {
    const company = await companyOf({ hoursToPay: 'eight' });
    const { commit } = company.store;
    const read: unknown[] = [];
    company.store.commit = async (...step) => {
      const keys = await commit(...step);
      read.push(await coverageOf(company));
      return keys;
    };
    company.change({ approvedHours: '2026-03-05T01:00:00Z' }, ['1_7']);
    await company.poll();
    expect(read).toEqual([[2, { complete: true, missing: null }]]);
  });

  test('is of one moment: a timesheet that moves while it is counted counts once', async () => {
    const company = await companyOf();
    const { readBuckets } = company.store;
    let moves = 0;
    company.store.readBuckets = async (connection, keys) => {
      const rows = await readBuckets(connection, keys);
      const isAhead = moves === 0 && keys.some(({ slice }) => slice === DATES[0]);
      if (isAhead) {
        moves += 1;
        company.change({ date: DATES[0] }, ['2_7']);
        await company.poll({ all: true });
      }
      return rows;
    };
    expect(await coverageOf(company)).toEqual([3, { complete: true, missing: null }]);
    expect(moves).toBe(1);
  });

  test('fails, to be tried again, where polls commit to its dates during each count', async () => {
    const company = await companyOf();
    const { readBuckets } = company.store;
    let hours = 1;
    let isPolling = false;
    company.store.readBuckets = async (connection, keys) => {
      const rows = await readBuckets(connection, keys);
      if (!isPolling && keys.some(({ slice }) => slice === DATES[1])) {
        isPolling = true;
        hours += 1;
        company.change({ hoursToPay: hours }, ['1_7']);
        await company.poll({ all: true });
        isPolling = false;
      }
      return rows;
    };
    await expect(coverageOf(company)).rejects.toMatchObject({ code: 'statement_moved', retryable: true });
  });

  test('is null for a period that is not stored, and refused for one of years', async () => {
    const company = await companyOf();
    expect(await readStoredAccount('9_7', 'main', company.store)).toBeNull();
    company.lists['pay-periods'] = [payPeriod({ ...WEEK, finishDate: '2099-01-01' })];
    await company.poll();
    await expect(readStoredAccount('3_7', 'main', company.store)).rejects.toMatchObject({
      code: 'period_too_long',
    });
  });

  test('is of its own timesheets where periods share dates, and says of which it is not known', async () => {
    const company = new TwoCalendars();
    await company.employ(6);
    company.world.put(timesheet({ id: '20_7', employeeId: '2020_7', date: '2026-03-04' }));
    await company.world.poll({ all: true });
    const stored = await readStoredAccount(WEEKLY, 'main', company.world.store);
    expect(stored?.kept.flatMap(({ own }) => own.map(({ id }) => id)).sort()).toEqual([
      '1000_7',
      '1002_7',
      '1004_7',
    ]);
    expect(stored?.unsure).toEqual(['20_7']);
  });
});

/** A timesheet on each of three dates. */
async function companyOf(third: object = {}): Promise<PollHarness> {
  const company = new PollHarness();
  company.lists['pay-periods'] = [payPeriod(WEEK)];
  for (const [place, date] of DATES.entries())
    company.put(timesheet({ id: `${place}_7`, date, ...(place === 2 ? third : {}) }));
  await company.poll();
  await company.poll();
  return company;
}

async function coverageOf(company: PollHarness): Promise<unknown> {
  const stored = await readStoredAccount('3_7', 'main', company.store);
  const { complete, missing } = stored?.account.coverage() ?? {};
  return [stored?.account.select(null).counted.length, { complete, missing }];
}
