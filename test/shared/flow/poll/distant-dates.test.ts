import { describe, expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import { DISTANT_SLICE } from '#shared/core/snapshot/distant-slice.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { DATE, DAY_MS, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

describe('a timesheet that was moved to a wrong year', () => {
  const small = { window: { backDays: 2, forwardDays: 2 } };

  test.each(['2025-03-05', '2031-03-05'])('(%s) makes no later poll load more heads', async (date) => {
    let heads = 0;
    const inner = createMemorySnapshotStore();
    const loadHeads: SnapshotStore['loadHeads'] = async (feed, from) => {
      const loaded = await inner.loadHeads(feed, from);
      heads = loaded.length;
      return loaded;
    };
    const harness = new PollHarness({ connection: small, store: { ...inner, loadHeads } });
    harness.put(timesheet({ id: '1_1', date: DATE }), timesheet({ id: '2_1', date: DATE }));
    await harness.poll();
    harness.change({ date }, ['1_1']);
    await harness.pollFor(3);
    expect(harness.news()).toEqual(['baseline.completed', 'timesheet.changed 1_1']);
    for (let days = 0; days < 60; days += 1) {
      harness.now += DAY_MS;
      await harness.poll({ scope: 'window' });
    }
    expect(heads).toBeLessThanOrEqual(39);
    const today = new Date(harness.now).toISOString().slice(0, 10);
    harness.change({ date: today }, ['1_1']);
    await harness.poll({ scope: 'window' });
    expect(harness.published.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['workforce.timesheet.changed', 2],
    ]);
    const after = await inner.loadHeads({ connection: 'main', feed: 'timesheets' }, DISTANT_SLICE);
    expect(after.find(({ slice }) => slice === DISTANT_SLICE)?.recordCount).toBe(0);
  });

  test('is missed when it is gone by the time its date comes', async () => {
    const harness = new PollHarness({ connection: small });
    harness.put(timesheet({ id: '1_1', date: DATE }), timesheet({ id: '2_1', date: DATE }));
    await harness.poll();
    harness.change({ date: addDays(DATE, 4) }, ['1_1']);
    await harness.poll();
    harness.news();
    harness.remove('1_1');
    harness.now += 2 * DAY_MS;
    await harness.poll({ scope: 'window' });
    expect(harness.news()).toEqual(['timesheet.removed 1_1']);
  });
});
