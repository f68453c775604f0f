import { expect, test } from 'vitest';
import type { CommitStep } from '#shared/core/commit/commit-step.ts';
import { INSERT_FENCE } from '#shared/core/commit/insert-fence.ts';
import { addDays } from '#shared/core/dates.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { DATE, MINUTE_MS, NEXT_DATE, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const SMALL = { window: { backDays: 1, forwardDays: 1 } };
const CONFLICT = 'another poll committed first; the next one scans again';

test('newcomers of another poll cost one more comparison, and no request', async () => {
  const { harness, before } = await contestedHarness();
  harness.put(timesheet({ id: '2_1' }));
  before(async (store) => await moveOn(store, INSERT_FENCE));
  const report = await harness.poll({ scope: 'window' });

  expect(report).toMatchObject({ outcome: 'complete', reasons: [], counts: { conflicts: 1 } });
  expect(harness.requests.pages).toBe(1);
  expect(harness.news()).toEqual(['timesheet.created 2_1']);
});

test('only the date that another poll committed is read again', async () => {
  const { harness, before } = await contestedHarness();
  harness.put(timesheet({ id: '2_1' }), timesheet({ id: '3_1', date: NEXT_DATE }));
  before(async (store) => await moveOn(store, NEXT_DATE));
  const report = await harness.poll({ scope: 'window' });

  expect(report).toMatchObject({ outcome: 'complete', counts: { conflicts: 1 } });
  expect(harness.requests.pages).toBe(2);
  expect(harness.news()).toEqual(['timesheet.created 2_1', 'timesheet.created 3_1']);
});

test('a newcomer that another poll put on another date is not put back', async () => {
  const { harness, inner, before } = await contestedHarness();
  const other = new PollHarness({ connection: SMALL, store: inner });
  other.put(timesheet({ id: '1_1' }), timesheet({ id: '2_1', date: NEXT_DATE }));
  harness.put(timesheet({ id: '2_1' }));
  before(async () => {
    harness.put(timesheet({ id: '2_1', date: NEXT_DATE }));
    other.now = harness.now;
    await other.poll({ scope: 'window' });
  });
  const report = await harness.poll({ scope: 'window' });

  expect(report.outcome).toBe('complete');
  expect(other.news()).toEqual(['timesheet.created 2_1']);
  expect(harness.news()).toEqual([]);
});

test('what the other poll did not publish yet goes out first', async () => {
  const { harness, inner, before } = await contestedHarness();
  const other = new PollHarness({ connection: SMALL, store: { ...inner, clearOutbox: async () => {} } });
  other.put(timesheet({ id: '1_1', hoursToPay: 3 }));
  harness.put(timesheet({ id: '1_1', hoursToPay: 4 }));
  before(async () => {
    other.now = harness.now;
    await other.poll({ scope: 'window' });
  });
  await harness.poll({ scope: 'window' });

  expect(harness.published.map(({ sequence, data }) => [sequence, data.changed])).toEqual([
    [1, ['hoursToPay']],
    [2, ['hoursToPay']],
  ]);
});

test('who was removed from one date is not brought back by what was read of another before', async () => {
  const harness = new PollHarness({
    connection: { window: { backDays: 4, forwardDays: 1 }, requests: { pageSize: 10 } },
    requestMs: 5_000,
  });
  const [from, to] = [addDays(DATE, -4), addDays(DATE, -3)];
  const on = (date: string, count: number) =>
    Array.from({ length: count }, (_, n) => timesheet({ id: `${date.slice(-2)}${n}_1`, date }));
  harness.put(timesheet({ id: '1_1', date: from }), ...on(from, 25), ...on(to, 35));
  await harness.pollFor(5);
  harness.news();
  harness.now += 10 * MINUTE_MS;
  harness.change({ date: to }, ['1_1']);
  harness.onLookUp = (id) => {
    harness.remove(id);
    return null;
  };
  await harness.poll();
  await harness.pollFor(10);

  expect(harness.news()).toEqual(['timesheet.removed 1_1']);
});

test('a date that another poll committed after it was scanned counts as not scanned', async () => {
  const { harness, before } = await contestedHarness({ window: { backDays: 3, forwardDays: 1 } });
  const first = (await harness.state()).coverage[DATE];
  harness.put(timesheet({ id: '2_1', date: addDays(DATE, -3) }));
  before(async (store) => {
    await moveOn(store, DATE);
    await moveOn(store, INSERT_FENCE);
  });
  await harness.poll({ scope: 'window' });

  expect(harness.news()).toEqual(['timesheet.created 2_1']);
  expect((await harness.state()).coverage[DATE]).toEqual(first);
});

test('a scan that is superseded again and again is left to the next poll, which scans at once', async () => {
  const { harness, before } = await contestedHarness();
  harness.put(timesheet({ id: '2_1' }));
  before(async (store) => await moveOn(store, INSERT_FENCE), Number.POSITIVE_INFINITY);
  const report = await harness.poll({ scope: 'window' });
  expect(report).toMatchObject({ outcome: 'incomplete', reasons: [CONFLICT] });
  expect(report.counts.conflicts).toBeLessThanOrEqual(4);
  expect(harness.news()).toEqual([]);

  before(async () => {}, 0);
  expect((await harness.poll()).outcome).toBe('complete');
  expect(harness.news()).toEqual(['timesheet.created 2_1']);
});

test('who became known to another poll during the baseline, and moved, does not enter it a second time', async () => {
  const inner = createMemorySnapshotStore();
  const crash = async () => {
    throw new Error('the function was killed');
  };
  const other = new PollHarness({
    connection: { window: { backDays: 1, forwardDays: 0 } },
    store: { ...inner, saveFeedState: crash },
  });
  other.put(timesheet({ id: '1_1' }), timesheet({ id: '2_1' }));
  let isTold = false;
  const harness = new PollHarness({
    connection: SMALL,
    store: {
      ...inner,
      commit: async (step: CommitStep) => {
        const isNext = step.heads.some(({ head }) => head.slice === NEXT_DATE);
        if (isNext && !isTold) {
          isTold = true;
          other.now = harness.now;
          await other.poll({ scope: 'window' }).catch(() => {});
          harness.put(timesheet({ id: '2_1', date: NEXT_DATE }));
        }
        return await inner.commit(step);
      },
    },
  });
  harness.put(timesheet({ id: '1_1' }), timesheet({ id: '3_1', date: NEXT_DATE }));
  await harness.poll();
  await harness.pollFor(3);

  expect(other.news()).toEqual(['timesheet.created 2_1']);
  expect(harness.news()).toEqual(['timesheet.changed 2_1', 'baseline.completed']);
});

/** A harness with one known timesheet, on which something happens before the first commits of a poll. */
async function contestedHarness(connection: object = SMALL) {
  const inner = createMemorySnapshotStore();
  let interfere: (store: SnapshotStore) => Promise<void> = async () => {};
  let times = 0;
  const commit = async (step: CommitStep) => {
    times -= 1;
    if (times >= 0) await interfere(inner);
    return await inner.commit(step);
  };
  const harness = new PollHarness({ connection, store: { ...inner, commit } });
  harness.put(timesheet({ id: '1_1' }));
  await harness.poll({ scope: 'window' });
  harness.news();
  harness.requests.pages = 0;
  const before = (happening: (store: SnapshotStore) => Promise<void>, often = 1) => {
    interfere = happening;
    times = often;
  };
  return { harness, inner, before };
}

let moves = 0;

/** Another poll commits a slice, without any news. */
async function moveOn(store: SnapshotStore, slice: string): Promise<void> {
  const head = (await store.loadHeads(TIMESHEETS, DATE)).find((each) => each.slice === slice);
  if (head === undefined) throw new Error(`there is no head of ${slice}`);
  moves += 1;
  await store.commit({
    feed: TIMESHEETS,
    token: `move ${moves}`,
    heads: [
      { head: { ...head, revision: head.revision + 1 }, expectedRevision: head.revision, changedLeaves: [] },
    ],
    leaves: [],
    events: null,
    eventsExpireAt: 0,
  });
}
