import { describe, expect, test, vi } from 'vitest';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';

const APPROVED = { approvedHours: '2026-03-05T02:00:00.000Z' };
/** Next week. */
const PERIOD = { startDate: '2026-03-12', finishDate: '2026-03-18' } as const;
const FEED = { connection: 'main', feed: 'timesheets' } as const;

describe('the lease', () => {
  test('is left alone by a poll that is soon over, and taken by one that may not be', async () => {
    const harness = await watchedHarness();
    const acquire = vi.spyOn(harness.store, 'acquireLease');
    await harness.poll();
    expect(acquire).not.toHaveBeenCalled();
    harness.nextMinute();
    harness.requestMs = 30_000;
    await harness.poll();
    expect(acquire).toHaveBeenCalledOnce();
    expect(await harness.store.isLeaseHeld?.(FEED, { owner: 'other', now: harness.now })).toBe(false);
  });

  test('is taken before the first scan, and where events wait, however little is due', async () => {
    const harness = new PollHarness();
    const acquire = vi.spyOn(harness.store, 'acquireLease');
    await harness.poll();
    expect(acquire).toHaveBeenCalledOnce();
  });

  test('is taken by a poll whose first request has no answer for 20 seconds, and given back', async () => {
    const harness = await watchedHarness();
    const held = () => harness.store.isLeaseHeld?.(FEED, { owner: 'other', now: harness.now });
    const seen: unknown[] = [];
    let runOut = () => {};
    harness.after = (milliseconds, action) => {
      seen.push(milliseconds);
      runOut = action;
      return () => void seen.push('stopped');
    };
    harness.onPage = () => {
      harness.onPage = () => null;
      runOut();
      void held()?.then((isHeld) => seen.push(isHeld));
      return null;
    };
    await harness.poll();
    expect(seen).toEqual([20_000, true, 'stopped']);
    expect(await held()).toBe(false);
  });

  test('of the hot dates is kept by a poll that gets no answer for a minute, so that polls do not add up', async () => {
    const harness = await watchedHarness();
    const free = (dates?: 'hot') =>
      harness.store.acquireLease(FEED, {
        ...{ owner: 'next', now: harness.now, expiresAt: harness.now, takeOver: false },
        ...(dates === undefined ? {} : { dates }),
      });
    const expiresAt = harness.now + 299_000;
    await harness.store.acquireLease(FEED, { owner: 'long', now: harness.now, expiresAt, takeOver: false });
    const seen: unknown[] = [];
    let runOut = () => {};
    harness.after = (milliseconds, action) => {
      seen.push(milliseconds);
      runOut = action;
      return () => {};
    };
    harness.onPage = () => {
      harness.onPage = () => null;
      harness.now += 45_000;
      runOut();
      harness.now += 75_000;
      void free('hot').then((isFree) => seen.push(isFree));
      return null;
    };
    await harness.poll();
    expect(seen).toEqual([45_000, false]);
    expect([await free(), await free('hot')]).toEqual([false, true]);
  });

  test('that another takes meanwhile leaves the rest to it', async () => {
    const harness = await watchedHarness();
    harness.now += 31 * 60_000;
    harness.nextMinute();
    harness.onPage = () => {
      harness.onPage = () => null;
      harness.now += 25_000;
      const { now } = harness;
      void harness.store.acquireLease(FEED, { owner: 'b', now, expiresAt: now + 90_000, takeOver: false });
      return null;
    };
    harness.walks.length = 0;
    expect(await harness.poll()).toMatchObject({ outcome: 'incomplete' });
    expect(harness.walks).toHaveLength(1);
  });
});

describe('pay periods', () => {
  test('teach nothing of when to scan: what is found on dates that they pulled forward does not count', async () => {
    const harness = await watchedHarness();
    await savePeriod(harness, '1/30/100');
    await harness.pollFor(1);
    harness.put(sheetOn(harness.day(9), 'new'));
    harness.change(APPROVED, ['100_1']);
    await savePeriod(harness, '1/30/200');
    await harness.pollFor(1);
    expect(harness.headings.slice(1).sort()).toEqual(['timesheet.approved 100_1', 'timesheet.created new']);
    // Today is looked at by every poll.
    expect((await harness.state()).changeCount?.changes).toEqual({ today: 1 });
  });

  test('that moved during a poll pull dates forward without a wait', async () => {
    const harness = await watchedHarness();
    await savePeriod(harness, '1/30/100');
    await harness.poll({ repeatForSeconds: 50 });
    harness.nextMinute();
    harness.onPage = () => {
      harness.onPage = () => null;
      harness.put(sheetOn(harness.day(9), 'new'));
      void savePeriod(harness, '1/30/200');
      return null;
    };
    const startedAt = harness.now;
    harness.walks.length = 0;
    await harness.poll({ repeatForSeconds: 50 });
    expect(harness.headings.at(-1)).toBe('timesheet.created new');
    const look = harness.walks.find(
      ({ range }) => range.from <= harness.day(9) && harness.day(9) <= range.to,
    );
    expect((look?.at ?? Number.POSITIVE_INFINITY) - startedAt).toBeLessThan(4_000);
  });
});

describe('a follow-up', () => {
  test('is asked for while much happens, and not otherwise', async () => {
    const harness = await busyHarness();
    const until = harness.now + 50_000;
    const report = await harness.pollOnce({ repeatForSeconds: 50 });
    expect(report.followUp).toMatchObject({ until });
    expect(report.followUp?.at).toBeGreaterThanOrEqual(harness.now + 5_000);
    expect(report.followUp?.at).toBeLessThan(until);
    const quiet = await watchedHarness({ sheets: 12 });
    expect(await quiet.pollOnce({ repeatForSeconds: 50 })).not.toHaveProperty('followUp');
  });

  test('reads the dates whose cadence is over, and no others', async () => {
    const harness = await busyHarness();
    const { followUp } = await harness.pollOnce({ repeatForSeconds: 50 });
    if (followUp === undefined) throw new Error('no follow-up is asked for');
    harness.walks.length = 0;
    harness.now = followUp.at - 2_000;
    const owed = { repeatForSeconds: 50, scope: 'owed', repeatUntil: followUp.until } as const;
    expect(await harness.pollOnce(owed)).toMatchObject({
      outcome: 'complete',
      followUp: { until: followUp.until },
    });
    expect(harness.walks).toEqual([]);
    harness.now = followUp.at;
    await harness.pollOnce(owed);
    expect(harness.walks).toHaveLength(1);
  });

  test('is followed by none when its time is over, or ends later than a poll of now would say', async () => {
    const harness = await busyHarness();
    const owed = { repeatForSeconds: 50, scope: 'owed' } as const;
    const overdue = await harness.pollOnce({ ...owed, repeatUntil: harness.now });
    expect(overdue).toMatchObject({ outcome: 'skipped', counts: { requests: 0 } });
    expect(overdue).not.toHaveProperty('followUp');
    const misdated = await harness.pollOnce({ ...owed, repeatUntil: harness.now + 50_001 });
    expect(misdated).toMatchObject({ outcome: 'complete', counts: { changes: 20 } });
    expect(misdated).not.toHaveProperty('followUp');
  });
});

describe('a poll that finds its dates with another one', () => {
  test('comes again within its minute, since that one may end before', async () => {
    const harness = await busyHarness();
    const { now } = harness;
    const lease = { owner: 'long', now, expiresAt: now + 299_000, takeOver: false };
    await harness.store.acquireLease(FEED, lease);
    await harness.store.acquireLease(FEED, { ...lease, dates: 'hot' });
    const followUp = { at: now + 10_000, until: now + 50_000 };
    expect(await harness.pollOnce({ repeatForSeconds: 50 })).toMatchObject({ outcome: 'skipped', followUp });
    const owed = { repeatForSeconds: 50, scope: 'owed', repeatUntil: followUp.until } as const;
    harness.now = followUp.until - 10_000;
    expect(await harness.pollOnce(owed)).not.toHaveProperty('followUp');
    harness.now = followUp.at;
    expect(await harness.pollOnce(owed)).toMatchObject({
      outcome: 'skipped',
      followUp: { at: now + 20_000, until: followUp.until },
    });
    await harness.store.releaseLease(FEED, 'long');
    expect(await harness.pollOnce(owed)).toMatchObject({ outcome: 'complete', counts: { changes: 20 } });
    expect(await harness.pollOnce({ repeatForSeconds: 0 })).not.toHaveProperty('followUp');
  });
});

/** A harness in which so much happened today that it is read again within the minute. */
async function busyHarness(): Promise<PollHarness> {
  const harness = await watchedHarness();
  await harness.poll();
  harness.nextMinute();
  for (let nth = 0; nth < 20; nth += 1) harness.change(APPROVED, [`100_${nth}`]);
  return harness;
}

/** With so many timesheets a day. */
async function watchedHarness({
  sheets = 20,
  ...options
}: PollHarnessOptions & { readonly sheets?: number } = {}): Promise<PollHarness> {
  const harness = new PollHarness(options);
  for (let days = -35; days <= 14; days += 1)
    for (let nth = 0; nth < sheets; nth += 1) harness.put(sheetOn(harness.day(days), `${days + 100}_${nth}`));
  await harness.poll();
  harness.nextMinute();
  return harness;
}

async function savePeriod({ store, now }: PollHarness, totals: string): Promise<void> {
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

function sheetOn(date: string, id: string): SampleRecord {
  return timesheet({ id, date, details: [], shift: null });
}
