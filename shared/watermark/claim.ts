import { CLOCK_TOLERANCE_MS } from '../core/clock-tolerance.ts';
import type { CommitFence } from '../core/commit/commit-plan.ts';
import { chooseBaselineMode } from '../core/commit/generation.ts';
import { isToRenew } from '../core/commit/renewal.ts';
import { toIso, toLocalDate } from '../core/dates.ts';
import type { FeedName } from '../core/feeds.ts';
import { classifyDate } from '../core/plan/agenda.ts';
import { CADENCE_MS, isHot } from '../core/plan/cadence.ts';
import { LAGGING_MS } from '../core/plan/lag.ts';
import { WHOLE_LIST } from '../core/records/feed-definition.ts';
import type { PayPeriodHint } from '../core/records/pay-period.ts';
import type { FeedState } from '../core/snapshot/feed-state.ts';
import type { SliceHead } from '../core/snapshot/snapshot.ts';
import type { Through } from '../core/snapshot/watermark-memory.ts';
import { type Exception, type ExceptionReason, MAX_EXCEPTED_RECORDS } from './contents.ts';

export interface WatermarkClaim {
  readonly through: Through;
  readonly except: readonly Exception[];
  readonly hot: readonly string[];
}

/** What is known of a feed at the end of a poll. */
export interface WatchedFeed {
  readonly feed: FeedName;
  readonly now: number;
  readonly timeZone: string;
  /** Every slice of the window. */
  readonly window: readonly string[];
  /** The state after the poll. */
  readonly state: FeedState;
  readonly heads: ReadonlyMap<string, SliceHead>;
  readonly payPeriods: readonly PayPeriodHint[];
  /** Of the watermark before; it never goes back. */
  readonly before: Through;
}

interface FeedToday extends WatchedFeed {
  readonly today: string;
}

/** Up to when what happened in a feed is published, and of what that is not said; null when that cannot be named. */
export function claimThrough(watched: WatchedFeed): WatermarkClaim | null {
  const { window, state, now, timeZone } = watched;
  const today = toLocalDate(now, timeZone);
  const hot = window.filter((slice) => isHotSlice(slice, today));
  const seen = { ...watched, today };
  const doubts = new Map(window.map((slice) => [slice, findDoubt(slice, hot.includes(slice), seen)]));
  const records = listExceptedRecords(watched);
  if (records.reduce((sum, each) => sum + (each.records?.length ?? 0), 0) > MAX_EXCEPTED_RECORDS) return null;
  const findThrough = (slices: readonly string[]) => {
    const looks = slices.filter((slice) => doubts.get(slice) === null).map((slice) => seenAt(slice, state));
    return looks.length === 0 ? null : Math.min(now, ...looks.map((at) => at ?? 0));
  };
  return {
    through: { hot: findThrough(hot), all: findThrough(window) },
    except: [...listExceptedDates(doubts, watched), ...records],
    hot,
  };
}

/** The list of pay periods counts as hot. */
function isHotSlice(slice: string, today: string): boolean {
  return slice === WHOLE_LIST || isHot(slice, today);
}

/** For the commits of a poll: a date may have been hot when a watermark was told, or be hot only now. */
export function findCommitFence(
  now: number,
  {
    startedAt,
    connection: { timeZone },
  }: { readonly startedAt: number; readonly connection: { readonly timeZone: string } },
): CommitFence {
  const days = [startedAt, now].map((at) => toLocalDate(at, timeZone));
  return {
    isHot: (slice) => days.some((today) => isHotSlice(slice, today)),
    ahead: now + CLOCK_TOLERANCE_MS,
  };
}

function seenAt(slice: string, { coverage }: FeedState): number | null {
  return coverage[slice]?.at ?? null;
}

/** Why nothing is said of a slice; null when it counts. */
function findDoubt(slice: string, isHotNow: boolean, watched: FeedToday): ExceptionReason | null {
  const { state, heads, before } = watched;
  const at = seenAt(slice, state);
  const head = heads.get(slice);
  if (state.failing[slice] !== undefined || state.formChanged?.slices.includes(slice) === true)
    return 'unreadable';
  if (state.shrunk[slice] !== undefined || state.massChange[slice] !== undefined) return 'held';
  if (at === null || head?.baselinedAt == null) return 'unread';
  if ((head.unlistedCount ?? 0) > 0) return 'unlisted';
  if (isUntold(at, head, state)) return 'untold';
  const isBehind = at < Math.max((isHotNow ? before.hot : null) ?? 0, before.all ?? 0);
  return isBehind || isLagging(slice, at, watched) ? 'lagging' : null;
}

/** Whether more is to be published of what was seen at that instant: time brought the date into the window, or a restore. */
function isUntold(at: number, head: SliceHead, { baseline, renewal }: FeedState): boolean {
  const { slice, baselinedAt } = head;
  if (at <= (baselinedAt ?? 0) && chooseBaselineMode(slice, baseline) === 'untold') return true;
  return renewal !== undefined && isToRenew(slice, renewal, head);
}

function isLagging(slice: string, at: number, watched: FeedToday): boolean {
  const { feed, heads, now } = watched;
  const dateClass = feed === 'timesheets' ? classifyDate(slice, watched, heads.get(slice)) : 'hot';
  return now - at > CADENCE_MS[dateClass].max + LAGGING_MS[dateClass];
}

/** Dates in a row that are excepted for one reason are one entry. */
function listExceptedDates(
  doubts: ReadonlyMap<string, ExceptionReason | null>,
  { state, feed }: WatchedFeed,
): Exception[] {
  const entries: { reason: ExceptionReason; slices: string[] }[] = [];
  let previous: ExceptionReason | null = null;
  for (const [slice, reason] of doubts) {
    if (reason !== null && reason === previous) entries.at(-1)?.slices.push(slice);
    else if (reason !== null) entries.push({ reason, slices: [slice] });
    previous = reason;
  }
  return entries.map(({ reason, slices }) => {
    const looks = slices.map((slice) => seenAt(slice, state));
    const seen = looks.some((at) => at === null) ? null : Math.min(...looks.map((at) => at ?? 0));
    const dates = feed === 'timesheets' ? { from: slices[0] ?? '', to: slices.at(-1) ?? '' } : {};
    return { reason, ...dates, seenAt: seen === null ? null : toIso(seen) };
  });
}

/** Records that the last look at their slice could not read, or whose closing is held. */
function listExceptedRecords({ window, state, payPeriods }: WatchedFeed): Exception[] {
  const unseen = window.flatMap((slice) => Object.keys(state.coverage[slice]?.unseen ?? {}));
  const ids = new Set([...unseen, ...Object.keys(state.awaited)]);
  const held = new Set(payPeriods.filter(({ heldClosing }) => heldClosing !== undefined).map(({ id }) => id));
  const findReason = (id: string): ExceptionReason => (held.has(id) ? 'held' : 'unreadable');
  const reasons = Map.groupBy([...ids].toSorted(), findReason);
  return [...reasons].map(([reason, records]) => ({ reason, records }));
}
