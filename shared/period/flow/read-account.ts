import type { RemovalCheck } from '#shared/core/compare/change.ts';
import { computeWindow, listDates } from '#shared/core/dates.ts';
import type { PeriodCount } from '#shared/core/events/plan-statement.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { findSharing } from '#shared/core/periods/learn-membership.ts';
import { readStoredPeriod, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { Json } from '#shared/core/records/fields.ts';
import { isSameValue } from '#shared/core/records/notation.ts';
import {
  dateHints,
  isOfUsualLength,
  type PayPeriodHint,
  parseTotals,
  readPayPeriodHint,
  type SeenPayPeriod,
} from '#shared/core/records/pay-period.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { Leaf, SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { leavesMatchHeads } from '#shared/core/snapshot/snapshot.ts';
import { listLeafRefs } from '#shared/flow/poll/compare/read-leaves.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { findMembers } from '#shared/period/flow/find-members.ts';
import { toManifest } from '#shared/period/manifest.ts';
import {
  type AccountedPeriod,
  findLookedAtBefore,
  PeriodAccount,
  type SliceView,
  toOwnedMember,
  viewSlice,
} from '../period-account.ts';
import type { ClosingMoment } from '../standing.ts';

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

/** A date that the view has as not read stays so: whether the account may be used was judged without its look. */
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

/** A pay period to count. */
interface PeriodToCount {
  readonly id: string;
  readonly period: AccountedPeriod;
}

/** What a pay period comes to, with the account that it was counted from. */
export interface CountedPeriod extends PeriodCount {
  readonly account: PeriodAccount;
}

/** Pay periods as this poll knows them, as stored and as its scan saw them, and what they come to. */
export class PollPeriods {
  readonly all: readonly PayPeriodHint[];
  /** As the scan of this poll saw them. */
  readonly #seen: ReadonlyMap<string, PayPeriodHint>;
  readonly #views = new Map<string, Promise<PeriodView>>();
  readonly #source: AccountSource;
  readonly #run: PollRun;

  constructor(seen: readonly SeenPayPeriod[], run: PollRun) {
    const { state, startedAt, ports, connection } = run;
    const look = { scannedAt: startedAt, now: ports.clock.now(), timeZone: connection.timeZone };
    const dated = dateHints(seen, state, look);
    const shown = new Set(seen.filter(({ look: each }) => each !== undefined).map(({ id }) => id));
    this.#seen = new Map(dated.filter(({ id }) => shown.has(id)).map((hint) => [hint.id, hint]));
    this.all = [...new Map([...state.payPeriods, ...dated].map((hint) => [hint.id, hint])).values()];
    this.#source = toAccountSource(run);
    this.#run = run;
  }

  /** When its closing was first seen; null where no look before showed it open. */
  closedAt(id: string): number | null {
    const between = this.#seen.get(id)?.closedBetween;
    return between?.after == null ? null : between.by;
  }

  /**
   * When a period was last seen as it is stored, if the look before this one showed another stamp of its closing that
   * was not published. Of the same closing it is known when it was first seen, and a list may have left out a period without
   * any.
   */
  heldSince(id: string, closedBefore: Json): number | undefined {
    const { state, connection } = this.#run;
    const before = state.payPeriods.find((hint) => hint.id === id && hint.closed);
    if (before === undefined || before.closedBetween?.by === this.closedAt(id)) return undefined;
    const isPublished = isSameValue(before.closedStamp ?? null, closedBefore, connection.timeZone);
    return isPublished ? undefined : (state.coverage[WHOLE_LIST]?.unseen?.[id] ?? undefined);
  }

  /** What is known of its dates, and the moment for which `judgeClosing` decides whether a closing seen then may be published. */
  async viewClosing(
    each: PeriodToCount,
    seenAt: number | null,
  ): Promise<{ readonly dates: readonly SliceView[]; readonly moment: ClosingMoment }> {
    const { dates } = await this.#view(each);
    return { dates, moment: this.#closingMoment(seenAt) };
  }

  /**
   * Counts a pay period from its view. `closedAt`: when its closing was first seen; null when no look has to be later.
   * Null when there is no time, or the period is of no usual length.
   */
  async count({
    id,
    period,
    closedAt = null,
  }: PeriodToCount & { readonly closedAt?: number | null }): Promise<CountedPeriod | null> {
    if (!isOfUsualLength(period)) return null;
    const account = await readAccount(await this.#view({ id, period }), this.#source);
    if (account === null) return null;
    const own = { ...period, id };
    const sharing = findSharing(own, this.all);
    const { totals = '', totalsSince = null } = this.#seen.get(id) ?? {};
    const source = parseTotals(totals);
    // With one calendar all timesheets on its dates are its own, and nothing is asked.
    const members =
      sharing.length === 0
        ? null
        : await findMembers({ period: own, sharing, account, source, totalsSince }, this.#run);
    const lookedAtBefore = findLookedAtBefore(account.views, this.#closingMoment(closedAt));
    const manifest = toManifest(account, {
      ...{ source, members, lookedAtBefore },
      sharing: sharing.map((each) => each.id),
    });
    return { account, manifest, members: account.select(members).counted.map(toOwnedMember) };
  }

  /** Whether these timesheets are processed, as far as they are on the dates of a period. False when there is no time. */
  async areProcessed(period: AccountedPeriod, timesheets: ReadonlySet<string>): Promise<boolean> {
    const account = isOfUsualLength(period) ? await readPollAccount(period, this.#run) : null;
    const members = { timesheets, unknown: new Set<string>() };
    return account?.select(members).counted.every(({ processed }) => processed) === true;
  }

  /** Read once: it is counted from the view by which it was judged. */
  async #view({ id, period }: PeriodToCount): Promise<PeriodView> {
    const view = this.#views.get(id) ?? viewPeriod(period, this.#source);
    this.#views.set(id, view);
    return await view;
  }

  #closingMoment(seenAt: number | null): ClosingMoment {
    const { timeZone, window } = this.#run.connection;
    const now = this.#run.ports.clock.now();
    return { seenAt, now, window: computeWindow(now, timeZone, window) };
  }
}

/**
 * The pay periods of a list, and those that it left out and that were found by id: these come without totals. Null for
 * another feed.
 */
export function seePeriods(
  listed: readonly SeenPayPeriod[],
  answers: ReadonlyMap<string, RemovalCheck>,
  run: PollRun,
): PollPeriods | null {
  if (run.feed.feed !== 'pay-periods') return null;
  const found = [...answers.values()].flatMap((answer) => {
    if (answer.outcome !== 'found' || answer.record.slice !== WHOLE_LIST) return [];
    const { id, row, requestedAt, receivedAt } = answer.record;
    const period = readStoredPeriod(row);
    const look = { requestedAt, receivedAt };
    return period === null ? [] : [{ ...readPayPeriodHint(id, period, null), look }];
  });
  return new PollPeriods([...listed, ...found], run);
}

/** The account of a period, also of its first dates alone. Null when there is no time. */
export async function readPollAccount(period: AccountedPeriod, run: PollRun): Promise<PeriodAccount | null> {
  const source = toAccountSource(run);
  return await readAccount(await viewPeriod(period, source), source);
}

/** Where a poll reads accounts. */
function toAccountSource(run: PollRun): AccountSource {
  const { feed, ports } = run;
  return { connection: feed.connection, store: ports.store, hasTimeLeft: run.hasTimeLeft };
}
