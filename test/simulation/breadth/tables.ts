import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { Faults } from '../faults.ts';
import type { Journal } from '../journal.ts';
import type { Scheduler } from '../scheduler.ts';
import { MINUTE_MS, type Settings } from '../settings.ts';
import type { Breadth } from './breadth.ts';
import { shortenRows } from './shorter-rows.ts';

interface TableAt {
  at(instant: number): SnapshotStore;
}

interface Around {
  readonly breadth: Breadth;
  readonly faults: Faults;
  readonly settings: Settings;
  readonly scheduler: Scheduler;
}

/** Shortens the rows of a table once, in histories in which a field is appended to the watched ones. */
export function startShortening(tables: TableAt, { breadth, faults, settings, scheduler }: Around): void {
  const { widenedAt } = breadth;
  const { name } = settings.connection;
  if (widenedAt === null) return;
  scheduler.start({ at: widenedAt, killedAt: Number.POSITIVE_INFINITY }, async (life) => {
    const store = tables.at(widenedAt);
    while (!(await isFree(store, name, scheduler.now()))) await life.pause(MINUTE_MS / 2);
    await shortenRows(store, name);
    faults.note('field_added');
  });
}

/** Whether no poll holds a lease: two versions do not poll at the same time. */
async function isFree(store: SnapshotStore, connection: string, now: number): Promise<boolean> {
  let free = true;
  for (const feed of FEED_NAMES) {
    // It keeps nobody out, also by a clock that is a few seconds behind.
    const lease = { owner: 'shortening', now, expiresAt: now - MINUTE_MS, takeOver: false };
    free &&= await store.acquireLease({ connection, feed }, lease);
  }
  return free;
}

/** Counts records that returned after their tombstone had expired: their events begin a later epoch. */
export function noteForgotten(journal: Journal, { renewal, connection }: Settings, faults: Faults): void {
  if (connection.retentionDays > 1 || renewal !== null) return;
  const epochs = new Map<string, string>();
  for (const { text } of journal.told) {
    const { source, subject, epoch, type } = JSON.parse(text) as Record<string, string>;
    if (!/\.(?:timesheet|pay_period)\./.test(type ?? '')) continue;
    const name = `${source} ${subject}`;
    if ((epochs.get(name) ?? epoch) !== epoch) faults.note('removal_forgotten');
    epochs.set(name, epoch ?? '');
  }
}
