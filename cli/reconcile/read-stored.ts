import { toIso } from '#shared/core/dates.ts';
import { toPosition } from '#shared/core/events/envelope.ts';
import { feedDefinition, toState } from '#shared/core/records/feed-definition.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { readStoredAccount } from '#shared/operator/statement/stored-account.ts';
import { walkRecords } from '#shared/snapshots/flow/walk-records.ts';
import { type RecordSelection, selectRecords } from '#shared/snapshots/stored-records.ts';
import type { StoredPeriod, StoredTimesheet } from './compare-holdings.ts';

/** A pay period as it is stored, with its own timesheets. */
export interface KnownPeriod extends StoredPeriod {
  readonly id: string;
  readonly connection: string;
  readonly calendar: string;
  readonly startDate: string;
  readonly finishDate: string;
  /** Timesheets on its dates of which it is not known to which period they belong: left out. */
  readonly unsure: readonly string[];
  /** Dates that were never read completely. */
  readonly unread: readonly string[];
}

/** Null when the connection has no such pay period. */
export async function readStoredPeriod(
  id: string,
  connection: string,
  store: SnapshotStore,
): Promise<KnownPeriod | null> {
  const stored = await readStoredAccount(id, connection, store);
  if (stored === null) return null;
  const { period, account, leaves, own, unsure } = stored;
  const { calendar, startDate, finishDate } = period;
  const tombstones = leaves.flatMap((leaf) => leaf.tombstones);
  const unread = account.views.filter(({ lookedAt }) => lookedAt === null).map(({ slice }) => slice);
  return {
    ...{ id, connection, calendar, startDate, finishDate, unsure, unread },
    timesheets: new Map(own.map((row) => [row.id, toStored(row)])),
    removed: new Map(tombstones.map(({ id: gone, ...tombstone }) => [gone, toPosition(tombstone)])),
  };
}

/** Those of the timesheets with these ids that are stored, on whatever date. */
export async function findStored(
  ids: readonly string[],
  connection: string,
  store: SnapshotStore,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  if (ids.length === 0) return found;
  const selection: RecordSelection = { feed: 'timesheets', ids: [...ids] };
  for await (const { leaf } of walkRecords({ connection, select: [selection], after: null }, store))
    for (const record of selectRecords(leaf, selection)) if ('state' in record) found.add(record.id);
  return found;
}

function toStored({ id, state, sequence, epoch }: LeafRow): StoredTimesheet {
  const { hoursToPay } = toState(feedDefinition('timesheets'), state);
  const hours = typeof hoursToPay === 'number' ? hoursToPay : 0;
  return { id, sequence, hoursToPay: hours, epoch: toIso(epoch) };
}
