import { describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { DATE, DAY_MS, MINUTE_MS, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const SMALL = { window: { backDays: 1, forwardDays: 1 }, requests: { pageSize: 10 } };
const IDS = Array.from({ length: 30 }, (_, n) => `100_${String(n).padStart(2, '0')}`);
const APPROVED = '2026-03-05T00:30:00.000Z';
const BEGAN = `began dates_doubtful ${DATE}`;
const ENDED = `ended dates_doubtful ${DATE}`;

describe('most records of a date lose the same fact at once', () => {
  test('and is held by all follow-ups of its minute', async () => {
    const harness = await approvedHarness();
    for (const approvedHours of ['2026-03-05T00:45:00.000Z', null]) {
      harness.change({ approvedHours });
      await harness.poll({ repeatForSeconds: 50 });
    }
    expect(harness.now % MINUTE_MS).toBeGreaterThan(10_000);
    expect(Object.keys((await harness.state()).massChange)).toHaveLength(1);
    expect(harness.headings.filter((heading) => heading.includes('revoked'))).toEqual([]);
  });

  test('and a second scan confirms it: each is published, and the date is in doubt until then', async () => {
    const harness = await approvedHarness();
    harness.change({ approvedHours: null }, IDS.slice(0, 20));
    harness.change({ hoursToPay: 3 }, ['100_29']);
    const held = await harness.poll();
    expect(held.outcome).toBe('incomplete');
    expect(harness.published.at(-1)?.data).toMatchObject({
      ...{ about: [DATE], count: 20, cause: 'lost approvedHours', since: '2026-03-05T01:01:00.000Z' },
    });
    expect(harness.news()).toEqual(['timesheet.changed 100_29', BEGAN]);
    expect((await harness.poll()).outcome).toBe('complete');
    const published = IDS.slice(0, 20).map((id) => `timesheet.approval_revoked ${id}`);
    const revoked = harness.published.find(({ subject }) => subject === '100_00');
    expect(revoked?.data.observed).toMatchObject({ after: '2026-03-05T01:00:00.000Z' });
    expect(harness.news().toSorted()).toEqual([...published, ENDED].toSorted());
    await harness.poll();
    expect(harness.news()).toEqual([]);
    expect((await harness.state()).massChange).toEqual({});
  });

  test('and the poll that confirmed it was ended before it saved its state: a later one ends the doubt', async () => {
    const harness = await approvedHarness();
    await loseApprovalsUnsaved(harness);
    harness.change({ approvedHours: null }, ['100_29']);
    await harness.poll();
    const losses = [...IDS.slice(0, 20), '100_29'].map((id) => `timesheet.approval_revoked ${id}`);
    expect(harness.news().toSorted()).toEqual([BEGAN, ENDED, ...losses].toSorted());
    expect((await harness.state()).massChange).toEqual({});
  });

  test('and a clock that was ahead at the first scan holds it for no longer', async () => {
    const harness = await approvedHarness();
    harness.now += DAY_MS;
    harness.change({ approvedHours: null });
    await harness.poll();
    harness.now -= DAY_MS;
    await harness.poll();
    await harness.poll();
    expect(harness.news()).toContain(ENDED);
  });

  test('and have it again at the second scan: nothing happened', async () => {
    const harness = await approvedHarness();
    harness.change({ approvedHours: null });
    await harness.poll();
    harness.change({ approvedHours: APPROVED });
    expect((await harness.poll()).outcome).toBe('complete');
    expect(harness.news()).toEqual([BEGAN, ENDED]);
    expect((await harness.state()).massChange).toEqual({});
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
    expect(published.filter((each) => each === ENDED)).toHaveLength(1);
    expect(published.filter((each) => each.includes('approval_revoked'))).toHaveLength(30);
  });

  test('in two halves within a minute: the second one is held', async () => {
    const harness = await approvedHarness();
    harness.change({ approvedHours: null }, IDS.slice(0, 15));
    await harness.poll();
    expect(harness.news()).toHaveLength(15);
    harness.change({ approvedHours: null });
    expect((await harness.poll()).outcome).toBe('incomplete');
    expect(harness.news()).toEqual([BEGAN]);
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

  test('in three parts within a minute, none of them more than half: the third one is held', async () => {
    const harness = await approvedHarness();
    const revoked: number[] = [];
    for (const seen of [6, 12, 18]) {
      harness.change({ approvedHours: null }, IDS.slice(0, seen));
      await harness.poll({ atOnce: true, scope: 'window' });
      revoked.push(harness.news().length);
      harness.now += 20_000;
    }
    expect(revoked).toEqual([6, 6, 1]);
    await harness.pollFor(2);
    expect(harness.news()).toHaveLength(7);
  });

  test('in parts minutes apart: each is believed', async () => {
    const harness = await approvedHarness();
    for (const seen of [6, 12, 18]) {
      harness.change({ approvedHours: null }, IDS.slice(0, seen));
      await harness.poll();
      harness.now += 2 * MINUTE_MS;
    }
    expect(harness.news()).toHaveLength(18);
  });

  test('in halves of which a poll that was ended published the first: the second one is held', async () => {
    const harness = await approvedHarness();
    harness.change({ approvedHours: null }, IDS.slice(0, 15));
    await pollUnsaved(harness);
    harness.change({ approvedHours: null });
    await harness.poll();
    expect(harness.news()).toHaveLength(16);
    await harness.poll();
    expect(harness.news()).toHaveLength(16);
  });

  test('and all but one have it again at the second scan: that one alone lost it', async () => {
    const harness = await approvedHarness();
    harness.change({ approvedHours: null });
    await harness.poll();
    harness.change({ approvedHours: APPROVED }, IDS.slice(1));
    expect((await harness.poll()).outcome).toBe('complete');
    expect(harness.news()).toEqual([BEGAN, 'timesheet.approval_revoked 100_00', ENDED]);
    expect((await harness.state()).massChange).toEqual({});
  });

  test('and move to another date with it: they are held as well, each counted once', async () => {
    const harness = await approvedHarness();
    const moved = { approvedHours: null, date: harness.day(1) };
    harness.change({ approvedHours: null }, IDS.slice(0, 4));
    harness.change(moved, IDS.slice(4, 16));
    harness.change({ date: harness.day(1) }, IDS.slice(16, 18));
    expect((await harness.poll({ scope: 'window' })).outcome).toBe('incomplete');
    expect(harness.news()).toEqual([...IDS.slice(16, 18).map((id) => `timesheet.changed ${id}`), BEGAN]);
    await harness.poll({ scope: 'window' });
    expect(harness.news().filter((each) => each.includes('approval_revoked'))).toHaveLength(16);
  });

  test('and some move where only a request by id finds them: they count, too', async () => {
    const harness = await approvedHarness();
    harness.change({ approvedHours: null }, IDS.slice(0, 8));
    harness.change({ approvedHours: null, date: harness.day(9) }, IDS.slice(8, 16));
    await harness.poll();
    expect(harness.news()).toEqual([BEGAN]);
    await harness.poll();
    const news = harness.news();
    expect(news.filter((each) => each.includes('approval_revoked'))).toHaveLength(16);
    expect(news.filter((each) => each === ENDED)).toHaveLength(1);
  });

  test('and move to a date that is read much later: they are told in the end', async () => {
    const harness = await approvedHarness({ window: { backDays: 20, forwardDays: 1 } });
    harness.change({ approvedHours: null, date: harness.day(-15) }, IDS.slice(0, 20));
    await harness.poll();
    expect(harness.news()).toEqual([BEGAN]);
    await harness.pollFor(180);
    const news = harness.news();
    expect(news.filter((each) => each.includes('approval_revoked'))).toHaveLength(20);
    expect(news).toContain(ENDED);
    expect((await harness.state()).massChange).toEqual({});
  });

  describe('and the second scan does not see most of them', () => {
    test('they are held until one does', async () => {
      const harness = await approvedHarness();
      harness.change({ approvedHours: null }, IDS.slice(0, 20));
      await harness.poll();
      harness.onPage = (_, page) => (page === 2 ? new SourceError('source_failed', 'answered 500') : null);
      await harness.pollFor(5);
      expect(harness.news()).toEqual([BEGAN]);
      harness.onPage = () => null;
      await harness.pollFor(10);
      expect(harness.news()).toHaveLength(21);
    });

    test('since they are bad: they are held until these are read', async () => {
      const harness = await approvedHarness();
      harness.change({ approvedHours: null }, IDS.slice(0, 16));
      await harness.poll();
      harness.change({ hoursToPay: 'seven' }, IDS.slice(8, 16));
      await harness.poll();
      expect(harness.news().filter((each) => each.startsWith('timesheet.'))).toEqual([]);
      harness.change({ hoursToPay: 7.5 }, IDS.slice(8, 16));
      await harness.poll();
      expect(harness.news()).toContain(ENDED);
    });

    test('since only some are seen, on another date: these are held, too', async () => {
      const harness = await approvedHarness();
      harness.change({ approvedHours: null }, IDS.slice(0, 20));
      await harness.poll();
      harness.change({ date: harness.day(1) }, IDS.slice(0, 3));
      harness.onPage = ({ from, to }) =>
        from <= DATE && DATE <= to ? new SourceError('source_failed', 'answered 500') : null;
      await harness.poll({ scope: 'window' });
      expect(harness.news()).toEqual([BEGAN]);
      harness.onPage = () => null;
      await harness.pollFor(5);
      expect(harness.news().filter((each) => each.includes('approval_revoked'))).toHaveLength(20);
    });

    test('for half an hour: then what is seen is believed', async () => {
      const harness = await approvedHarness();
      harness.change({ approvedHours: null }, IDS.slice(0, 20));
      await harness.poll();
      harness.onPage = (_, page) => (page === 2 ? new SourceError('source_failed', 'answered 500') : null);
      await harness.pollFor(20);
      expect(harness.news()).toEqual([BEGAN, `began dates_unreadable ${DATE}`]);
      await harness.pollFor(50);
      expect(harness.news()).toEqual(
        expect.arrayContaining(IDS.slice(0, 10).map((id) => `timesheet.approval_revoked ${id}`)),
      );
    });
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
  harness.accepts = () => false;
  await pollUnsaved(harness);
  harness.accepts = () => true;
}

/** A poll that ends before it saves the state of the feed. */
async function pollUnsaved(harness: PollHarness): Promise<void> {
  const { saveFeedState } = harness.store;
  harness.store.saveFeedState = async () => {
    throw new Error('ended');
  };
  await expect(harness.poll()).rejects.toThrow('ended');
  harness.store.saveFeedState = saveFeedState;
}

async function approvedHarness(connection: object = SMALL): Promise<PollHarness> {
  const harness = new PollHarness({ connection });
  harness.put(...IDS.map((id) => timesheet({ id, date: DATE, hoursToPay: 7.5, approvedHours: APPROVED })));
  await harness.poll({ scope: 'window' });
  harness.news();
  return harness;
}
