import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import { DISTANT_SLICE } from '#shared/core/snapshot/distant-slice.ts';
import type { Leaf } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/ports/poll.ts';
import { DATE, DAY_MS, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollStage } from '#test/support/poll-stage.ts';

const WINDOW = { window: { backDays: 12, forwardDays: 8 } };
const EMPLOYEES = 400;
const NEWCOMERS = 9_000;
const ROSTER_DATE = addDays(DATE, 6);
const LONG_MS = 120_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a new roster', () => {
  test('is looked up in all of the snapshot without holding it', { timeout: LONG_MS }, async () => {
    const watched = watchedStore();
    const stage = await employedStage(watched.store);
    watched.reset();
    stage.put(...roster());
    const report = await stage.poll('window');
    expect(report.outcome).toBe('complete');
    expect(report.counts.eventsPublished).toBe(NEWCOMERS);
    expect(watched.counts.read).toBeGreaterThan(watched.leaves());
    expect(watched.counts.read).toBeLessThan(4 * watched.leaves());
    expect(watched.counts.mostAtOnce).toBeLessThanOrEqual(400);
    expect(watched.counts.mostAlive).toBeLessThan(600);
    // A leaf is written twice only where one transaction ends and the next begins.
    expect(watched.counts.writes).toBeLessThan(1.1 * watched.counts.leavesWritten);
  });

  test('that takes longer than a poll goes on in the next one, and is told once', {
    timeout: LONG_MS,
  }, async () => {
    const inner = createMemorySnapshotStore();
    const stage = await employedStage(inner);
    let commitMs = 0;
    Object.assign(stage.store, {
      commit: async (step: Parameters<SnapshotStore['commit']>[0]) => {
        stage.now += commitMs;
        return await inner.commit(step);
      },
    });
    stage.put(...roster());
    const before = (await stage.state())?.coverage[ROSTER_DATE];
    commitMs = 60_000;
    const first = await stage.poll('window');
    expect(first.outcome).toBe('incomplete');
    expect(first.counts.eventsPublished).toBeGreaterThan(0);
    expect(first.counts.eventsPublished).toBeLessThan(NEWCOMERS);
    expect((await stage.state())?.coverage[ROSTER_DATE]).toEqual(before);
    for (let polls = 0; polls < 5; polls += 1) await stage.poll('window');
    const created = stage.news().filter((each) => each.startsWith('timesheet.created'));
    expect(created).toHaveLength(NEWCOMERS);
    expect(new Set(created).size).toBe(NEWCOMERS);
  });

  test('of timesheets that stood on other dates is told as their moves', { timeout: LONG_MS }, async () => {
    const stage = await employedStage(createMemorySnapshotStore());
    stage.change({ date: ROSTER_DATE });
    await stage.poll('window');
    const news = stage.news();
    const moves = news.filter((each) => each.startsWith('timesheet.changed'));
    expect(moves).toHaveLength(stage.timesheets.size);
    // The dates that they left are looked at before the one where they are found.
    expect(news.filter((each) => !moves.includes(each) && !each.startsWith('slice.shrunk'))).toEqual([]);
    expect((await stage.poll('window')).counts.changes).toBe(0);
  });
});

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
    const stage = new PollStage({ connection: small, store: { ...inner, loadHeads } });
    stage.put(timesheet({ id: '1_1', date: DATE }), timesheet({ id: '2_1', date: DATE }));
    await stage.poll();
    stage.change({ date }, ['1_1']);
    await stage.pollFor(3);
    expect(stage.news()).toEqual(['baseline.completed', 'timesheet.changed 1_1']);
    for (let days = 0; days < 60; days += 1) {
      stage.now += DAY_MS;
      await stage.poll('window');
    }
    expect(heads).toBeLessThanOrEqual(39);
    const today = new Date(stage.now).toISOString().slice(0, 10);
    stage.change({ date: today }, ['1_1']);
    await stage.poll('window');
    expect(stage.published.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['workforce.timesheet.changed', 2],
    ]);
    const after = await inner.loadHeads({ connection: 'main', feed: 'timesheets' }, DISTANT_SLICE);
    expect(after.find(({ slice }) => slice === DISTANT_SLICE)?.recordCount).toBe(0);
  });

  test('is missed when it is gone by the time its date comes', async () => {
    const stage = new PollStage({ connection: small });
    stage.put(timesheet({ id: '1_1', date: DATE }), timesheet({ id: '2_1', date: DATE }));
    await stage.poll();
    stage.change({ date: addDays(DATE, 4) }, ['1_1']);
    await stage.poll();
    stage.news();
    stage.timesheets.delete('1_1');
    stage.now += 2 * DAY_MS;
    await stage.poll('window');
    expect(stage.news()).toEqual(['timesheet.removed 1_1']);
  });
});

/** Everybody has a timesheet on each date from ten days ago to four days ahead, as the baseline found it. */
async function employedStage(store: SnapshotStore): Promise<PollStage> {
  const stage = new PollStage({ connection: WINDOW, store: { ...store }, requestMs: 1 });
  for (let day = -10; day <= 4; day += 1) {
    const date = addDays(DATE, day);
    const sheet = (n: number) => timesheet({ id: `${day + 50}${String(n).padStart(5, '0')}_1`, date });
    stage.put(...Array.from({ length: EMPLOYEES }, (_, n) => sheet(n)));
  }
  await stage.poll();
  await stage.poll('window');
  stage.news();
  return stage;
}

function roster(): SampleRecord[] {
  return Array.from({ length: NEWCOMERS }, (_, n) => timesheet({ id: `9${n}_2`, date: ROSTER_DATE }));
}

/** Gives copies of leaves and sees how many of them are still held. */
function watchedStore() {
  const inner = createMemorySnapshotStore();
  const given: WeakRef<Leaf>[] = [];
  const committed = new Set<string>();
  const written = new Set<string>();
  const counts = { read: 0, mostAtOnce: 0, mostAlive: 0, writes: 0, leavesWritten: 0 };
  const nameOf = ({ slice, generation, index }: Leaf) => `${slice}/${generation}/${index}`;
  const store: SnapshotStore = {
    ...inner,
    readLeaves: async (feed, refs) => {
      // What was looked at through a weak reference lives until the end of the turn.
      await setImmediate();
      collectGarbage();
      counts.mostAlive = Math.max(counts.mostAlive, given.filter((ref) => ref.deref() !== undefined).length);
      const leaves = (await inner.readLeaves(feed, refs)).map((leaf) => structuredClone(leaf));
      counts.read += refs.length;
      counts.mostAtOnce = Math.max(counts.mostAtOnce, refs.length);
      given.push(...leaves.map((leaf) => new WeakRef(leaf)));
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
    Object.assign(counts, { read: 0, mostAtOnce: 0, mostAlive: 0, writes: 0, leavesWritten: 0 });
  };
  return { store, counts, reset, leaves: () => written.size };
}
