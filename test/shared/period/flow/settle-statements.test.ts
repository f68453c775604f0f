import { describe, expect, test } from 'vitest';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { DAY_MS, MINUTE_MS, payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';

const STAMP = '2026-03-05T00:30:00.000Z';
const FEED: FeedKey = { connection: 'main', feed: 'pay-periods' };
const WEEK = { startDate: '2026-03-02', finishDate: '2026-03-05' };
const UNTOTALLED = { hours: null, numberEmployees: null, numberTimesheets: null };
const OPEN = payPeriod({ ...WEEK, ...UNTOTALLED });
const CLOSED = payPeriod({ ...WEEK, ...UNTOTALLED, closed: '2026-03-05' });

describe('the statement of a closing', () => {
  test('comes with it, in one commit', async () => {
    const world = await createWorld();
    await close(world);
    expect(world.headings).toEqual(['pay_period.closed 3_7', 'pay_period.statement 3_7']);
    const [closed, statement] = world.published;
    expect(statement).toMatchObject({ sequence: 2, time: closed?.time, epoch: closed?.epoch });
    expect(statement?.data).toMatchObject({
      payPeriodId: '3_7',
      current: closed?.data.current,
      previous: {},
      changed: [],
      late: [],
      statement: { stage: 'closed', hours: 15, timesheets: 2, unprocessed: 1, previous: null },
    });
    expect((await head(world))?.awaitingCount).toBe(1);
  });

  test('is not published where the config wants none; the closing has its numbers all the same', async () => {
    const world = await createWorld({ connection: { statements: false } });
    await close(world);
    expect(world.headings).toEqual(['pay_period.closed 3_7']);
    expect(world.published[0]?.data.closeManifest).toMatchObject({ timesheets: 2, change: null });
    expect((await head(world))?.awaitingCount ?? 0).toBe(0);
    world.payPeriods = () => [OPEN];
    await pollBoth(world);
    expect(world.news()).toContain('pay_period.reopened 3_7');
    await close(world);
    // By this it is told as closed again.
    expect(world.published[0]?.data.settles).toMatchObject([{ type: 'workforce.pay_period.reopened' }]);
  });

  test('is not made of a period that ends in the year 9999, and other periods keep theirs', async () => {
    const world = await createWorld();
    await close(world);
    world.news();
    const endless = payPeriod({ startDate: '9999-12-30', finishDate: '9999-12-31', closed: '2026-03-05' });
    world.payPeriods = () => [endless];
    await pollPeriodsFor(world, 12);
    expect(world.news()).toEqual(['pay_period.changed 3_7']);
    expect(await world.store.loadFeedState(FEED)).toMatchObject({
      state: { payPeriods: [{ finishDate: '9999-12-31' }] },
    });
  });

  test('comes later when there was no time to count, and once', async () => {
    const store = createMemorySnapshotStore();
    const world = await createWorld({ store });
    const { loadHeads } = store;
    world.payPeriods = () => [CLOSED];
    await world.poll({ feed: 'pay-periods' });
    await world.poll({ scope: 'window' });
    // Reading takes as long as the poll may fetch.
    store.loadHeads = async (feed, from) => {
      if (feed.feed === 'timesheets') world.now += 230_000;
      return await loadHeads(feed, from);
    };
    await world.poll({ feed: 'pay-periods' });
    expect(world.news()).toEqual(['pay_period.closed 3_7']);
    store.loadHeads = loadHeads;
    await world.poll({ feed: 'pay-periods' });
    expect(statementOf(world)).toMatchObject({ stage: 'closed', closings: 1 });
    expect(world.news()).toEqual(['pay_period.statement 3_7']);
    await pollPeriodsFor(world, 20);
    expect(world.news()).toEqual([]);
  });

  test('is the same event when the answer to its commit is lost', async () => {
    const store = createMemorySnapshotStore();
    const world = await createWorld({ store });
    const { commit } = store;
    store.commit = async (step) => {
      await commit(step);
      store.commit = commit;
      throw new Error('the answer was lost');
    };
    await expect(close(world)).rejects.toThrow('the answer was lost');
    await pollPeriodsFor(world, 6);
    expect(world.news()).toEqual(['pay_period.closed 3_7', 'pay_period.statement 3_7']);
  });

  test('of a second closing says so, with the difference', async () => {
    const world = await createWorld();
    await close(world);
    world.payPeriods = () => [OPEN];
    await pollBoth(world);
    world.change({ hoursToPay: 9 }, ['2_7']);
    await pollBoth(world);
    world.news();
    await close(world);
    expect(world.published[0]?.data.closeManifest).toMatchObject({ change: { hours: 1.5, timesheets: 0 } });
    expect(statementOf(world)).toMatchObject({
      stage: 'closed_again',
      closings: 2,
      change: { hours: 1.5, timesheets: 0, employees: 0 },
      sinceClose: {
        closedHours: 15,
        changes: [{ reason: 'reopened', hours: 1.5, timesheets: 1 }],
        hours: 16.5,
      },
    });
  });
});

describe('the final statement', () => {
  test('comes once all timesheets are processed, with what changed since, and once', async () => {
    const world = await createWorld();
    await close(world);
    world.change({ hoursToPay: 9.5 }, ['1_7']);
    await pollBoth(world);
    await pollPeriodsFor(world, 20);
    world.news();
    world.change({ processed: STAMP });
    await world.poll({ scope: 'window' });
    world.news();
    await pollPeriodsFor(world, 6);
    expect(world.headings).toEqual(['pay_period.statement 3_7']);
    expect(statementOf(world)).toMatchObject({
      stage: 'final',
      settledBy: 'processed',
      hours: 17,
      previous: { hours: 15, unprocessed: 1 },
      sinceClose: {
        closedHours: 15,
        changes: [{ reason: 'late', hours: 2, timesheets: 1 }],
        hours: 17,
        timesheets: [{ timesheetId: '1_7', reason: 'late', hours: 2 }],
      },
    });
    world.news();
    await pollPeriodsFor(world, 60);
    expect(world.news()).toEqual([]);
    expect((await head(world))?.awaitingCount).toBeUndefined();
  });

  test('comes hours later, and after a crash between its parts', async () => {
    const store = createMemorySnapshotStore();
    const world = await createWorld({ store });
    await close(world);
    world.now += 8 * 3_600_000;
    world.change({ processed: STAMP });
    await world.poll({ scope: 'window' });
    world.news();
    const { saveLedger } = store;
    store.saveLedger = async () => {
      throw new Error('the poll was killed');
    };
    await expect(pollPeriodsFor(world, 6)).rejects.toThrow('killed');
    if (saveLedger !== undefined) store.saveLedger = saveLedger;
    await pollPeriodsFor(world, 6);
    expect(world.news()).toEqual(['pay_period.statement 3_7']);
  });

  test('is not told while the period is open again, and again after its next closing', async () => {
    const world = await createWorld();
    world.change({ processed: STAMP });
    await pollBoth(world);
    await close(world);
    await pollPeriodsFor(world, 6);
    expect(stages(world)).toEqual(['closed', 'final']);
    world.payPeriods = () => [OPEN];
    await pollPeriodsFor(world, 20);
    expect(stages(world)).toEqual([]);
    await close(world);
    await pollPeriodsFor(world, 6);
    expect(stages(world)).toEqual(['closed_again', 'final']);
  });

  test('does not wait for ever: for the next closing of its calendar, or 35 days', async () => {
    const next = { startDate: '2026-03-09', finishDate: '2026-03-15', closed: '2026-03-05' };
    const world = await createWorld();
    await close(world);
    world.news();
    world.payPeriods = () => [CLOSED, payPeriod({ ...next, id: '4_7', calendar: 'Fortnightly' })];
    await pollPeriodsFor(world, 6);
    expect(world.news().filter((each) => each.endsWith(' 3_7'))).toEqual([]);
    world.payPeriods = () => [CLOSED, payPeriod({ ...next, id: '4_7' })];
    await pollPeriodsFor(world, 6);
    expect(statementOf(world)).toMatchObject({ stage: 'final', settledBy: 'next_closing', unprocessed: 1 });

    const other = await createWorld();
    await close(other);
    other.news();
    other.now += 35 * DAY_MS - 30 * MINUTE_MS;
    await pollPeriodsFor(other, 20);
    expect(other.news()).toEqual([]);
    other.now += 30 * MINUTE_MS;
    await pollPeriodsFor(other, 6);
    expect(statementOf(other)).toMatchObject({ stage: 'final', settledBy: 'age' });
  });

  test('of a period that shares its dates waits for its own timesheets alone', async () => {
    const world = await createWorld();
    const other = payPeriod({ ...WEEK, id: '4_7', calendar: 'Fortnightly' });
    world.payPeriods = () => [OPEN, other];
    world.put(timesheet({ id: '3_7', employeeId: '2009_7', date: '2026-03-03' }));
    world.members = (employeeId, id) =>
      (id === '3_7') === (employeeId !== '2009_7') ? idsOf(world, employeeId) : [];
    await pollBoth(world);
    world.payPeriods = () => [CLOSED, other];
    await world.poll({ feed: 'pay-periods' });
    await pollBoth(world);
    world.change({ processed: STAMP }, ['1_7', '2_7']);
    await world.poll({ scope: 'window' });
    world.news();
    await pollPeriodsFor(world, 31);
    expect(world.headings).toEqual(['pay_period.statement 3_7']);
    expect(statementOf(world)).toMatchObject({ stage: 'final', members: 'asked', timesheets: 2, hours: 15 });
  });
});

describe('the work of waiting', () => {
  test('is nothing while nothing is awaited, and a few reads every five minutes otherwise', async () => {
    const store = createMemorySnapshotStore();
    const reads = countReads(store);
    const world = await createWorld({ store });
    reads.leaves = 0;
    reads.heads = 0;
    await pollPeriodsFor(world, 30);
    expect(reads).toEqual({ leaves: 0, heads: 0 });
    await close(world);
    reads.leaves = 0;
    reads.heads = 0;
    await pollPeriodsFor(world, 30);
    expect(reads).toEqual({ leaves: 6, heads: 6 });
  });
});

async function createWorld<Store extends SnapshotStore>(
  options: PollHarnessOptions<Store> = {},
): Promise<PollHarness<Store>> {
  const world = new PollHarness({ startAt: '2026-03-05T01:00:00Z', ...options });
  world.put(
    timesheet({ id: '1_7', date: '2026-03-02', processed: STAMP }),
    timesheet({ id: '2_7', date: '2026-03-04', employeeId: '2002_7' }),
  );
  world.payPeriods = () => [OPEN];
  await pollBoth(world);
  world.news();
  return world;
}

async function close(world: PollHarness<SnapshotStore>): Promise<void> {
  world.payPeriods = () => [CLOSED];
  await world.poll({ feed: 'pay-periods' });
  await pollBoth(world);
}

async function pollBoth(world: PollHarness<SnapshotStore>): Promise<void> {
  await world.poll({ scope: 'window' });
  await world.poll({ feed: 'pay-periods' });
}

async function pollPeriodsFor(world: PollHarness<SnapshotStore>, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) await world.poll({ feed: 'pay-periods' });
}

function statementOf(world: PollHarness<SnapshotStore>): unknown {
  return world.published.findLast(({ type }) => type.endsWith('.statement'))?.data.statement;
}

/** Of the statements since the last call. */
function stages(world: PollHarness<SnapshotStore>): unknown[] {
  const found = world.published.filter(({ type }) => type.endsWith('.statement'));
  world.news();
  return found.map(({ data }) => (data.statement as { readonly stage: string }).stage);
}

async function head({ store }: PollHarness<SnapshotStore>) {
  return (await store.loadHeads(FEED, 'all')).find(({ slice }) => slice === 'all');
}

function idsOf(world: PollHarness<SnapshotStore>, employeeId: string): string[] {
  return world.timesheets.filter((each: SampleRecord) => each.employeeId === employeeId).map(({ id }) => id);
}

/** Leaves of pay periods and heads of timesheets that are read by polls of pay periods. */
function countReads(store: SnapshotStore): { leaves: number; heads: number } {
  const reads = { leaves: 0, heads: 0 };
  const { readLeaves, loadHeads } = store;
  store.readLeaves = async (feed, refs) => {
    if (feed.feed === 'pay-periods') reads.leaves += refs.length;
    return await readLeaves(feed, refs);
  };
  store.loadHeads = async (feed, from) => {
    if (feed.feed === 'timesheets') reads.heads += 1;
    return await loadHeads(feed, from);
  };
  return reads;
}
