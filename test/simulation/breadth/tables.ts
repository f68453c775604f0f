import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { Faults } from '../faults.ts';
import type { Journal } from '../journal.ts';
import type { Scheduler } from '../scheduler.ts';
import { MINUTE_MS, type Settings } from '../settings.ts';
import type { Breadth } from './breadth.ts';
import { dropEpochs, narrow } from './earlier-version.ts';

interface TableAt {
  at(instant: number): SnapshotStore;
}

interface Around {
  readonly breadth: Breadth;
  readonly faults: Faults;
  readonly settings: Settings;
  readonly scheduler: Scheduler;
}

/** The same tables, rewritten once by an earlier version in histories that have one. */
export function tablesAgo(tables: TableAt, { breadth, faults, settings, scheduler }: Around): TableAt {
  const { widenedAt, rolledBackAt } = breadth;
  const { name } = settings.connection;
  const withoutEpochs = new Set<string>();
  const once = (at: number | null, work: (store: SnapshotStore) => Promise<void>) => {
    if (at === null) return;
    scheduler.start({ at, killedAt: Number.POSITIVE_INFINITY }, async (life) => {
      const store = tables.at(at);
      while (!(await isFree(store, name, scheduler.now()))) await life.pause(MINUTE_MS / 2);
      await work(store);
    });
  };
  once(widenedAt, async (store) => {
    await narrow(store, name);
    faults.note('field_added');
  });
  once(rolledBackAt, async (store) => {
    await dropEpochs(store, name);
    for (const feed of FEED_NAMES) withoutEpochs.add(feed);
    faults.note('rolled_back');
  });
  if (rolledBackAt === null) return tables;
  return { at: (instant) => markedStore(tables.at(instant), withoutEpochs) };
}

/** Whether no poll holds a lease: two versions do not poll at the same time. */
async function isFree(store: SnapshotStore, connection: string, now: number): Promise<boolean> {
  let free = true;
  for (const feed of FEED_NAMES) {
    // It keeps nobody out, also by a clock that is a few seconds behind.
    const lease = { owner: 'earlier version', now, expiresAt: now - MINUTE_MS, takeOver: false };
    free &&= await store.acquireLease({ connection, feed }, lease);
  }
  return free;
}

/** Marks states that a version without epochs wrote last, until this version writes them. */
function markedStore(store: SnapshotStore, withoutEpochs: Set<string>): SnapshotStore {
  return {
    ...store,
    loadFeedState: async (feed) => {
      const stored = await store.loadFeedState(feed);
      return stored === null || !withoutEpochs.has(feed.feed) ? stored : { ...stored, epochsLost: true };
    },
    saveFeedState: async (write) => {
      const outcome = await store.saveFeedState(write);
      if (outcome === 'committed') withoutEpochs.delete(write.feed.feed);
      return outcome;
    },
  };
}

/** Counts records that returned after their tombstone had expired: their events begin a later epoch. */
export function noteForgotten(journal: Journal, { renewal, connection }: Settings, faults: Faults): void {
  if (connection.retentionDays > 1 || renewal !== null || faults.counts.has('rolled_back')) return;
  const epochs = new Map<string, string>();
  for (const { text } of journal.told) {
    const { source, subject, epoch, type } = JSON.parse(text) as Record<string, string>;
    if (!/\.(?:timesheet|pay_period)\./.test(type ?? '')) continue;
    const name = `${source} ${subject}`;
    if ((epochs.get(name) ?? epoch) !== epoch) faults.note('removal_forgotten');
    epochs.set(name, epoch ?? '');
  }
}
