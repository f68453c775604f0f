import { listDates } from '#shared/core/dates.ts';
import type { PeriodCount } from '#shared/core/events/plan-statement.ts';
import { findSharing } from '#shared/core/periods/learn-membership.ts';
import {
  isOfUsualLength,
  type KnownPeriod,
  type PayPeriodState,
  type PayPeriodTotals,
} from '#shared/core/records/pay-period.ts';
import { countRecords, type Head, nameSlice } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { keepLease } from '#shared/flow/poll/lease.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { PollRun } from '#shared/flow/poll/run.ts';
import { toManifest } from '../manifest.ts';
import {
  type AccountedPeriod,
  findLookedAtBefore,
  type LookMemory,
  PeriodAccount,
  type SliceView,
  toOwnedMember,
  viewSlice,
} from '../period-account.ts';
import { findMembers } from './find-members.ts';

/** What accounts are made of: heads, what is known of looks, and the rows behind a head. */
export interface AccountSource {
  /** By the names of their slices. */
  readonly heads: ReadonlyMap<string, Head>;
  readonly state: LookMemory;
  readonly readRows: (head: Head) => Promise<readonly StoredRow[]>;
  /** Whether there is time to read one more date. */
  readonly hasTimeLeft: () => boolean;
}

/** Takes the rows of each date that was read. */
export type TakeRows = (date: string, rows: readonly StoredRow[]) => void;

/** Reads the account of a period; null when there is no time. */
export type ReadAccount = (period: AccountedPeriod, take?: TakeRows) => Promise<PeriodAccount | null>;

/** The dates of a period of usual length, without their rows. */
export function viewPeriod(
  period: AccountedPeriod,
  { heads, state }: Pick<AccountSource, 'heads' | 'state'>,
): readonly SliceView[] {
  const dates = listDates({ from: period.startDate, to: period.finishDate });
  return dates.map((slice) => viewSlice(slice, heads.get(nameSlice({ feed: 'timesheets', slice })), state));
}

/** Adds dates to an account; false when there is no time for all of them. */
export async function readDates(
  account: PeriodAccount,
  views: readonly SliceView[],
  source: AccountSource,
  take: TakeRows = () => {},
): Promise<boolean> {
  for (const view of views) {
    const head = source.heads.get(nameSlice({ feed: 'timesheets', slice: view.slice }));
    const isRead = head !== undefined && view.lookedAt !== null && countRecords(head) > 0;
    if (isRead && !source.hasTimeLeft()) return false;
    const rows = isRead ? await source.readRows(head) : [];
    account.add(view, rows);
    take(view.slice, rows);
  }
  return true;
}

/** Buckets that are read at once. */
const BUCKETS_AT_ONCE = 100;

/** All rows of a slice. */
export async function readRowsOfHead(
  { feed, slice, buckets }: Head,
  { connection, store }: { readonly connection: string; readonly store: Pick<Store, 'readBuckets'> },
): Promise<readonly StoredRow[]> {
  const filled = buckets.filter(({ count }) => count > 0);
  const rows: StoredRow[] = [];
  for (let start = 0; start < filled.length; start += BUCKETS_AT_ONCE) {
    const keys = filled.slice(start, start + BUCKETS_AT_ONCE).map(({ from }) => ({ feed, slice, from }));
    rows.push(...(await store.readBuckets(connection, keys)).flat());
  }
  return rows;
}

/** What a poll holds under its lease: nothing of it moves while it is counted. */
export function toAccountSource(run: PollRun): AccountSource {
  const from = { connection: run.lease.connection, store: run.ports.store };
  return {
    heads: run.memory.heads,
    state: run.memory.state,
    hasTimeLeft: () => run.ports.clock.now() < run.fetchUntil,
    readRows: async (head) => {
      await keepLease(run);
      return await readRowsOfHead(head, from);
    },
  };
}

/** The account of a period as this poll knows it. */
export function accountReader(run: PollRun): ReadAccount {
  return async (period, take) => {
    const source = toAccountSource(run);
    const account = new PeriodAccount();
    return (await readDates(account, viewPeriod(period, source), source, take)) ? account : null;
  };
}

/** A pay period to count. */
export interface PeriodToCount {
  readonly id: string;
  readonly period: PayPeriodState;
  /** What the source says it comes to; null when it does not. */
  readonly source: PayPeriodTotals | null;
  /** When its closing was first seen; null when no look has to be later. */
  readonly closedAt: number | null;
  /** Where the numbers differ, employees are asked about again whose answer is older. Default: `closedAt`. */
  readonly askedSince?: number;
}

/** What a pay period comes to, with the account that it was counted from. */
export interface CountedPeriod extends PeriodCount {
  readonly account: PeriodAccount;
}

/** Counts a pay period. `periods`: all of the connection. Null when there is no time, or it is of no usual length. */
export async function countPeriod(
  { id, period, source, closedAt, askedSince }: PeriodToCount,
  periods: readonly KnownPeriod[],
  run: PollRun,
): Promise<CountedPeriod | null> {
  const account = isOfUsualLength(period) ? await accountReader(run)(period) : null;
  if (account === null) return null;
  const own = { ...period, id };
  const sharing = findSharing(own, periods);
  // With one calendar all timesheets on its dates are its own, and nothing is asked.
  const members =
    sharing.length === 0
      ? null
      : await findMembers({ period: own, sharing, account, source, since: askedSince ?? closedAt }, run);
  const manifest = toManifest(account, {
    ...{ source, members },
    lookedAtBefore: findLookedAtBefore(account.views, { seenAt: closedAt, window: run.window }),
    sharing: sharing.map((each) => each.id),
  });
  return { account, manifest, members: account.select(members).counted.map(toOwnedMember) };
}
