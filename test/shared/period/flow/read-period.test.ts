import { describe, expect, test } from 'vitest';
import { createEventLog } from '#shared/flow/event-log.ts';
import { readPeriod } from '#shared/period/flow/read-period.ts';
import type { PeriodReading } from '#shared/period/reading.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const WEEK = { startDate: '2026-03-04', finishDate: '2026-03-06' };
const DATES = ['2026-03-04', '2026-03-05', '2026-03-06'];
const UNTOTALLED = { hours: null, numberEmployees: null, numberTimesheets: null };

describe('a pay period beside polls', () => {
  test('is whole between a commit and the end of its poll, also with a record that was never readable', async () => {
    const company = await companyOf({ hoursToPay: 'eight' });
    const { commit } = company.store;
    const found: unknown[] = [];
    company.store.commit = async (...step) => {
      const keys = await commit(...step);
      const { account } = await read(company);
      found.push([account.timesheets, account.reserves]);
      return keys;
    };
    company.change({ approvedHours: '2026-03-05T01:00:00Z' }, ['1_7']);
    await company.poll();
    const unread = { kind: 'records_unreadable', dates: null, timesheets: 1 };
    expect(found).toEqual([[2, [unread]]]);
  });

  test('is of one moment: a timesheet that moves while it is read counts once', async () => {
    const company = await companyOf();
    const { readBuckets } = company.store;
    let moves = 0;
    company.store.readBuckets = async (connection, keys) => {
      const rows = await readBuckets(connection, keys);
      if (moves === 0 && keys.some(({ slice }) => slice === DATES[0])) {
        moves += 1;
        company.change({ date: DATES[0] }, ['2_7']);
        await company.poll({ all: true });
      }
      return rows;
    };
    expect((await read(company)).account).toMatchObject({ timesheets: 3, reserves: [] });
    expect(moves).toBe(1);
  });

  test('fails, to be tried again, where polls commit to its dates during each reading', async () => {
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
    await expect(read(company)).rejects.toMatchObject({ code: 'period_moved', retryable: true });
  });

  test('is null where it is not stored, and refused for one of years', async () => {
    const company = await companyOf();
    expect(await readIn(company, '9_7')).toBeNull();
    company.lists['pay-periods'] = [payPeriod({ ...WEEK, finishDate: '2099-01-01' })];
    await company.poll();
    await expect(read(company)).rejects.toMatchObject({ code: 'period_too_long' });
  });

  test('says what it was told as, and what changed and is still open since', async () => {
    const company = await companyOf();
    company.change({ approvedHours: '2026-03-05T01:00:00Z' });
    await company.poll({ all: true });
    company.lists['pay-periods'] = [payPeriod({ ...WEEK, ...UNTOTALLED, closed: '2026-03-05' })];
    await company.pollFor(7);
    expect((await read(company)).account).toMatchObject({
      state: 'closed',
      verdict: 'pay',
      changes: { timesheets: 0 },
    });
    company.change({ hoursToPay: 9 }, ['1_7']);
    company.remove('2_7');
    await company.poll({ all: true });
    const reading = await read(company);
    expect(reading.told.map(({ moment, account }) => [moment, account?.ready.hours])).toEqual([
      ['closed', 22.5],
    ]);
    expect(reading.account.changes).toMatchObject({
      readyHours: 22.5,
      hours: -6,
      open: { timesheets: 2, hours: -6 },
    });
    expect(reading.changed).toMatchObject([
      { timesheetId: '2_7', reason: 'removed', was: 7.5, now: null, difference: -7.5, isOpen: true },
      { timesheetId: '1_7', reason: 'changed', was: 7.5, now: 9, difference: 1.5, isOpen: true },
    ]);
  });
});

/** A timesheet on each of three dates. */
async function companyOf(third: object = {}): Promise<PollHarness> {
  const company = new PollHarness();
  company.lists['pay-periods'] = [payPeriod({ ...WEEK, ...UNTOTALLED })];
  for (const [place, date] of DATES.entries())
    company.put(timesheet({ id: `${place}_7`, date, ...(place === 2 ? third : {}) }));
  await company.poll();
  await company.poll();
  return company;
}

async function readIn({ connection, store, now }: PollHarness, id: string): Promise<PeriodReading | null> {
  const range = { from: 0, to: now + 1 };
  return await readPeriod(id, connection, { store, log: createEventLog(store), range });
}

async function read(company: PollHarness): Promise<PeriodReading> {
  const reading = await readIn(company, '3_7');
  if (reading === null) throw new Error('the period is not stored');
  return reading;
}
