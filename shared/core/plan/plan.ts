import { addDays, type DateRange, listDates } from '../dates.ts';
import type { FeedName } from '../feeds.ts';
import { WHOLE_LIST } from '../records/feed-definition.ts';
import {
  countRecords,
  type Head,
  hashId,
  nameSlice,
  type PendingClosing,
  type SliceKey,
} from '../snapshot/head.ts';
import type { ConnectionState } from '../snapshot/state.ts';
import { CADENCE_MS, type Cadence, findCadence, isHotDate } from './cadence.ts';

/** Schedules are not punctual: what is due within this share of its cadence, or this time, is due now. */
const SLACK_SHARE = 0.25;
const MAX_SLACK_MS = 15_000;
/** Dates of one cadence come due over this share of it, so that they do not all come at once. */
const SPREAD_SHARE = 0.2;
/** A look that was doubtful is followed by another one so long after. */
const DOUBT_MS = 60_000;
/** A neighbour that is due within this share of its cadence shares the request. */
const EARLY_SHARE = 0.5;
/** Of a page, so that a list that grew a little still fits. */
const PAGE_SHARE = 0.9;
const MINUTE_MS = 60_000;
/** More than anything is ever late. */
const FIRST = 1e9;
/** What a date is expected to hold before it was read. */
const UNREAD_RECORDS = 100;

/** What decides which slices are read next. Instants in milliseconds since 1970. */
export interface PlanInput {
  readonly now: number;
  readonly today: string;
  readonly window: DateRange;
  readonly feeds: readonly FeedName[];
  readonly heads: ReadonlyMap<string, Head>;
  readonly state: Pick<ConnectionState, 'lookedAt' | 'failing'>;
  /** Closings whose dates are to be looked at. */
  readonly pending: readonly PendingClosing[];
  readonly openDates: readonly DateRange[];
  /** Slices that were not looked at since then are due. */
  readonly freshSince?: number;
}

/** When a slice is due. */
export interface PlannedSlice extends SliceKey {
  readonly cadence: Cadence;
  readonly dueAt: number;
  /** Time since it was due, in its cadences. */
  readonly lateness: number;
  /** It was never read whole. */
  readonly isNew: boolean;
  /** Its last look was not complete: it is asked for without neighbours. */
  readonly isFailing: boolean;
}

/** Every slice of the connection, with when it is due. */
export function planSlices(input: PlanInput): PlannedSlice[] {
  const keys = input.feeds.flatMap((feed): SliceKey[] =>
    feed === 'timesheets'
      ? listDates(input.window).map((slice) => ({ feed, slice }))
      : [{ feed, slice: WHOLE_LIST }],
  );
  return keys.map((key) => planSlice(key, input));
}

function planSlice(key: SliceKey, input: PlanInput): PlannedSlice {
  const { now, state } = input;
  const name = nameSlice(key);
  const head = input.heads.get(name);
  const cadence = findCadence(key, head, input);
  const cadenceMs = CADENCE_MS[cadence];
  const lookedAt = state.lookedAt[name];
  const failing = state.failing[name];
  // A slice that was never read and fails is owed since its wait is over.
  const unreadAt = failing?.nextAt ?? now - cadenceMs;
  const owedAt = lookedAt === undefined ? unreadAt : findDueAt(key, { lookedAt, cadenceMs, head }, input);
  const dueAt = Math.max(owedAt, failing?.nextAt ?? owedAt);
  return {
    ...key,
    cadence,
    dueAt,
    lateness: (now - dueAt) / cadenceMs,
    isNew: lookedAt === undefined,
    isFailing: failing !== undefined,
  };
}

interface LastLook {
  readonly lookedAt: number;
  readonly cadenceMs: number;
  readonly head: Head | undefined;
}

function findDueAt(key: SliceKey, { lookedAt, cadenceMs, head }: LastLook, input: PlanInput): number {
  const { today, freshSince = 0 } = input;
  if (isAwaited(key, lookedAt, input) || lookedAt < freshSince) return lookedAt;
  const doubtMs = head?.doubt == null ? cadenceMs : Math.min(cadenceMs, DOUBT_MS);
  const isSpread = key.feed === 'timesheets' && !isHotDate(key.slice, today);
  const spread = isSpread ? (hashId(key.slice) / 2 ** 32) * SPREAD_SHARE : 0;
  return lookedAt + doubtMs * (1 - spread) - Math.min(MAX_SLACK_MS, cadenceMs * SLACK_SHARE);
}

/** A closing waits for looks at its dates that began after it was seen, and for the list once they are there. */
function isAwaited(
  { feed, slice }: SliceKey,
  lookedAt: number,
  { pending, window, state }: PlanInput,
): boolean {
  if (feed === 'timesheets')
    return pending.some(
      ({ startDate, finishDate, by }) => startDate <= slice && slice <= finishDate && lookedAt < by,
    );
  if (feed !== 'pay-periods') return false;
  return pending.some(({ startDate, finishDate, by }) => {
    const looks = listDates(window)
      .filter((date) => startDate <= date && date <= finishDate)
      .map((date) => state.lookedAt[nameSlice({ feed: 'timesheets', slice: date })] ?? 0);
    return looks.every((at) => at >= by) && looks.some((at) => at > lookedAt);
  });
}

/** Slices that one request reads. */
export interface PlannedRequest {
  readonly feed: FeedName;
  /** Null for a list. */
  readonly range: DateRange | null;
}

/** What is read next: the most overdue slice, with the neighbours that fit on its page (rule 14). Null when none is due. */
export function chooseRequest(
  slices: readonly PlannedSlice[],
  input: PlanInput,
  pageSize: number,
): PlannedRequest | null {
  const due = slices.filter(({ dueAt }) => dueAt <= input.now);
  const [first] = due.toSorted((a, b) => rank(b, input) - rank(a, input));
  if (first === undefined) return null;
  if (first.feed !== 'timesheets') return { feed: first.feed, range: null };
  return {
    feed: 'timesheets',
    range: first.isFailing ? toRange(first) : widen(first, slices, input, pageSize),
  };
}

/**
 * A slice that was never read is as urgent as one that is a cadence late, and a hot one more so. Every other minute it goes
 * first: a source that is too slow for the rest must not keep it waiting for ever.
 */
function rank({ lateness, isNew, isFailing, slice, feed }: PlannedSlice, { now, today }: PlanInput): number {
  if (!isNew || isFailing) return lateness;
  const urgency = 1 + (feed !== 'timesheets' || isHotDate(slice, today) ? 1 : 0);
  return Math.floor(now / MINUTE_MS) % 2 === 0 ? urgency : urgency + FIRST;
}

function toRange({ slice }: SliceKey): DateRange {
  return { from: slice, to: slice };
}

/** Adds neighbours on both sides while their records fit on the page. */
function widen(
  first: PlannedSlice,
  slices: readonly PlannedSlice[],
  { heads, now }: PlanInput,
  pageSize: number,
): DateRange {
  const dates = new Map(slices.filter(({ feed }) => feed === 'timesheets').map((each) => [each.slice, each]));
  const expected = (each: PlannedSlice) => {
    const head = heads.get(nameSlice(each));
    return head === undefined || each.isNew ? UNREAD_RECORDS : countRecords(head);
  };
  let left = pageSize * PAGE_SHARE - expected(first);
  const take = (date: string): boolean => {
    const neighbour = dates.get(date);
    if (neighbour === undefined || neighbour.isFailing || left < expected(neighbour)) return false;
    if (neighbour.dueAt > now + CADENCE_MS[neighbour.cadence] * EARLY_SHARE) return false;
    left -= expected(neighbour);
    return true;
  };
  let { from, to } = toRange(first);
  while (take(addDays(to, 1))) to = addDays(to, 1);
  while (take(addDays(from, -1))) from = addDays(from, -1);
  return { from, to };
}

/**
 * So long after the start of a scheduled poll others follow by messages, for dates that are due more often: until the next
 * schedule. They cost requests to the source and next to no Lambda time.
 */
export const FOLLOW_UPS_FOR_MS = 50_000;

/** The earliest instant at which a slice is due, if that is before the next schedule; null otherwise. */
export function findFollowUp(slices: readonly PlannedSlice[], now: number, until: number): number | null {
  const soon = slices
    .filter(({ cadence, isFailing }) => cadence === 'busy' && !isFailing)
    .map(({ dueAt }) => Math.max(now, dueAt));
  const next = soon.length === 0 ? null : Math.min(...soon);
  return next !== null && next < until ? next : null;
}

/** Slices that are overdue by more than their cadence and some minutes: the feed is late. */
const LATE_MS = 5 * 60_000;

export function findOverdue(slices: readonly PlannedSlice[], now: number): PlannedSlice[] {
  return slices.filter(
    ({ dueAt, cadence, isNew, isFailing }) =>
      !isNew && !isFailing && now - dueAt > CADENCE_MS[cadence] + LATE_MS,
  );
}
