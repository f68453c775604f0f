import { readAccount, viewPeriod } from '#shared/account/flow/read-account.ts';
import type { PeriodAccount, PeriodMembers } from '#shared/account/period-account.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import {
  feedDefinition,
  readStoredPeriod,
  toState,
  WHOLE_LIST,
} from '#shared/core/records/feed-definition.ts';
import { isOfUsualLength, type PayPeriodHint, type PayPeriodState } from '#shared/core/records/pay-period.ts';
import { type Leaf, type LeafRow, toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import {
  belongsTo,
  findSharing,
  type KnownCalendars,
  type PeriodOfCalendar,
} from '#shared/membership/learn-membership.ts';
import { NO_MEMBERSHIP } from '#shared/membership/membership.ts';
import type { StatementMemory } from '#shared/statements/statement-memory.ts';

/** A pay period as it is stored, with everything on its dates. */
export interface StoredAccount {
  readonly period: PayPeriodState;
  /** What it remembers of its statements; null before its first closing. */
  readonly memory: StatementMemory | null;
  /** All periods of the connection, as last seen. */
  readonly periods: readonly PayPeriodHint[];
  readonly account: PeriodAccount;
  /** What is stored on its dates, in their order. */
  readonly leaves: readonly Leaf[];
  /** Its own timesheets among them. */
  readonly own: readonly LeafRow[];
  /** Ids of those of which it is not known to which period they belong. */
  readonly unsure: readonly string[];
  /** Null where all timesheets on its dates are its own: no other period shares them. */
  readonly members: PeriodMembers | null;
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
  const leavesOf = new Map<string, readonly Leaf[]>();
  const source = {
    ...{ connection, store, hasTimeLeft: () => true },
    onLeaves: (date: string, of: readonly Leaf[]) => void leavesOf.set(date, of),
  };
  const account = await readAccount(await viewPeriod(period, source), source);
  if (account === null)
    throw new NotifierError('statement_moved', `polls changed ${id} while it was counted; run it again`);
  const leaves = [...leavesOf].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, of]) => of);
  const periods = (await store.loadFeedState(feed))?.state.payPeriods ?? [];
  const membership = (await store.loadMembership?.(connection)) ?? NO_MEMBERSHIP;
  return {
    ...{ period, periods, account, leaves, memory: row.statement ?? null },
    ...selectOwn(leaves, { ...period, id }, { periods, membership }),
  };
}

/** Its own timesheets, as far as calendars of employees are known. */
function selectOwn(
  leaves: readonly Leaf[],
  period: PeriodOfCalendar,
  known: KnownCalendars,
): Pick<StoredAccount, 'own' | 'unsure' | 'members'> {
  const definition = feedDefinition('timesheets');
  const rows = leaves.flatMap((leaf) => leaf.rows);
  if (findSharing(period, known.periods).length === 0) return { own: rows, unsure: [], members: null };
  const own: LeafRow[] = [];
  const unsure: string[] = [];
  for (const row of rows) {
    const { employeeId, date } = toState(definition, row.state);
    const owner = typeof employeeId === 'string' ? employeeId : null;
    const isOwn = belongsTo({ id: row.id, employeeId: owner, date: String(date) }, period, known);
    if (isOwn === true) own.push(row);
    if (isOwn === null) unsure.push(row.id);
  }
  const members = { timesheets: new Set(own.map(({ id }) => id)), unknown: new Set(unsure) };
  return { own, unsure, members };
}

/** Null when it is not stored. */
async function readRow(id: string, feed: FeedKey, store: SnapshotStore): Promise<LeafRow | null> {
  const head = (await store.loadHeads(feed, '')).find(({ slice }) => slice === WHOLE_LIST);
  if (head === undefined) return null;
  const leaves = await store.readLeaves(feed, [toLeafRef(head, id)]);
  return leaves.flatMap(({ rows }) => rows).find((each) => each.id === id) ?? null;
}
