import { hash } from 'node:crypto';
import * as z from 'zod';
import { CLOCK_TOLERANCE_MS } from '../core/clock-tolerance.ts';
import type { CommitFence } from '../core/commit/commit-plan.ts';
import { chooseBaselineMode } from '../core/commit/generation.ts';
import { isToRenew } from '../core/commit/renewal.ts';
import { toIso, toLocalDate } from '../core/dates.ts';
import {
  type CountedEvent,
  type EventsSince,
  type Exception,
  type ExceptionReason,
  MAX_EXCEPTED_RECORDS,
  tallyEvents,
} from '../core/definitions/watermark-contents.ts';
import { EVENT_TYPES, type EventType, isSnapshotType, topicOf } from '../core/event-types.ts';
import type { FeedName } from '../core/feeds.ts';
import { parseJsonOrNull } from '../core/parse-json.ts';
import { classifyDate, isHot } from '../core/plan/agenda.ts';
import { CADENCE_MS } from '../core/plan/cadence.ts';
import { LAGGING_MS } from '../core/plan/lag.ts';
import { WHOLE_LIST } from '../core/records/feed-definition.ts';
import type { Json } from '../core/records/fields.ts';
import type { Operation } from '../core/records/operation.ts';
import type { PayPeriodHint } from '../core/records/pay-period.ts';
import type { FeedState } from '../core/snapshot/feed-state.ts';
import type { SliceHead } from '../core/snapshot/snapshot.ts';
import type { PublishedWatermark, Through, WatermarkMemory } from '../core/snapshot/watermark-memory.ts';

/** What waits for silence to be proved waits this long; each costs an event, a write and a reading of the log. */
export const WATERMARK_MINUTES = 5;
/** Polls are not punctual to the second. */
const SLACK_MS = 15_000;
/** A watermark that follows none within this time begins anew: so much of the log is read at most. */
const MAX_GAP_MS = 86_400_000;
/** Longer than any poll lives, so that a batch that sorts before the last reading of the log is found by the next one. */
const OVERLAP_MS = 16 * 60_000;
/** Batches may be dated so far ahead: each later than those that waited when it was committed, and clocks differ. */
const AHEAD_MS = 60_000;
/** Batches within the overlap; with more of them no watermark is published until there are fewer. */
const MAX_COUNTED_BATCHES = 5_000;
const HASH_LENGTH = 8;

/** Whether a watermark is due; for one from a clock ahead of now it waits. */
export function isWatermarkDue(
  last: PublishedWatermark | null,
  { now, tableId }: { readonly now: number; readonly tableId: string | null },
): boolean {
  return last === null || last.tableId !== tableId || now - last.at >= WATERMARK_MINUTES * 60_000 - SLACK_MS;
}

/** The watermark that the next one follows; null when it begins anew. */
export function findPredecessor(
  last: PublishedWatermark | null,
  { now, tableId }: { readonly now: number; readonly tableId: string | null },
): PublishedWatermark | null {
  return last !== null && last.tableId === tableId && now - last.readAt <= MAX_GAP_MS ? last : null;
}

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

/** For the commits of a poll: a date may have been hot when a watermark was published, or be hot only now. */
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
  if (isUnpublished(at, head, state)) return 'untold';
  const isBehind = at < Math.max((isHotNow ? before.hot : null) ?? 0, before.all ?? 0);
  return isBehind || isLagging(slice, at, watched) ? 'lagging' : null;
}

/** Whether more is to be published of what was seen at that instant: time brought the date into the window, or a restore. */
function isUnpublished(at: number, head: SliceHead, { baseline, renewal }: FeedState): boolean {
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
  const ids = new Set([...unseen, ...Object.keys(state.unreadable)]);
  const held = new Set(payPeriods.filter(({ heldClosing }) => heldClosing !== undefined).map(({ id }) => id));
  const findReason = (id: string): ExceptionReason => (held.has(id) ? 'held' : 'unreadable');
  const reasons = Map.groupBy([...ids].toSorted(), findReason);
  return [...reasons].map(([reason, records]) => ({ reason, records }));
}

/** The fence in front of a claim: it goes back only when a clock put it ahead of now. */
export function raiseFence(
  fence: WatermarkMemory['fence'] | undefined,
  { through }: Pick<WatermarkClaim, 'through'>,
  now: number,
): WatermarkMemory['fence'] {
  const raise = (name: 'hot' | 'all') => {
    const before = fence?.[name] ?? 0;
    return Math.max(before > now + AHEAD_MS ? 0 : before, through[name] ?? 0);
  };
  return { hot: raise('hot'), all: raise('all') };
}

/** Whether everything that is committed is published, as far as outboxes say. */
export function isNothingWaiting(
  heads: Iterable<Pick<SliceHead, 'outbox'>>,
  ofState: readonly string[] = [],
): boolean {
  return ofState.length === 0 && [...heads].every(({ outbox }) => outbox.length === 0);
}

/** What of the log a watermark reads. */
export function findReading(
  previous: PublishedWatermark | null,
  now: number,
): { readonly from: number; readonly to: number } {
  return { from: (previous?.readAt ?? now) - OVERLAP_MS, to: now + AHEAD_MS };
}

const eventSchema = z.object({
  id: z.string(),
  type: z.custom<EventType>((type) => EVENT_TYPES.includes(type as EventType)),
  epoch: z.string().optional(),
  sequence: z.int(),
});

/** Counts the batches of the log, each once in a row of watermarks. */
export class CommittedBatches {
  readonly #before: ReadonlySet<string>;
  readonly #counts: boolean;
  readonly #now: number;
  readonly #hashes: string[] = [];
  readonly #events: CountedEvent[] = [];

  /** `previous`: null counts nothing, and remembers what was there. */
  constructor(previous: PublishedWatermark | null, now: number) {
    this.#before = new Set(previous?.counted);
    this.#counts = previous !== null;
    this.#now = now;
  }

  add({
    pointer,
    committedAt,
    texts,
  }: {
    readonly pointer: string;
    readonly committedAt: number;
    readonly texts: readonly string[];
  }): void {
    const batch = hash('sha256', pointer, 'base64url').slice(0, HASH_LENGTH);
    if (committedAt >= this.#now - OVERLAP_MS) this.#hashes.push(batch);
    if (this.#counts && !this.#before.has(batch)) this.#events.push(...texts.flatMap(readCountedEvent));
  }

  /** Null when there are too many to remember. */
  get hashes(): string[] | null {
    return this.#hashes.length > MAX_COUNTED_BATCHES ? null : this.#hashes;
  }

  get events(): EventsSince | null {
    return this.#counts ? tallyEvents(this.#events) : null;
  }
}

/** Changes of records; operations have a sequence without gaps, and snapshots repeat a state. */
function readCountedEvent(text: string): CountedEvent[] {
  const { data: event } = eventSchema.safeParse(parseJsonOrNull(text));
  if (event === undefined || isSnapshotType(event.type) || topicOf(event.type) === 'operations') return [];
  return [event];
}

/** The operation that publishes a watermark. */
export function describeWatermark(
  { through, except, hot }: WatermarkClaim,
  {
    previous,
    events,
    window,
  }: {
    readonly previous: PublishedWatermark | null;
    readonly events: EventsSince | null;
    /** Null for a feed without dates. */
    readonly window: readonly string[] | null;
  },
): Operation {
  const describe = (dates: readonly string[], at: number | null) => ({
    from: dates[0] ?? '',
    to: dates.at(-1) ?? '',
    at: at === null ? null : toIso(at),
  });
  const data = {
    since: previous === null ? null : { id: previous.id, at: toIso(previous.at) },
    through:
      window === null
        ? { payPeriods: { at: through.all === null ? null : toIso(through.all) } }
        : { hotDates: describe(hot, through.hot), window: describe(window, through.all) },
    except,
    events,
  };
  return { type: 'feed.complete', subject: null, data: data as unknown as Readonly<Record<string, Json>> };
}
