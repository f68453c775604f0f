import { describe, expect, test } from 'vitest';
import { DATE, DAY_MS, MINUTE_MS, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const FEED = { connection: 'main', feed: 'timesheets' } as const;
const SMALL = { window: { backDays: 1, forwardDays: 1 }, requests: { pageSize: 10 } };
const IDS = Array.from({ length: 30 }, (_, n) => `100_${String(n).padStart(2, '0')}`);
const APPROVED = '2026-03-05T00:30:00.000Z';

describe('most records of a date lose the same fact at once', () => {
  test('and a second scan confirms it: each is published, with one mass change beside them', async () => {
    const harness = await approvedHarness();
    harness.change({ approvedHours: null }, IDS.slice(0, 20));
    harness.change({ hoursToPay: 3 }, ['100_29']);
    const held = await harness.poll();
    expect(held.outcome).toBe('incomplete');
    expect(harness.news()).toEqual(['timesheet.changed 100_29']);
    expect((await harness.poll()).outcome).toBe('complete');
    const published = IDS.slice(0, 20).map((id) => `timesheet.approval_revoked ${id}`);
    const { data } = harness.published.find(({ type }) => type.endsWith('mass_change')) ?? {};
    expect(data).toEqual({
      feed: 'timesheets',
      slice: DATE,
      field: 'approvedHours',
      direction: 'lost',
      records: 20,
      known: 30,
      firstSeenAt: '2026-03-05T01:01:00.000Z',
      confirmedAt: '2026-03-05T01:02:00.000Z',
    });
    const revoked = harness.published.find(({ subject }) => subject === '100_00');
    expect(revoked?.data.observed).toMatchObject({ after: '2026-03-05T01:00:00.000Z' });
    expect(harness.news().toSorted()).toEqual([...published, `slice.mass_change ${DATE}`].toSorted());
    await harness.poll();
    expect(harness.news()).toEqual([]);
    expect(await harness.state()).not.toHaveProperty('massChange');
  });

  describe('and the poll that confirmed it was ended before it saved its state', () => {
    const LOSSES = IDS.slice(0, 20).map((id) => `timesheet.approval_revoked ${id}`);

    test('a later one reports the mass change, once', async () => {
      const harness = await approvedHarness();
      await loseApprovalsUnsaved(harness);
      await harness.poll();
      expect(harness.news().toSorted()).toEqual(LOSSES);
      await harness.pollFor(30);
      const reported = harness.published.filter(({ type }) => type.endsWith('mass_change'));
      expect(reported.map(({ data }) => data)).toMatchObject([
        {
          records: 20,
          known: 30,
          firstSeenAt: '2026-03-05T01:01:00.000Z',
          confirmedAt: '2026-03-05T01:02:00.000Z',
        },
      ]);
      expect(await harness.state()).not.toHaveProperty('massChange');
    });

    test('a single loss of the same fact meanwhile is no mass change of its own', async () => {
      const harness = await approvedHarness();
      await loseApprovalsUnsaved(harness);
      harness.change({ approvedHours: null }, ['100_29']);
      expect((await harness.poll()).outcome).toBe('complete');
      expect(harness.news().toSorted()).toEqual([...LOSSES, 'timesheet.approval_revoked 100_29']);
      await harness.pollFor(30);
      expect(harness.news()).toEqual([`slice.mass_change ${DATE}`]);
    });

    test('a day later the head of the date no longer names it', async () => {
      const harness = await approvedHarness();
      await loseApprovalsUnsaved(harness);
      const head = async () => (await harness.store.loadHeads(FEED, DATE))[0];
      expect(await head()).toMatchObject({ confirmedLosses: [{ field: 'approvedHours', records: 20 }] });
      await harness.pollFor(30);
      harness.now += DAY_MS;
      harness.change({ hoursToPay: 4 }, ['100_29']);
      await harness.poll();
      expect(await head()).not.toHaveProperty('confirmedLosses');
    });
  });

  test('and a clock that was ahead at the first scan holds it for no longer', async () => {
    const harness = await approvedHarness();
    harness.now += DAY_MS;
    harness.change({ approvedHours: null });
    await harness.poll();
    harness.now -= DAY_MS;
    await harness.poll();
    await harness.poll();
    expect(harness.news()).toContain(`slice.mass_change ${DATE}`);
  });

  test('and have it again at the second scan: nothing happened', async () => {
    const harness = await approvedHarness();
    harness.change({ approvedHours: null });
    await harness.poll();
    harness.change({ approvedHours: APPROVED });
    expect((await harness.poll()).outcome).toBe('complete');
    expect(harness.news()).toEqual([]);
    expect(await harness.state()).not.toHaveProperty('massChange');
  });

  test('while the list is read: what falls between two pages is not missed', async () => {
    const harness = await approvedHarness();
    harness.onPage = (_, page) => {
      if (page === 2) harness.change({ approvedHours: null });
      return null;
    };
    harness.listed = (records) => [...records].toSorted((a, b) => (a.id < b.id ? 1 : -1));
    harness.change({ approvedHours: null }, IDS.slice(15));
    harness.change({ approvedHours: null }, []);
    await harness.poll();
    await harness.poll();
    const published = harness.news();
    expect(published.filter((each) => each.startsWith('slice.mass_change'))).toHaveLength(1);
    expect(published.filter((each) => each.includes('approval_revoked'))).toHaveLength(30);
  });

  test('in two halves within a minute: the second one is held', async () => {
    const harness = await approvedHarness();
    harness.change({ approvedHours: null }, IDS.slice(0, 15));
    await harness.poll();
    expect(harness.news()).toHaveLength(15);
    harness.change({ approvedHours: null });
    expect((await harness.poll()).outcome).toBe('incomplete');
    expect(harness.news()).toEqual([]);
    await harness.poll();
    expect(harness.news()).toHaveLength(16);
  });

  test('in two halves hours apart, the first seen with a clock that was ahead: both are believed', async () => {
    const harness = await approvedHarness();
    harness.now += DAY_MS;
    harness.change({ approvedHours: null }, IDS.slice(0, 15));
    await harness.poll();
    expect(harness.news()).toHaveLength(15);
    harness.now -= DAY_MS - 60 * MINUTE_MS;
    harness.change({ approvedHours: null });
    expect((await harness.poll()).outcome).toBe('complete');
    expect(harness.news()).toHaveLength(15);
  });

  test('less than half of them, or fewer than ten, are believed at once', async () => {
    const harness = await approvedHarness();
    harness.change({ approvedHours: null }, IDS.slice(0, 15));
    expect((await harness.poll()).outcome).toBe('complete');
    expect(harness.news()).toHaveLength(15);
  });

  test('gaining one is never held', async () => {
    const harness = await approvedHarness();
    harness.change({ processed: '2026-03-05T01:01:30.000Z' });
    expect((await harness.poll()).outcome).toBe('complete');
    expect(harness.news()).toHaveLength(30);
  });
});

/** 20 of 30 records lose their approval; a second poll confirms and commits it, and ends before anything else. */
async function loseApprovalsUnsaved(harness: PollHarness): Promise<void> {
  harness.change({ approvedHours: null }, IDS.slice(0, 20));
  await harness.poll();
  const { saveFeedState } = harness.store;
  harness.store.saveFeedState = async () => {
    throw new Error('ended');
  };
  harness.accepts = () => false;
  await expect(harness.poll()).rejects.toThrow('ended');
  harness.store.saveFeedState = saveFeedState;
  harness.accepts = () => true;
}

async function approvedHarness(): Promise<PollHarness> {
  const harness = new PollHarness({ connection: SMALL });
  harness.put(...IDS.map((id) => timesheet({ id, date: DATE, hoursToPay: 7.5, approvedHours: APPROVED })));
  await harness.poll();
  harness.news();
  return harness;
}
