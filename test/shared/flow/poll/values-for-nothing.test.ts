import { describe, expect, test } from 'vitest';
import { clocking, MINUTE_MS, payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const FEED = { feed: 'pay-periods' } as const;
const NEVER = '0001-01-01T00:00:00';
const APPROVED = '2026-03-05T00:30:00.000Z';
const ZEROS = { id: '0', localTime: NEVER, variance: 0, kiosk: false, beacon: false };
const UNSET = {
  ...{ approvedHours: NEVER, processed: '1900-01-01', approvedPayroll: 'N/A' },
  ...{ clockIn: ZEROS, clockOut: ZEROS },
};
const SET = {
  ...{ approvedHours: APPROVED, processed: APPROVED, approvedPayroll: 'P-1' },
  ...{ clockIn: clocking(), clockOut: clocking({ id: '7002_7' }) },
};

describe('a source that writes a value where nothing has happened', () => {
  test('tells of a new timesheet that it is there, and nothing else', async () => {
    const world = await watched();
    world.put(timesheet({ id: '1_7', ...UNSET }));
    await world.poll();
    expect(world.news()).toEqual(['timesheet.created 1_7']);
  });

  test('tells nothing when it writes another one', async () => {
    const world = await watched(timesheet({ id: '1_7', ...UNSET }));
    for (const value of [null, '', '1753-01-01T00:00:00', '9999-12-31']) {
      world.change({ approvedHours: value, processed: value, approvedPayroll: value, clockIn: null });
      await world.poll();
    }
    expect(world.news()).toEqual([]);
  });

  test('takes back what has happened by it, and a fact after it is told again', async () => {
    const world = await watched(timesheet({ id: '1_7', ...SET }));
    world.change(UNSET, ['1_7']);
    await world.poll();
    expect(world.news().sort()).toEqual([
      'timesheet.approval_revoked 1_7',
      'timesheet.clock_in_removed 1_7',
      'timesheet.clock_out_removed 1_7',
      'timesheet.payroll_approval_revoked 1_7',
      'timesheet.processing_reverted 1_7',
    ]);
    world.change(SET, ['1_7']);
    await world.poll();
    expect(world.news().sort()).toEqual([
      'timesheet.approved 1_7',
      'timesheet.clocked_in 1_7',
      'timesheet.clocked_out 1_7',
      'timesheet.payroll_approved 1_7',
      'timesheet.processed 1_7',
    ]);
  });

  test.each(['0001-01-01', NEVER, '9999-12-31'])(
    '%s closes no pay period, and opens one again',
    async (closed) => {
      const { world, show } = await withPeriod();
      await show({ closed });
      expect(world.news()).toEqual([]);
      await show({ closed: '2026-03-05' });
      expect(world.news()).toContain('pay_period.closed 3_7');
      await show({ closed });
      expect(world.news()).toContain('pay_period.reopened 3_7');
    },
  );

  test('as the id of a record makes that record a bad one, and no other', async () => {
    const world = await watched();
    const none = '00000000-0000-0000-0000-000000000000';
    world.put(timesheet({ id: none }), timesheet({ id: '0_1' }));
    await world.poll();
    await world.poll();
    expect(world.news()).toEqual(['timesheet.created 0_1', 'began records_unreadable #unidentified']);
  });
});

describe('the noise of doubles', () => {
  test('is no change', async () => {
    const hours = (value: number) => ({ hoursToPay: value, clockIn: clocking({ variance: value }) });
    const world = await watched(timesheet({ id: '1_7', ...SET, ...hours(7.6) }));
    world.change(hours(7.6000000000000005), ['1_7']);
    await world.poll();
    expect(world.news()).toEqual([]);
    world.change(hours(7.700000000000001), ['1_7']);
    await world.poll();
    expect(world.published.at(-1)?.data.current).toMatchObject({ hoursToPay: 7.7 });
  });
});

describe('a number that nobody can work', () => {
  test.each([1.7e308, -1.8e304, 10_001])(
    '%d hours are no hours of a timesheet, and its pay period closes all the same',
    async (hoursToPay) => {
      const { world, show } = await withPeriod();
      world.change({ hoursToPay }, ['1_7']);
      await show({});
      await show({});
      expect(world.news()).toEqual(['began records_unreadable 1_7']);
      await show({ closed: '2026-03-05' });
      const closed = world.published.find(({ type }) => type.endsWith('pay_period.closed'));
      expect(closed?.data.closeManifest).toMatchObject({ timesheets: 2, hoursToPay: 15 });
    },
  );

  test('of one pay period leaves the closings of all others', async () => {
    const { world, show } = await withPeriod();
    const other = { id: '4_7', startDate: '2026-02-23', finishDate: '2026-03-01' };
    await show({}, payPeriod(other));
    world.news();
    await show({ closed: '2026-03-05' }, payPeriod({ ...other, closed: '2026-03-05', hours: 1.7e308 }));
    const news = world.news();
    expect(news).toContain('pay_period.closed 3_7');
    expect(news).toContain('began records_unreadable 4_7');
    expect(news).not.toContain('pay_period.closed 4_7');
    await show({ closed: '2026-03-05' }, payPeriod({ ...other, closed: '2026-03-05', hours: 0 }));
    expect(world.news()).toContain('pay_period.closed 4_7');
  });
});

/** What it has is known, and nothing is told of it. */
async function watched(...records: SampleRecord[]): Promise<PollHarness> {
  const world = new PollHarness();
  world.put(timesheet({ id: '9_7' }), ...records);
  await world.poll();
  world.news();
  return world;
}

async function withPeriod() {
  const world = await watched(timesheet({ id: '1_7' }));
  const show = async (values: Partial<SampleRecord>, ...others: SampleRecord[]) => {
    world.payPeriods = () => [payPeriod(values), ...others];
    world.now += 5 * MINUTE_MS;
    await world.poll(FEED);
    // A closing is told once its dates were read after it was seen.
    await world.poll({ scope: 'window' });
    await world.poll(FEED);
  };
  await show({});
  world.news();
  return { world, show };
}
