import { applyLastScan, leavesMatchHeads } from '#shared/core/compare/differing-leaves.ts';
import { listDates } from '#shared/core/dates.ts';
import { CloseCount } from '#shared/core/events/close-count.ts';
import type { PeriodCount } from '#shared/core/events/statement/plan-statement.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { findSharing } from '#shared/core/plan/membership.ts';
import {
  dateHints,
  isOfUsualLength,
  type PayPeriodState,
  type SeenPayPeriod,
} from '#shared/core/records/pay-period.ts';
import { parseTotals } from '#shared/core/records/pay-period-totals.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { hasTimeLeft, type PollRun } from '../poll-run.ts';
import { findMembers } from './find-members.ts';
import { listLeafRefs } from './read-leaves.ts';

/** Times that a date is read while others commit to it; after that the event has no numbers. */
const MAX_READ_TRIES = 3;
/** Times that dates are counted which others commit to afterwards; after that they are reported as missing. */
const MAX_COUNT_ROUNDS = 10;

/**
 * Counts the timesheets of a pay period from the snapshot as it is now. Null when there is no time, or the period is of
 * no usual length. `seen`: the pay periods as the scan of this poll saw them, with their totals.
 */
export async function countPayPeriod(
  { id, period }: CountedPeriod,
  run: PollRun,
  seen: readonly SeenPayPeriod[] = [],
): Promise<PeriodCount | null> {
  if (!isOfUsualLength(period)) return null;
  const count = await countPeriod(period, run);
  if (count === null) return null;
  const { timeZone } = run.connection;
  const look = { scannedAt: run.startedAt, now: run.ports.clock.now(), timeZone };
  const dated = dateHints(seen, run.state, look);
  const known = new Map([...run.state.payPeriods, ...dated].map((hint) => [hint.id, hint]));
  const own = { ...period, id };
  const sharing = findSharing(own, [...known.values()]);
  const { totals = '', totalsSince = null } = dated.find((hint) => hint.id === id) ?? {};
  const source = parseTotals(totals);
  // With one calendar all timesheets on its dates are its own, and nothing is asked.
  const members =
    sharing.length === 0
      ? null
      : await findMembers({ period: own, sharing, count, source, totalsSince }, run);
  const manifest = count.manifest({ sharing: sharing.map((each) => each.id), source, members });
  return { manifest, members: count.members({ members }) };
}

/** Whether these timesheets are processed, as far as they are on the dates of a period. False when there is no time. */
export async function areProcessed(
  period: CountedPeriod['period'],
  timesheets: ReadonlySet<string>,
  run: PollRun,
): Promise<boolean> {
  const count = isOfUsualLength(period) ? await countPeriod(period, run) : null;
  const members = { timesheets, unknownEmployees: new Set<string>() };
  return count?.manifest({ sharing: [], source: null, members }).unprocessed === 0;
}

export interface CountedPeriod {
  readonly id: string;
  readonly period: Pick<PayPeriodState, 'calendar' | 'startDate' | 'finishDate'>;
}

/** Null when there is no time. */
export async function countPeriod(period: CountedPeriod['period'], run: PollRun): Promise<CloseCount | null> {
  const timesheets: FeedKey = { connection: run.feed.connection, feed: 'timesheets' };
  const state = (await run.ports.store.loadFeedState(timesheets))?.state ?? EMPTY_FEED_STATE;
  const count = new CloseCount();
  const heads = await loadHeadMap(period.startDate, timesheets, run);
  const counting: Counting = { count, heads, revisions: new Map(), state, timesheets, run };
  let dates = [...listDates({ from: period.startDate, to: period.finishDate })];
  for (let tries = 0; tries < MAX_COUNT_ROUNDS && dates.length > 0; tries += 1) {
    for (const date of dates) if (!(await countDate(date, counting))) return null;
    dates = await findChangedDates(counting);
  }
  for (const date of dates) count.miss(date);
  return count;
}

/**
 * Counted dates that others committed to since: a timesheet that moved from a date not yet read to one that was read
 * before is on neither. When there are none, all dates were as counted in the moment in which the last was read.
 */
async function findChangedDates({ heads, revisions, timesheets, run }: Counting): Promise<string[]> {
  const [first, ...others] = [...revisions.keys()].sort();
  // Nothing is lost between dates where there is only one: what was read of it stood there at one moment.
  if (first === undefined || others.length === 0) return [];
  for (const [slice, head] of await loadHeadMap(first, timesheets, run)) heads.set(slice, head);
  return [first, ...others].filter((date) => heads.get(date)?.revision !== revisions.get(date));
}

async function loadHeadMap(date: string, feed: FeedKey, run: PollRun): Promise<Map<string, SliceHead>> {
  const heads = await run.ports.store.loadHeads(feed, date);
  return new Map(heads.map((head) => [head.slice, head]));
}

interface Counting {
  readonly count: CloseCount;
  readonly heads: Map<string, SliceHead>;
  /** Of the head of each counted date, as counted. */
  readonly revisions: Map<string, number>;
  readonly state: FeedState;
  readonly timesheets: FeedKey;
  readonly run: PollRun;
}

/** Counts one date; false when there is no time, or others commit to it as often as it is read. */
async function countDate(date: string, counting: Counting): Promise<boolean> {
  const { heads, timesheets, run } = counting;
  for (let tries = 0; tries < MAX_READ_TRIES && hasTimeLeft(run); tries += 1) {
    if (await countFromLeaves(date, counting)) return true;
    for (const [slice, head] of await loadHeadMap(date, timesheets, run)) heads.set(slice, head);
  }
  return false;
}

/** Counts one date; false when another poll committed to it between the reads of its head and of its leaves. */
async function countFromLeaves(date: string, counting: Counting): Promise<boolean> {
  const { count, heads, revisions, state, timesheets, run } = counting;
  const head = heads.get(date);
  const observedAt = head === undefined ? null : applyLastScan(head, state.coverage[date]).observedAt;
  if (head === undefined || head.baselinedAt === null || observedAt === null) {
    count.miss(date);
    return true;
  }
  const leaves = await run.ports.store.readLeaves(timesheets, listLeafRefs(head));
  if (!leavesMatchHeads(leaves, heads)) return false;
  const rows = leaves.flatMap((leaf) => leaf.rows);
  // Rows without their facts (ADR 2) would count as not approved and not processed.
  if (rows.some(({ untold }) => untold === true)) {
    count.miss(date);
    return true;
  }
  count.add(date, rows, observedAt);
  revisions.set(date, head.revision);
  return true;
}
