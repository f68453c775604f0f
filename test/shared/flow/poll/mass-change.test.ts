import { describe, expect, test } from 'vitest';
import { DATE, DAY_MS, timesheet } from '#test/support/builders.ts';
import { PollStage } from '#test/support/poll-stage.ts';

const SMALL = { window: { backDays: 1, forwardDays: 1 }, requests: { pageSize: 10 } };
const IDS = Array.from({ length: 30 }, (_, n) => `100_${String(n).padStart(2, '0')}`);
const APPROVED = '2026-03-05T00:30:00.000Z';

describe('most records of a date lose the same fact at once', () => {
  test('and a second look confirms it: each is told, with one mass change beside them', async () => {
    const stage = await approvedStage();
    stage.change({ approvedHours: null }, IDS.slice(0, 20));
    stage.change({ hoursToPay: 3 }, ['100_29']);
    const held = await stage.poll();
    expect(held.outcome).toBe('incomplete');
    expect(stage.news()).toEqual(['timesheet.changed 100_29']);
    expect((await stage.poll()).outcome).toBe('complete');
    const told = IDS.slice(0, 20).map((id) => `timesheet.approval_revoked ${id}`);
    const { data } = stage.published.find(({ type }) => type.endsWith('mass_change')) ?? {};
    expect(data).toEqual({
      feed: 'timesheets',
      slice: DATE,
      field: 'approvedHours',
      direction: 'lost',
      records: 20,
      known: 30,
      firstSeenAt: '2026-03-05T01:02:00.000Z',
      confirmedAt: '2026-03-05T01:03:00.000Z',
    });
    const revoked = stage.published.find(({ subject }) => subject === '100_00');
    expect(revoked?.data.observed).toMatchObject({ after: '2026-03-05T01:01:00.000Z' });
    expect(stage.news().toSorted()).toEqual([...told, `slice.mass_change ${DATE}`].toSorted());
    await stage.poll();
    expect(stage.news()).toEqual([]);
    expect(await stage.state()).not.toHaveProperty('massChange');
  });

  test('and a clock that was ahead at the first look holds it for no longer', async () => {
    const stage = await approvedStage();
    stage.now += DAY_MS;
    stage.change({ approvedHours: null });
    await stage.poll();
    stage.now -= DAY_MS;
    await stage.poll();
    await stage.poll();
    expect(stage.news()).toContain(`slice.mass_change ${DATE}`);
  });

  test('and have it again at the second look: nothing happened', async () => {
    const stage = await approvedStage();
    stage.change({ approvedHours: null });
    await stage.poll();
    stage.change({ approvedHours: APPROVED });
    expect((await stage.poll()).outcome).toBe('complete');
    expect(stage.news()).toEqual([]);
    expect(await stage.state()).not.toHaveProperty('massChange');
  });

  test('while the list is read: what falls between two pages is not missed', async () => {
    const stage = await approvedStage();
    stage.beforePage = (page) => {
      if (page === 2) stage.change({ approvedHours: null });
    };
    stage.listed = (records) => [...records].toSorted((a, b) => (a.id < b.id ? 1 : -1));
    stage.change({ approvedHours: null }, IDS.slice(15));
    stage.change({ approvedHours: null }, []);
    await stage.poll();
    await stage.poll();
    const told = stage.news();
    expect(told.filter((each) => each.startsWith('slice.mass_change'))).toHaveLength(1);
    expect(told.filter((each) => each.includes('approval_revoked'))).toHaveLength(30);
  });

  test('in two halves within a minute: the second one is held', async () => {
    const stage = await approvedStage();
    stage.change({ approvedHours: null }, IDS.slice(0, 15));
    await stage.poll();
    expect(stage.news()).toHaveLength(15);
    stage.change({ approvedHours: null });
    expect((await stage.poll()).outcome).toBe('incomplete');
    expect(stage.news()).toEqual([]);
    await stage.poll();
    expect(stage.news()).toHaveLength(16);
  });

  test('less than half of them, or fewer than ten, are believed at once', async () => {
    const stage = await approvedStage();
    stage.change({ approvedHours: null }, IDS.slice(0, 15));
    expect((await stage.poll()).outcome).toBe('complete');
    expect(stage.news()).toHaveLength(15);
  });

  test('gaining one is never held', async () => {
    const stage = await approvedStage();
    stage.change({ processed: '2026-03-05T01:01:30.000Z' });
    expect((await stage.poll()).outcome).toBe('complete');
    expect(stage.news()).toHaveLength(30);
  });
});

async function approvedStage(): Promise<PollStage> {
  const stage = new PollStage({ connection: SMALL });
  stage.put(...IDS.map((id) => timesheet({ id, date: DATE, hoursToPay: 7.5, approvedHours: APPROVED })));
  await stage.poll();
  stage.news();
  return stage;
}
