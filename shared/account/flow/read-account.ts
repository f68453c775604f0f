import { leavesMatchHeads } from '#shared/core/compare/differing-leaves.ts';
import { listDates } from '#shared/core/dates.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { Leaf, SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { listLeafRefs } from '#shared/flow/poll/compare/read-leaves.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { type AccountedPeriod, PeriodAccount } from '../period-account.ts';
import { type SliceView, viewSlice } from '../slice-view.ts';

/** Times that a date is read while others commit to it. */
const MAX_READ_TRIES = 3;
/** Times that dates are counted which others commit to afterwards; after that they are in doubt. */
const MAX_COUNT_ROUNDS = 10;

/** Where an account is read. */
export interface AccountSource {
  readonly connection: string;
  readonly store: Pick<SnapshotStore, 'loadFeedState' | 'loadHeads' | 'readLeaves'>;
  /** Whether there is time to read one more date. */
  readonly hasTimeLeft: () => boolean;
  /** Takes the leaves of each counted date, the latest ones last. */
  readonly onLeaves?: (date: string, leaves: readonly Leaf[]) => void;
}

/** What is known of the dates of a period before their timesheets are read. */
export interface PeriodView {
  readonly period: AccountedPeriod;
  readonly dates: readonly SliceView[];
  readonly heads: Map<string, SliceHead>;
  readonly state: FeedState;
}

/** The view of a period of usual length: one read of the feed's state, and one of heads. */
export async function viewPeriod(
  period: AccountedPeriod,
  { connection, store }: Pick<AccountSource, 'connection' | 'store'>,
): Promise<PeriodView> {
  const feed = timesheetsOf(connection);
  // The state first: a look that it knows of is in the heads.
  const state = (await store.loadFeedState(feed))?.state ?? EMPTY_FEED_STATE;
  const heads = new Map(
    (await store.loadHeads(feed, period.startDate)).map((head) => [head.slice, head] as const),
  );
  const dates = listDates({ from: period.startDate, to: period.finishDate });
  return { period, heads, state, dates: dates.map((date) => viewSlice(date, heads.get(date), state)) };
}

/** The account of a period as it is stored at one moment. Null when there is no time. */
export async function readAccount(view: PeriodView, source: AccountSource): Promise<PeriodAccount | null> {
  const reading: Reading = { account: new PeriodAccount(), view, revisions: new Map(), source };
  let dates: readonly string[] = view.dates.map(({ slice }) => slice);
  for (let tries = 0; tries < MAX_COUNT_ROUNDS && dates.length > 0; tries += 1) {
    for (const date of dates) if (!(await readDate(date, reading))) return null;
    dates = await findChangedDates(reading);
  }
  for (const date of dates) {
    const known = viewSlice(date, view.heads.get(date), view.state);
    reading.account.add({ ...known, doubts: [...known.doubts, { kind: 'moving' }] });
  }
  return reading.account;
}

interface Reading {
  readonly account: PeriodAccount;
  readonly view: PeriodView;
  /** Of the head of each counted date, as counted. */
  readonly revisions: Map<string, number>;
  readonly source: AccountSource;
}

/**
 * Counted dates that others committed to since: a timesheet that moved from a date not yet read to one that was read
 * before is on neither. When there are none, all dates were as counted in the moment in which the last was read.
 */
async function findChangedDates({ view, revisions, source }: Reading): Promise<string[]> {
  const [first, ...others] = [...revisions.keys()].sort();
  // Nothing is lost between dates where there is only one: what was read of it stood there at one moment.
  if (first === undefined || others.length === 0) return [];
  await reloadHeads(first, view, source);
  return [first, ...others].filter((date) => view.heads.get(date)?.revision !== revisions.get(date));
}

/** A date that the view has as not read stays so: whether the account may be told was judged without its look. */
async function reloadHeads(
  from: string,
  { heads, dates }: PeriodView,
  { connection, store }: AccountSource,
): Promise<void> {
  const unread = new Set(dates.filter(({ lookedAt }) => lookedAt === null).map(({ slice }) => slice));
  for (const head of await store.loadHeads(timesheetsOf(connection), from))
    if (!unread.has(head.slice)) heads.set(head.slice, head);
}

/** Reads one date; false when there is no time, or others commit to it as often as it is read. */
async function readDate(date: string, reading: Reading): Promise<boolean> {
  const { view, source } = reading;
  for (let tries = 0; tries < MAX_READ_TRIES && source.hasTimeLeft(); tries += 1) {
    if (await readLeavesOf(date, reading)) return true;
    await reloadHeads(date, view, source);
  }
  return false;
}

/** Reads one date; false when another poll committed to it between the reads of its head and of its leaves. */
async function readLeavesOf(date: string, { account, view, revisions, source }: Reading): Promise<boolean> {
  const { heads, state } = view;
  const head = heads.get(date);
  const known = viewSlice(date, head, state);
  if (head === undefined || known.lookedAt === null) {
    account.add(known);
    return true;
  }
  const leaves = await source.store.readLeaves(timesheetsOf(source.connection), listLeafRefs(head));
  if (!leavesMatchHeads(leaves, heads)) return false;
  const rows = leaves.flatMap((leaf) => leaf.rows);
  account.add(known, rows);
  source.onLeaves?.(date, leaves);
  revisions.set(date, head.revision);
  return true;
}

function timesheetsOf(connection: string): FeedKey {
  return { connection, feed: 'timesheets' };
}
