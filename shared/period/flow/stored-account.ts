import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import {
  belongsTo,
  findSharing,
  type KnownCalendars,
  type PeriodOfCalendar,
} from '#shared/core/periods/learn-membership.ts';
import type { StatementMemory } from '#shared/core/periods/statement-memory.ts';
import {
  feedDefinition,
  readStoredPeriod,
  toState,
  WHOLE_LIST,
} from '#shared/core/records/feed-definition.ts';
import { isOfUsualLength, type PayPeriodHint, type PayPeriodState } from '#shared/core/records/pay-period.ts';
import { type Leaf, type LeafRow, type Tombstone, toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { readAccount, viewPeriod } from '#shared/period/flow/read-account.ts';
import type { PeriodAccount, PeriodMembers } from '#shared/period/period-account.ts';

/** A pay period as it is stored, with what was kept of its dates. */
export interface StoredAccount<Kept = DateRows> {
  readonly period: PayPeriodState;
  /** What it remembers of its statements; null before its first closing. */
  readonly memory: StatementMemory | null;
  /** All periods of the connection, as last seen. */
  readonly periods: readonly PayPeriodHint[];
  readonly account: PeriodAccount;
  /** Of each date, in their order. */
  readonly kept: readonly Kept[];
  /** Ids of timesheets of which it is not known to which period they belong. */
  readonly unsure: readonly string[];
  /** Null where all timesheets on its dates are its own: no other period shares them. */
  readonly members: PeriodMembers | null;
}

/** What is stored on a date of a pay period. */
export interface DateRows {
  readonly all: readonly LeafRow[];
  /** Its own timesheets among them, as far as calendars of employees are known. */
  readonly own: readonly LeafRow[];
  readonly tombstones: readonly Tombstone[];
}

/** What of the store pay periods are read from. */
type StatementStore = Pick<
  SnapshotStore,
  'loadFeedState' | 'loadHeads' | 'readLeaves' | 'loadMembership' | 'loadLedger' | 'readLog'
>;

/** Where a stored pay period is read. `hasTimeLeft`: whether there is time to read one more date. */
export interface StoredSource {
  readonly connection: string;
  readonly store: StatementStore;
  readonly hasTimeLeft?: () => boolean;
}

/** A pay period as it is stored, without its dates. */
export interface StoredPeriod extends Pick<StoredAccount, 'period' | 'memory' | 'periods'> {
  readonly id: string;
}

/** Null when the connection has no such pay period. Throws a `NotifierError` for one of more than 400 days. */
export async function readStoredPeriodOf(
  id: string,
  { connection, store }: StoredSource,
): Promise<StoredPeriod | null> {
  const feed: FeedKey = { connection, feed: 'pay-periods' };
  const row = await readRow(id, feed, store);
  const period = row === null ? null : readStoredPeriod(row.state);
  if (row === null || period === null) return null;
  const { startDate, finishDate } = period;
  if (!isOfUsualLength(period))
    throw new NotifierError(
      'period_too_long',
      `the period ${startDate} to ${finishDate} is longer than 400 days`,
    );
  const periods = (await store.loadFeedState(feed))?.state.payPeriods ?? [];
  return { id, period, periods, memory: row.statement ?? null };
}

/**
 * The account of a stored period, and what `keep` takes of each of its dates, since the rows of a large period do not
 * fit in memory at once. Null when there is no time.
 */
export async function readAccountOf<Kept>(
  { id, period, periods, memory }: StoredPeriod,
  { connection, store, hasTimeLeft = () => true }: StoredSource,
  keep: (rows: DateRows) => Kept,
): Promise<StoredAccount<Kept> | null> {
  const membership = await store.loadMembership(connection);
  const isShared = findSharing({ ...period, id }, periods).length > 0;
  const dates = new Map<string, SelectedDate<Kept>>();
  const source = {
    ...{ connection, store, hasTimeLeft },
    onLeaves: (date: string, of: readonly Leaf[]) => {
      const all = of.flatMap(({ rows }) => rows);
      const tombstones = of.flatMap((leaf) => leaf.tombstones);
      const { own, unsure } = isShared
        ? selectOwn(all, { ...period, id }, { periods, membership })
        : { own: all, unsure: [] };
      dates.set(date, { unsure, ids: own.map((row) => row.id), kept: keep({ all, own, tombstones }) });
    },
  };
  const account = await readAccount(await viewPeriod(period, source), source);
  if (account === null) return null;
  const selected = [...dates].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, date]) => date);
  const unsure = selected.flatMap((date) => date.unsure);
  const members = { timesheets: new Set(selected.flatMap(({ ids }) => ids)), unknown: new Set(unsure) };
  return {
    ...{ period, periods, memory, account, members: isShared ? members : null },
    kept: selected.map(({ kept }) => kept),
    unsure,
  };
}

/**
 * Null when the connection has no such pay period. Throws a `NotifierError` for one of more than 400 days, and where polls
 * committed during each of several counts.
 */
export async function readStoredAccount(
  id: string,
  connection: string,
  store: SnapshotStore,
): Promise<StoredAccount | null> {
  const source = { connection, store };
  const stored = await readStoredPeriodOf(id, source);
  if (stored === null) return null;
  const account = await readAccountOf(stored, source, (rows) => rows);
  if (account !== null) return account;
  throw new NotifierError('statement_moved', `polls changed ${id} while it was counted; run it again`);
}

/** Whether any timesheet is known to be the period's own; until then those of all calendars count. */
export function knowsMembers({ members }: Pick<StoredAccount, 'members'>): boolean {
  return members === null || members.timesheets.size > 0;
}

interface SelectedDate<Kept> {
  readonly ids: readonly string[];
  readonly unsure: readonly string[];
  readonly kept: Kept;
}

/** The timesheets of a period whose dates others share, as far as calendars of employees are known. */
function selectOwn(
  rows: readonly LeafRow[],
  period: PeriodOfCalendar,
  known: KnownCalendars,
): Pick<DateRows, 'own'> & Pick<StoredAccount, 'unsure'> {
  const definition = feedDefinition('timesheets');
  const own: LeafRow[] = [];
  const unsure: string[] = [];
  for (const row of rows) {
    const { employeeId, date } = toState(definition, row.state);
    const owner = typeof employeeId === 'string' ? employeeId : null;
    const isOwn = belongsTo({ id: row.id, employeeId: owner, date: String(date) }, period, known);
    if (isOwn === true) own.push(row);
    if (isOwn === null) unsure.push(row.id);
  }
  return { own, unsure };
}

/** Null when it is not stored. */
async function readRow(id: string, feed: FeedKey, store: StatementStore): Promise<LeafRow | null> {
  const head = (await store.loadHeads(feed, '')).find(({ slice }) => slice === WHOLE_LIST);
  if (head === undefined) return null;
  const leaves = await store.readLeaves(feed, [toLeafRef(head, id)]);
  return leaves.flatMap(({ rows }) => rows).find((each) => each.id === id) ?? null;
}
