import { toIso } from '../dates.ts';
import type { FeedName } from '../feeds.ts';
import type { Json } from '../records/fields.ts';
import type { Operation } from '../records/operation.ts';
import { type Head, isToRenew, nameSlice } from '../snapshot/head.ts';
import type { ConnectionState, WatermarkState } from '../snapshot/state.ts';
import { addIds, type Exception, type ExceptionReason, NO_EVENTS } from './watermark-contents.ts';

/** Who waits for silence to be proved waits this long; each watermark is an event and a write. */
export const WATERMARK_MINUTES = 5;
/** Polls are not punctual to the second. */
const SLACK_MS = 15_000;
/** Records of a slice that are named one by one; with more of them the slice itself is excepted. */
const MAX_EXCEPTED_RECORDS = 20;

/** With the events of a commit: changes of records, not operations or snapshots. */
export function addToWatermark(state: WatermarkState, eventIds: readonly string[]): WatermarkState {
  return { ...state, count: state.count + eventIds.length, digest: addIds(state.digest, eventIds) };
}

/** What is counted from the start, and behind the watermark that has this id. */
export function beginWatermark(id: string | null, at: number): WatermarkState {
  return { id, at, count: 0, digest: NO_EVENTS };
}

/** What is known of a feed at the end of a poll. */
export interface WatchedFeed {
  readonly feed: FeedName;
  /** The time that the event will have. */
  readonly now: number;
  /** Every slice that is watched, in order, and those of them that are hot. */
  readonly window: readonly string[];
  readonly hot: readonly string[];
  /** Slices that are looked at later than their cadence says, by the bound of a trouble. */
  readonly overdue: ReadonlySet<string>;
  /** By `nameSlice`. */
  readonly heads: ReadonlyMap<string, Head>;
  readonly state: Pick<ConnectionState, 'lookedAt' | 'failing' | 'baselined' | 'restoredAt'>;
  /** Null before the first watermark. */
  readonly last: WatermarkState | null;
}

/**
 * The watermark of a feed, of which everything that is committed is published (rule 19); null while none is due. Once it
 * is committed, `beginWatermark` counts what comes behind it.
 */
export function planWatermark(watched: WatchedFeed): Operation | null {
  const { feed, now, window, hot, last } = watched;
  const since = last?.id == null ? null : { id: last.id, at: toIso(last.at) };
  if (since !== null && last !== null && now - last.at < WATERMARK_MINUTES * 60_000 - SLACK_MS) return null;
  const reasons = new Map(window.map((slice) => [slice, findReason(slice, watched)]));
  const findThrough = (slices: readonly string[]) => {
    const looks = slices
      .filter((slice) => reasons.get(slice) === null)
      .map((slice) => seenAt(slice, watched));
    return looks.length === 0 ? null : toIso(Math.min(now, ...looks.map((at) => at ?? 0)));
  };
  const hotDates = { from: hot[0] ?? '', to: hot.at(-1) ?? '', through: findThrough(hot) };
  const data = {
    since,
    through: findThrough(window),
    ...(feed === 'timesheets' && hot.length > 0 ? { hotDates } : {}),
    except: [...exceptSlices(reasons, watched), ...window.flatMap((slice) => exceptRecords(slice, watched))],
    events: since === null || last === null ? null : { count: last.count, digest: last.digest },
  };
  return { type: 'feed.complete', subject: null, data: data as unknown as Readonly<Record<string, Json>> };
}

function headOf(slice: string, { feed, heads }: WatchedFeed): Head | undefined {
  return heads.get(nameSlice({ feed, slice }));
}

/** Start of the last look that everything was told of: what is new waits until the whole feed is read (rule 5). */
function seenAt(slice: string, watched: WatchedFeed): number | null {
  const { feed, state } = watched;
  const lookedAt = state.lookedAt[nameSlice({ feed, slice })] ?? null;
  const isWaiting = lookedAt !== null && lookedAt < (state.baselined[feed] ?? Number.POSITIVE_INFINITY);
  return isWaiting ? (headOf(slice, watched)?.baselinedAt ?? null) : lookedAt;
}

/** Why nothing is said of a slice; null when it counts. */
function findReason(slice: string, watched: WatchedFeed): ExceptionReason | null {
  const { feed, state, overdue } = watched;
  const head = headOf(slice, watched);
  const bad = head?.bad ?? { count: 0, ids: [] };
  const isMostlyBad = bad.count > Math.min(bad.ids.length, MAX_EXCEPTED_RECORDS);
  if (state.failing[nameSlice({ feed, slice })] !== undefined || isMostlyBad) return 'unreadable';
  if (head?.doubt != null) return 'doubtful';
  if (head?.baselinedAt == null || seenAt(slice, watched) === null) return 'unread';
  // Of a restored table the rows of each slice are sent again first.
  if (isToRenew(head, state.restoredAt)) return 'unread';
  if ((head.unlisted?.ids.length ?? 0) > MAX_EXCEPTED_RECORDS) return 'unlisted';
  return overdue.has(slice) ? 'overdue' : null;
}

/** Slices in a row that are excepted for one reason are one entry. */
function exceptSlices(
  reasons: ReadonlyMap<string, ExceptionReason | null>,
  watched: WatchedFeed,
): Exception[] {
  const runs: { reason: ExceptionReason; slices: string[] }[] = [];
  let previous: ExceptionReason | null = null;
  for (const [slice, reason] of reasons) {
    if (reason !== null && reason === previous) runs.at(-1)?.slices.push(slice);
    else if (reason !== null) runs.push({ reason, slices: [slice] });
    previous = reason;
  }
  return runs.map(({ reason, slices }) => {
    const looks = slices.map((slice) => seenAt(slice, watched));
    const seen = looks.some((at) => at === null) ? null : Math.min(...looks.map((at) => at ?? 0));
    return {
      reason,
      ...(watched.feed === 'timesheets' ? { from: slices[0] ?? '', to: slices.at(-1) ?? '' } : {}),
      seenAt: seen === null ? null : toIso(seen),
    };
  });
}

/** Records of a slice that counts: they cannot be read, their list leaves them out, or their closing is not told yet. */
function exceptRecords(slice: string, watched: WatchedFeed): Exception[] {
  const head = headOf(slice, watched);
  if (head === undefined || findReason(slice, watched) !== null) return [];
  const found: readonly Exception[] = [
    { reason: 'unreadable', records: [...(head.bad?.ids ?? [])] },
    { reason: 'unlisted', records: [...(head.unlisted?.ids ?? [])] },
    { reason: 'pending', records: (head.pending ?? []).map(({ id }) => id) },
  ];
  return found.filter(({ records = [] }) => records.length > 0);
}
