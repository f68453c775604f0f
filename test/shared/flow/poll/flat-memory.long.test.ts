import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import type { Leaf, LeafRow } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { DATE, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const WINDOW = { window: { backDays: 12, forwardDays: 8 } };
const EMPLOYEES = 400;
const NEWCOMERS = 9_000;
const ROSTER_DATE = addDays(DATE, 6);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a new roster', () => {
  test('is looked up in all of the snapshot without holding it', async () => {
    const watched = watchedStore();
    const harness = await employedHarness(watched.store);
    watched.reset();
    harness.put(...roster());
    const report = await harness.poll({ scope: 'window' });
    expect(report.outcome).toBe('complete');
    expect(report.counts.eventsPublished).toBe(NEWCOMERS);
    expect(watched.counts.read).toBeGreaterThan(watched.leaves());
    expect(watched.counts.read).toBeLessThan(4 * watched.leaves());
    expect(watched.counts.mostAtOnce).toBeLessThanOrEqual(400);
    expect(watched.counts.mostAlive).toBeLessThan(600);
    // A leaf is written twice only where one transaction ends and the next begins.
    expect(watched.counts.writes).toBeLessThan(1.1 * watched.counts.leavesWritten);
  });

  test('that is approved at once is published without holding what was compared', async () => {
    const watched = watchedStore();
    const harness = await employedHarness(watched.store);
    harness.put(...roster());
    await harness.poll({ scope: 'window' });
    watched.reset();
    harness.change(
      { approvedHours: `${DATE}T06:00:00Z` },
      roster().map(({ id }) => String(id)),
    );
    const report = await harness.poll({ scope: 'window' });
    expect(report.counts.eventsPublished).toBe(NEWCOMERS);
    expect(watched.counts.read).toBeGreaterThanOrEqual(NEWCOMERS / 40);
    expect(watched.counts.mostRowsAlive).toBeLessThan(NEWCOMERS / 2);
  });

  test('that takes longer than a poll goes on in the next one, and is published once', async () => {
    const inner = createMemorySnapshotStore();
    const harness = await employedHarness(inner);
    let commitMs = 0;
    Object.assign(harness.store, {
      commit: async (step: Parameters<SnapshotStore['commit']>[0]) => {
        harness.now += commitMs;
        return await inner.commit(step);
      },
    });
    harness.put(...roster());
    const before = (await harness.state()).coverage[ROSTER_DATE];
    commitMs = 60_000;
    const first = await harness.poll({ scope: 'window' });
    expect(first.outcome).toBe('incomplete');
    expect(first.counts.eventsPublished).toBeGreaterThan(0);
    expect(first.counts.eventsPublished).toBeLessThan(NEWCOMERS);
    expect((await harness.state()).coverage[ROSTER_DATE]).toEqual(before);
    for (let polls = 0; polls < 5; polls += 1) await harness.poll({ scope: 'window' });
    const created = harness.news().filter((each) => each.startsWith('timesheet.created'));
    expect(created).toHaveLength(NEWCOMERS);
    expect(new Set(created).size).toBe(NEWCOMERS);
  });

  test('of timesheets that stood on other dates is published as their moves', async () => {
    const harness = await employedHarness(createMemorySnapshotStore());
    harness.change({ date: ROSTER_DATE });
    await harness.poll({ scope: 'window' });
    const news = harness.news();
    const moves = news.filter((each) => each.startsWith('timesheet.changed'));
    expect(moves).toHaveLength(harness.timesheets.length);
    // The dates that they left are looked at before the one where they are found.
    expect(
      news.filter((each) => !moves.includes(each) && !/^(?:began|ended) dates_doubtful/.test(each)),
    ).toEqual([]);
    expect((await harness.poll({ scope: 'window' })).counts.changes).toBe(0);
  });
});

/** Everybody has a timesheet on each date from ten days ago to four days ahead, as the baseline found it. */
async function employedHarness(store: SnapshotStore): Promise<PollHarness<SnapshotStore>> {
  const harness = new PollHarness<SnapshotStore>({ connection: WINDOW, store: { ...store }, requestMs: 1 });
  for (let day = -10; day <= 4; day += 1) {
    const date = addDays(DATE, day);
    const sheet = (n: number) => timesheet({ id: `${day + 50}${String(n).padStart(5, '0')}_1`, date });
    harness.put(...Array.from({ length: EMPLOYEES }, (_, n) => sheet(n)));
  }
  await harness.poll();
  await harness.poll({ scope: 'window' });
  harness.news();
  return harness;
}

function roster(): SampleRecord[] {
  return Array.from({ length: NEWCOMERS }, (_, n) => timesheet({ id: `9${n}_2`, date: ROSTER_DATE }));
}

/** Gives copies of leaves and sees how many of them, and of their rows, are still held. */
function watchedStore() {
  const inner = createMemorySnapshotStore();
  const given: WeakRef<Leaf>[] = [];
  const rows: WeakRef<LeafRow>[] = [];
  const committed = new Set<string>();
  const written = new Set<string>();
  const counts = { read: 0, mostAtOnce: 0, mostAlive: 0, mostRowsAlive: 0, writes: 0, leavesWritten: 0 };
  const nameOf = ({ slice, generation, index }: Leaf) => `${slice}/${generation}/${index}`;
  const store: SnapshotStore = {
    ...inner,
    readLeaves: async (feed, refs) => {
      // What was looked at through a weak reference lives until the end of the turn.
      await setImmediate();
      collectGarbage();
      counts.mostAlive = Math.max(counts.mostAlive, countAlive(given));
      counts.mostRowsAlive = Math.max(counts.mostRowsAlive, countAlive(rows));
      const leaves = (await inner.readLeaves(feed, refs)).map((leaf) => structuredClone(leaf));
      counts.read += refs.length;
      counts.mostAtOnce = Math.max(counts.mostAtOnce, refs.length);
      given.push(...leaves.map((leaf) => new WeakRef(leaf)));
      rows.push(...leaves.flatMap((leaf) => leaf.rows.map((row) => new WeakRef(row))));
      return leaves;
    },
    writeGeneration: async (feed, leaves) => {
      for (const leaf of leaves) written.add(nameOf(leaf));
      await inner.writeGeneration(feed, leaves);
    },
    commit: async (step) => {
      for (const leaf of step.leaves) {
        counts.writes += 1;
        committed.add(nameOf(leaf));
        counts.leavesWritten = committed.size;
      }
      return await inner.commit(step);
    },
  };
  const reset = () => {
    committed.clear();
    Object.assign(counts, {
      read: 0,
      mostAtOnce: 0,
      mostAlive: 0,
      mostRowsAlive: 0,
      writes: 0,
      leavesWritten: 0,
    });
  };
  return { store, counts, reset, leaves: () => written.size };
}

function countAlive(refs: readonly WeakRef<object>[]): number {
  return refs.filter((ref) => ref.deref() !== undefined).length;
}
