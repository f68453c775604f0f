import { listDates, toIso } from '#shared/core/dates.ts';
import type { EventPosition } from '#shared/core/events/event-order.ts';
import { toPosition } from '#shared/core/events/events.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { belongsTo, type KnownCalendars, type PeriodOfCalendar } from '#shared/core/plan/membership.ts';
import { feedDefinition, toState } from '#shared/core/records/feed-definition.ts';
import { type RecordSelection, selectRecords } from '#shared/core/replay/stored-records.ts';
import { NO_MEMBERSHIP } from '#shared/core/snapshot/membership.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import { walkRecords } from '#shared/flow/replay/walk-records.ts';
import type { SnapshotStore } from '#shared/ports/poll.ts';
import { readPeriod } from '../statement/read-statement.ts';
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
  const feed: FeedKey = { connection, feed: 'pay-periods' };
  const period = await readPeriod(id, feed, { store });
  if (period === null) return null;
  const { calendar, startDate, finishDate } = period;
  const periods = (await store.loadFeedState(feed))?.state.payPeriods ?? [];
  const membership = (await store.loadMembership?.(connection)) ?? NO_MEMBERSHIP;
  const found = await readDates(
    { id, calendar, startDate, finishDate },
    { connection, store, periods, membership },
  );
  return { id, connection, calendar, startDate, finishDate, ...found };
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

interface StoredPlace extends KnownCalendars {
  readonly connection: string;
  readonly store: SnapshotStore;
}

async function readDates(
  period: PeriodOfCalendar,
  { connection, store, ...known }: StoredPlace,
): Promise<StoredPeriod & Pick<KnownPeriod, 'unsure' | 'unread'>> {
  const { startDate: from, finishDate: to } = period;
  const selection: RecordSelection = { feed: 'timesheets', from, to };
  const timesheets = new Map<string, StoredTimesheet>();
  const removed = new Map<string, EventPosition>();
  const unsure: string[] = [];
  for await (const { leaf } of walkRecords({ connection, select: [selection], after: null }, store)) {
    for (const { id, ...tombstone } of leaf.tombstones) removed.set(id, toPosition(tombstone));
    for (const record of selectRecords(leaf, selection)) {
      if (!('state' in record)) continue;
      const { owned, stored } = readTimesheet(record);
      const isOwn = belongsTo(owned, period, known);
      if (isOwn === null) unsure.push(record.id);
      if (isOwn === true) timesheets.set(record.id, stored);
    }
  }
  const heads = await store.loadHeads({ connection, feed: 'timesheets' }, from);
  const read = new Set(heads.flatMap(({ slice, baselinedAt }) => (baselinedAt === null ? [] : [slice])));
  return { timesheets, removed, unsure, unread: listDates({ from, to }).filter((date) => !read.has(date)) };
}

function readTimesheet({ id, state, sequence, epoch }: LeafRow) {
  const { employeeId, date, hoursToPay } = toState(feedDefinition('timesheets'), state);
  const owned = { id, employeeId: typeof employeeId === 'string' ? employeeId : null, date: String(date) };
  const hours = typeof hoursToPay === 'number' ? hoursToPay : 0;
  const stored = { id, sequence, hoursToPay: hours, ...(epoch === undefined ? {} : { epoch: toIso(epoch) }) };
  return { owned, stored };
}
