import { describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { GUARDS } from '#shared/core/guards.ts';
import { FORTNIGHTLY, TwoCalendars, WEEKLY } from '#test/shared/period/flow/two-calendars.ts';
import { MINUTE_MS, payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';

const WEEK = { startDate: '2026-03-02', finishDate: '2026-03-05' };
const UNTOTALLED = { hours: null, numberEmployees: null, numberTimesheets: null };
const NEXT_DAY = Array.from({ length: 12 }, (_, index) => `${11 + index}_7`);
const APPROVED = '2026-03-05T01:30:00.000Z';

describe('a closing', () => {
  test('counts what was approved between the last read of its dates and the close', async () => {
    const { world, close } = await company(2);
    world.change({ approvedHours: APPROVED });
    await close();
    expect(world.news()).toEqual([]);
    await world.poll({ scope: 'window' });
    await world.poll({ feed: 'pay-periods' });
    expect(manifestOf(world)).toMatchObject({ complete: true, approved: 2, unapproved: 0 });
    expect(manifestOf(world)).not.toHaveProperty('lookedAtBefore');
  });

  test('whose dates are not read for five minutes is told with their names, and corrected', async () => {
    const { world, close } = await company(2);
    await close();
    world.now += 5 * MINUTE_MS;
    await world.poll({ feed: 'pay-periods' });
    expect(world.headings).toEqual(['pay_period.closed 3_7']);
    expect(manifestOf(world)).toMatchObject({
      ...{ unapproved: 2, lookedAtBefore: { from: '2026-03-02', to: '2026-03-05' } },
    });
    world.change({ approvedHours: APPROVED });
    await world.poll({ scope: 'window' });
    world.news();
    for (let polls = 0; polls < 6; polls += 1) await world.poll({ feed: 'pay-periods' });
    expect(world.headings).toEqual(['pay_period.statement 3_7']);
    expect(statementOf(world)).toMatchObject({ stage: 'closed', corrects: true, unapproved: 0 });
  });

  test('that is stamped anew in each look is told all the same', async () => {
    const { world, show } = await company(1);
    for (let minutes = 0; minutes < 15; minutes += 1) {
      show({ closed: `2026-03-05T02:${10 + minutes}:00Z` });
      await world.poll({ feed: 'pay-periods' });
    }
    expect(world.headings).toContain('pay_period.closed 3_7');
  });

  test('that is seen after a downtime waits as long as any other', async () => {
    const { world, close } = await company(2);
    world.now += 60 * MINUTE_MS;
    await close();
    await world.poll({ feed: 'pay-periods' });
    expect(world.news()).toEqual([]);
    world.now += 5 * MINUTE_MS;
    await world.poll({ feed: 'pay-periods' });
    expect(world.news()).toContain('pay_period.closed 3_7');
  });

  test('of a period that was missing in the look before is not held for long already', async () => {
    const guards = { ...GUARDS, vanishing: { share: 0.4, records: 1, minutes: 60 } };
    const { world, close } = await company(2, { guards });
    const list = world.payPeriods ?? (() => []);
    world.payPeriods = () => list().filter(({ id }) => id !== '3_7');
    for (let polls = 0; polls < 15; polls += 1) await world.poll({ feed: 'pay-periods' });
    world.payPeriods = list;
    expect(world.news()).toContain('began dates_doubtful all');
    await close();
    expect(world.news()).not.toContain('pay_period.closed 3_7');
  });

  test('after one that was told by a poll that could not note it waits as long as any other', async () => {
    const { world, show, pollBoth } = await company(2);
    show({ closed: '2026-03-05T02:00:00Z' });
    await world.poll({ feed: 'pay-periods' });
    await world.poll({ scope: 'window' });
    const { saveFeedState } = world.store;
    world.store.saveFeedState = async () => {
      throw new Error('the table is away');
    };
    await expect(world.poll({ feed: 'pay-periods' })).rejects.toThrow('the table is away');
    world.store.saveFeedState = saveFeedState;
    expect(world.news()).toContain('pay_period.closed 3_7');
    for (let polls = 0; polls < 15; polls += 1) await world.poll({ scope: 'window' });
    show({ closed: '2026-03-05T03:00:00Z' });
    await world.poll({ feed: 'pay-periods' });
    expect(world.news()).toEqual([]);
    await pollBoth();
    expect(world.news()).toContain('pay_period.closed 3_7');
  });

  test('that cannot be read for a while is held since it was first seen', async () => {
    const { world, show, close } = await company(2);
    await close();
    show({ startDate: 'Monday' });
    for (let polls = 0; polls < 5; polls += 1) await world.poll({ feed: 'pay-periods' });
    show(WEEK);
    expect(world.news()).not.toContain('pay_period.closed 3_7');
    await world.poll({ feed: 'pay-periods' });
    expect(world.news()).toContain('pay_period.closed 3_7');
  });

  test('is counted from what it was judged by, whatever another poll reads in between', async () => {
    const { world, show, close } = await company(1);
    show({ startDate: '2026-03-05' });
    await world.poll({ feed: 'pay-periods' });
    const { loadHeads } = world.store;
    let reads = 0;
    world.store.loadHeads = async (feed, from) => {
      const heads = await loadHeads(feed, from);
      if (feed.feed !== 'timesheets') return heads;
      reads += 1;
      return reads === 1 ? [] : heads;
    };
    await close();
    expect(manifestOf(world)).toMatchObject({
      ...{ complete: false, missing: { from: '2026-03-05', to: '2026-03-05' }, timesheets: 0 },
    });
    expect(manifestOf(world)).not.toHaveProperty('lookedAtBefore');
  });

  test('waits for a timesheet that moved onto its dates and lost a fact with most of another date', async () => {
    const { world, close, pollBoth } = await company(1);
    for (let number = 11; number <= 22; number += 1)
      world.put(timesheet({ id: `${number}_7`, date: '2026-03-06', approvedHours: APPROVED }));
    await pollBoth();
    await close();
    world.change({ approvedHours: null }, NEXT_DAY);
    world.change({ date: '2026-03-05' }, ['11_7']);
    await world.poll({ scope: 'window' });
    world.news();
    await world.poll({ feed: 'pay-periods' });
    expect(world.news()).toEqual([]);
    await pollBoth();
    expect(manifestOf(world)).toMatchObject({ complete: true, timesheets: 2, unapproved: 2 });
  });

  test('over held removals counts them as before, and is not complete', async () => {
    const { world, close, pollBoth } = await company(20);
    for (let number = 1; number <= 15; number += 1) world.remove(`${number}_7`);
    await pollBoth();
    expect(world.news()).toContain('began dates_doubtful 2026-03-05');
    await close();
    expect(manifestOf(world)).toMatchObject({
      ...{ complete: false, missing: null, timesheets: 20 },
      held: { from: '2026-03-05', to: '2026-03-05' },
    });
  });

  test('in another notation beside another change is that change alone', async () => {
    const { world, show, pollBoth } = await company(1);
    show({ closed: '2026-03-05T02:00:00Z' });
    await pollBoth();
    await pollBoth();
    expect(world.news()).toContain('pay_period.closed 3_7');
    show({ closed: '2026-03-05T02:00:00.000+00:00', payRollProvider: 'OtherPay' });
    await pollBoth();
    await pollBoth();
    expect(world.news()).toEqual(['pay_period.changed 3_7']);
  });
});

describe('a final statement', () => {
  test('waits while losses are held', async () => {
    const { world, close, pollBoth } = await company(20);
    await close();
    world.change({ processed: APPROVED });
    await pollBoth();
    world.change({ processed: null });
    await world.poll({ scope: 'window' });
    world.news();
    world.now += 4 * MINUTE_MS;
    await world.poll({ feed: 'pay-periods' });
    expect(world.news()).toEqual([]);
    await world.poll({ scope: 'window' });
    for (let polls = 0; polls < 6; polls += 1) await world.poll({ feed: 'pay-periods' });
    expect(world.headings.filter((each) => each.startsWith('timesheet.processing_reverted'))).toHaveLength(
      20,
    );
    expect(world.headings).not.toContain('pay_period.statement 3_7');
  });

  test('that differs from the source waits for hours, is told as it is, and corrected once it agrees', async () => {
    const { world, show, close, pollBoth } = await company(2);
    const totals = { hours: 15, numberEmployees: 2, numberTimesheets: 2 };
    show({ ...totals, hours: 14 });
    await close();
    await pollBoth();
    world.change({ processed: APPROVED });
    await pollBoth();
    world.news();
    const pollFor = async (hours: number) => {
      for (let quarter = 0; quarter < 4 * hours; quarter += 1) {
        world.now += 15 * MINUTE_MS;
        await pollBoth();
      }
    };
    await pollFor(5);
    expect(world.news()).toEqual([]);
    await pollFor(2);
    expect(statementOf(world)).toMatchObject({ stage: 'final', addsUp: false, difference: { hours: 1 } });
    expect(statementOf(world)).not.toHaveProperty('corrects');
    expect(world.news()).toEqual(['pay_period.statement 3_7']);
    show(totals);
    await pollFor(1);
    expect(statementOf(world)).toMatchObject({ stage: 'final', addsUp: true, corrects: true });
    expect(world.news()).toEqual(['pay_period.statement 3_7']);
    await pollFor(2);
    expect(world.news()).toEqual([]);
  });
});

test('what was held of a date waits for as long as that date cannot be read', async () => {
  const { world, close } = await company(20, {
    guards: { ...GUARDS, vanishing: { share: 0.5, records: 10, minutes: 2 } },
  });
  world.change({ approvedHours: APPROVED });
  await world.poll({ scope: 'window' });
  world.change({ approvedHours: null });
  await world.poll({ scope: 'window' });
  world.onPage = () => new SourceError('source_failed', 'on purpose');
  for (let polls = 0; polls < 8; polls += 1) await world.poll({ scope: 'window' });
  await close();
  world.now += 6 * MINUTE_MS;
  await world.poll({ feed: 'pay-periods' });
  expect(manifestOf(world)).toMatchObject({
    complete: false,
    held: { from: '2026-03-05', to: '2026-03-05' },
  });
});

test('a reminder whose moment falls into a hold comes after it', async () => {
  const calendars = [{ name: 'Weekly', closesAt: '+2d 10:00', remindBefore: ['4h'] }];
  const { world } = await company(20, { connection: { calendars } });
  const pollAt = async (time: string, feed: 'timesheets' | 'pay-periods') => {
    world.now = Date.parse(`2026-03-07T${time}Z`);
    await world.poll(feed === 'timesheets' ? { scope: 'window' } : { feed });
  };
  world.change({ approvedHours: APPROVED });
  await pollAt('05:57:00', 'timesheets');
  await pollAt('05:58:00', 'pay-periods');
  world.change({ approvedHours: null });
  await pollAt('05:59:00', 'timesheets');
  world.news();
  await pollAt('06:00:00', 'pay-periods');
  expect(world.news()).toEqual([]);
  await pollAt('06:01:00', 'timesheets');
  await pollAt('06:02:00', 'pay-periods');
  const reminder = world.published.find(({ type }) => type.endsWith('.readiness'));
  expect(reminder?.data.readiness).toMatchObject({ complete: true, unapproved: 20 });
});

describe('a pay period that its list leaves out', () => {
  test('still shares its dates: its members are not counted in another one', async () => {
    const calendars = new TwoCalendars();
    await calendars.employ(6);
    await calendars.pollPeriods();
    hideFromList(calendars.world, (id) => id === FORTNIGHTLY);
    for (let polls = 0; polls < 3; polls += 1) await calendars.pollPeriods();
    expect(await calendars.close(WEEKLY)).toMatchObject({ timesheets: 3, employees: 3 });
  });

  test('stays closed: a change on its dates is late', async () => {
    const { world, close, pollBoth } = await company(1);
    await close();
    await pollBoth();
    hideFromList(world, () => true);
    for (let polls = 0; polls < 3; polls += 1) await world.poll({ feed: 'pay-periods' });
    world.news();
    world.change({ hoursToPay: 9 });
    await world.poll({ scope: 'window' });
    expect(world.published.at(-1)?.data.late).toEqual(['close']);
  });

  test('closes as any other, when it is asked for by id', async () => {
    const { world, close, pollBoth } = await company(2);
    hideFromList(world, (id) => id === '3_7');
    await close();
    expect(world.news()).toEqual([]);
    world.change({ approvedHours: APPROVED });
    await pollBoth();
    expect(world.headings).toContain('pay_period.closed 3_7');
    expect(manifestOf(world)).toMatchObject({ complete: true, approved: 2, unapproved: 0 });
    world.news();
    await pollBoth();
    world.change({ hoursToPay: 9 }, ['1_7']);
    await world.poll({ scope: 'window' });
    expect(world.published.at(-1)?.data.late).toContain('close');
  });

  test('is gone once its address answers so', async () => {
    const { world, close, pollBoth, show } = await company(1);
    await close();
    await pollBoth();
    show(null);
    for (let polls = 0; polls < 3; polls += 1) await world.poll({ feed: 'pay-periods' });
    expect(world.news()).toContain('pay_period.removed 3_7');
    world.change({ hoursToPay: 9 });
    await world.poll({ scope: 'window' });
    expect(world.published.at(-1)?.data.late).toEqual([]);
  });
});

/** A pay period with a timesheet of each of so many employees, seen twice. */
async function company(employees: number, options: PollHarnessOptions = {}) {
  const world = new PollHarness(options);
  const other = payPeriod({
    id: '2_7',
    startDate: '2026-02-23',
    finishDate: '2026-03-01',
    closed: '2026-03-02',
  });
  let values: Partial<SampleRecord> | null = { ...WEEK, ...UNTOTALLED };
  world.payPeriods = () => (values === null ? [other] : [payPeriod(values), other]);
  for (let number = 1; number <= employees; number += 1)
    world.put(timesheet({ id: `${number}_7`, employeeId: `${500 + number}_7` }));
  const pollBoth = async () => {
    await world.poll({ scope: 'window' });
    await world.poll({ feed: 'pay-periods' });
  };
  const show = (change: Partial<SampleRecord> | null) => {
    values = change === null ? null : { ...values, ...change };
  };
  const close = async () => {
    show({ closed: '2026-03-05' });
    await world.poll({ feed: 'pay-periods' });
  };
  await pollBoth();
  await pollBoth();
  world.news();
  return { world, show, close, pollBoth };
}

/** The list leaves these out; the request by id still finds them. */
function hideFromList(world: PollHarness, isHidden: (id: string) => boolean): void {
  const all = world.payPeriods ?? (() => []);
  let isById = false;
  world.onLookUp = () => {
    isById = true;
    return null;
  };
  world.payPeriods = () => {
    const records = isById ? all() : all().filter(({ id }) => !isHidden(id));
    isById = false;
    return records;
  };
}

function manifestOf(world: PollHarness): unknown {
  return world.published.findLast(({ type }) => type.endsWith('pay_period.closed'))?.data.closeManifest;
}

function statementOf(world: PollHarness): unknown {
  return world.published.findLast(({ type }) => type.endsWith('.statement'))?.data.statement;
}
