import { expect, test } from 'vitest';
import { listLeafRefs } from '#shared/flow/poll/compare/read-leaves.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { type SampleRecord, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore, type MemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const START = '2026-03-05T01:00:00Z';
const LATER = '2026-03-05T02:00:00Z';
const SHEET = timesheet({ id: '1_1', date: '2026-03-06' });

test('a backup of a first poll that never ended: no id is used for two events', async () => {
  const table = await tableOfBrokenFirstPoll();
  const restored = new WatchedTimesheet(table.restored(), LATER);
  const live = new WatchedTimesheet(table, START);
  await live.see({ ...SHEET, hoursToPay: 1 });
  await restored.see({ ...SHEET, hoursToPay: 2 });

  const [before] = live.events;
  const [after] = restored.events;
  expect([before?.type, after?.type]).toEqual(['workforce.timesheet.changed', 'workforce.timesheet.changed']);
  expect(after?.id).not.toBe(before?.id);
  expect(String(after?.epoch) > String(before?.epoch)).toBe(true);
});

test('rows that a backup took along without a state begin anew, and then go on', async () => {
  const table = await tableOfBrokenFirstPoll();
  const live = new WatchedTimesheet(table, START);
  const restored = new WatchedTimesheet(withoutState(table.restored()), LATER);
  await live.see({ ...SHEET, hoursToPay: 1 });
  await restored.see({ ...SHEET, hoursToPay: 2 });
  await restored.see({ ...SHEET, hoursToPay: 3 });

  const [before] = live.events;
  const published = restored.events.filter(({ subject }) => subject === SHEET.id);
  expect(published.map(({ sequence }) => sequence)).toEqual([1, 2]);
  expect(new Set(published.map(({ epoch }) => epoch)).size).toBe(1);
  expect(String(published[0]?.epoch) > String(before?.epoch)).toBe(true);
});

test('after a first poll that never ended, or beside one that has not, its records keep their epoch', async () => {
  const table = await tableOfBrokenFirstPoll();
  const [row] = await rowsOf(table);
  const next = new WatchedTimesheet(table, LATER);
  await next.see({ ...SHEET, hoursToPay: 1 });

  const slower = await tableOfBrokenFirstPoll();
  const [other] = await rowsOf(slower);
  // Its state was read before the first one saved it, its rows after that.
  const beside = new WatchedTimesheet(readBefore(slower), LATER);
  await beside.see({ ...SHEET, hoursToPay: 1 });

  expect(Date.parse(String(next.events[0]?.epoch))).toBe(row?.epoch);
  expect(Date.parse(String(beside.events[0]?.epoch))).toBe(other?.epoch);
});

/** A table in which the first poll stored a record, and died before it saved what it knew at its end. */
async function tableOfBrokenFirstPoll(): Promise<MemorySnapshotStore> {
  const table = createMemorySnapshotStore();
  const store: SnapshotStore = {
    ...table,
    saveFeedState: async (write) => {
      const heads = await table.loadHeads(TIMESHEETS, '');
      if (heads.length > 0) throw new Error('died');
      return await table.saveFeedState(write);
    },
  };
  await expect(new WatchedTimesheet(store, START).see(SHEET)).rejects.toThrow('died');
  return table;
}

/** The table as a backup left it that took the rows along and not the state. */
function withoutState(table: SnapshotStore): SnapshotStore {
  let isSaved = false;
  return {
    ...table,
    loadFeedState: async (feed) => (isSaved ? await table.loadFeedState(feed) : null),
    saveFeedState: async (write) => {
      const stored = isSaved ? null : await table.loadFeedState(write.feed);
      isSaved = true;
      return await table.saveFeedState(
        stored === null ? write : { ...write, expectedRevision: stored.state.revision },
      );
    },
  };
}

/** The table of which the state is first read too early. */
function readBefore(table: SnapshotStore): SnapshotStore {
  let reads = 0;
  return {
    ...table,
    loadFeedState: async (feed) => {
      if (feed.feed === 'timesheets') reads += 1;
      return reads === 1 ? null : await table.loadFeedState(feed);
    },
  };
}

async function rowsOf(table: SnapshotStore) {
  const heads = await table.loadHeads(TIMESHEETS, '');
  const leaves = await table.readLeaves(TIMESHEETS, heads.flatMap(listLeafRefs));
  return leaves.flatMap(({ rows }) => rows);
}

/** A source with one timesheet, which is polled whenever it has changed. */
class WatchedTimesheet {
  readonly #harness: PollHarness<SnapshotStore>;

  constructor(store: SnapshotStore, startAt: string) {
    this.#harness = new PollHarness({ store, startAt });
  }

  async see(record: SampleRecord): Promise<void> {
    this.#harness.put(record);
    await this.#harness.poll();
  }

  get events() {
    return this.#harness.published.filter(({ subject }) => subject === SHEET.id);
  }
}
