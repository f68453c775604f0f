import { describe, expect, test, vi } from 'vitest';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { timesheet } from '#test/support/builders.ts';
import { type SourceRecord, SourceWorld, type SourceWorldOptions } from '#test/support/source-world.ts';

const APPROVED = { approvedHours: '2026-03-05T02:00:00.000Z' };
/** Next week. */
const PERIOD = { startDate: '2026-03-12', finishDate: '2026-03-18' } as const;
const FEED = { connection: 'main', feed: 'timesheets' } as const;

describe('the lease', () => {
  test('is left alone by a poll that is soon over, and taken by one that may not be', async () => {
    const world = await watchedWorld();
    const acquire = vi.spyOn(world.store, 'acquireLease');
    await world.poll();
    expect(acquire).not.toHaveBeenCalled();
    world.nextMinute();
    world.requestMs = 30_000;
    await world.poll();
    expect(acquire).toHaveBeenCalledOnce();
    expect(await world.store.isLeaseHeld?.(FEED, { owner: 'other', now: world.now })).toBe(false);
  });

  test('is taken before the first look, and where events wait, however little is due', async () => {
    const world = new SourceWorld();
    const acquire = vi.spyOn(world.store, 'acquireLease');
    await world.poll();
    expect(acquire).toHaveBeenCalledOnce();
  });

  test('that another takes meanwhile leaves the rest to it', async () => {
    const world = await watchedWorld();
    world.now += 31 * 60_000;
    world.nextMinute();
    world.failPage = () => {
      world.failPage = () => null;
      world.now += 25_000;
      const { now } = world;
      void world.store.acquireLease(FEED, { owner: 'b', now, expiresAt: now + 90_000, takeOver: false });
      return null;
    };
    world.looks.length = 0;
    expect(await world.poll()).toMatchObject({ outcome: 'incomplete' });
    expect(world.looks).toHaveLength(1);
  });
});

describe('pay periods', () => {
  test('teach nothing of when to look: what is found on dates that they pulled forward does not count', async () => {
    const world = await watchedWorld();
    await savePeriod(world, '1/30/100');
    await world.pollFor(1);
    world.put(sheetOn(world.day(9), 'new'));
    world.change('100_1', APPROVED);
    await savePeriod(world, '1/30/200');
    await world.pollFor(1);
    expect(world.told.slice(1).sort()).toEqual(['timesheet.approved 100_1', 'timesheet.created new']);
    // Today is looked at by every poll.
    expect((await world.state()).changeCount?.changes).toEqual({ today: 1 });
  });

  test('are asked for again by a poll that goes on looking, and pull dates forward within it', async () => {
    const world = await busyWorld();
    world.payPeriods = () => {
      if (world.get('new') === undefined) world.put(sheetOn(world.day(9), 'new'));
      return [payPeriod(200)];
    };
    await world.poll({ repeatForSeconds: 50 });
    expect(world.told.at(-1)).toBe('timesheet.created new');
  });

  test('that were closed while a poll looked make what it finds then late', async () => {
    const world = await busyWorld();
    world.payPeriods = () => {
      if (world.get('new') === undefined) world.put(sheetOn(world.day(9), 'new'));
      return [{ ...payPeriod(200), closed: PERIOD.finishDate }];
    };
    await world.poll({ repeatForSeconds: 50 });
    expect(world.published.at(-1)).toMatchObject({ subject: 'new', data: { late: ['close'] } });
  });

  test('that cannot be had are no failure of the timesheets', async () => {
    const world = await busyWorld();
    world.looks.length = 0;
    expect(await world.poll({ repeatForSeconds: 50 })).toMatchObject({ outcome: 'complete', reasons: [] });
    expect(world.looks.length).toBeGreaterThanOrEqual(2);
  });

  test('that moved while a poll looked pull dates forward without a wait', async () => {
    const world = await watchedWorld();
    await savePeriod(world, '1/30/100');
    await world.poll({ repeatForSeconds: 50 });
    world.nextMinute();
    world.failPage = () => {
      world.failPage = () => null;
      world.put(sheetOn(world.day(9), 'new'));
      void savePeriod(world, '1/30/200');
      return null;
    };
    const startedAt = world.now;
    world.looks.length = 0;
    await world.poll({ repeatForSeconds: 50 });
    expect(world.told.at(-1)).toBe('timesheet.created new');
    const look = world.looks.find(({ range }) => range.from <= world.day(9) && world.day(9) <= range.to);
    expect((look?.at ?? Number.POSITIVE_INFINITY) - startedAt).toBeLessThan(4_000);
  });
});

async function watchedWorld(options: SourceWorldOptions = {}): Promise<SourceWorld> {
  const world = new SourceWorld(options);
  for (let days = -35; days <= 14; days += 1)
    for (let nth = 0; nth < 20; nth += 1) world.put(sheetOn(world.day(days), `${days + 100}_${nth}`));
  await world.poll();
  world.nextMinute();
  return world;
}

/** A world in which so much happens today that a poll looks again and again. */
async function busyWorld(): Promise<SourceWorld> {
  const world = await watchedWorld();
  await savePeriod(world, '1/30/100');
  await world.poll({ repeatForSeconds: 50 });
  world.nextMinute();
  for (let nth = 0; nth < 20; nth += 1) world.change(`100_${nth}`, APPROVED);
  return world;
}

async function savePeriod({ store, now }: SourceWorld, totals: string): Promise<void> {
  const feed = { connection: 'main', feed: 'pay-periods' } as const;
  const stored = await store.loadFeedState(feed);
  const state = stored?.state ?? EMPTY_FEED_STATE;
  const { startDate, finishDate } = PERIOD;
  await store.saveFeedState({
    feed,
    token: totals,
    state: {
      ...state,
      revision: state.revision + 1,
      payPeriods: [{ id: '1_1', calendar: 'Weekly', startDate, finishDate, closed: false, totals }],
      payPeriodsAt: now,
    },
    expectedRevision: stored === null ? null : state.revision,
    events: null,
    eventsExpireAt: 0,
  });
}

function payPeriod(numberTimesheets: number): SourceRecord {
  return {
    __type: 'Wfm.PayPeriod',
    id: '1_1',
    calendar: 'Weekly',
    ...PERIOD,
    closed: null,
    hours: 1,
    numberEmployees: 30,
    numberTimesheets,
    payRollCompanyId: '',
    payRollProvider: 'PaySys',
  };
}

function sheetOn(date: string, id: string): SourceRecord & { readonly date: string } {
  return { ...timesheet({ id, details: [], shift: null }), id, date };
}
