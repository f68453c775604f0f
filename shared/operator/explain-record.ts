import type { Connection } from '#shared/config/schema/connection.ts';
import { findFirstReason } from '#shared/core/compare/to-changes.ts';
import { computeWindow, listDates, toIso, toLocalDate } from '#shared/core/dates.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Reason } from '#shared/core/outcome/reasons.ts';
import { awaitsMoment } from '#shared/core/periods/period-memory.ts';
import { CADENCE_MS, findCadence } from '#shared/core/plan/cadence.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { countRecords, findBucket, type Head, hashId, nameSlice } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import { readKnownPeriod } from '#shared/core/snapshot/stored-state.ts';
import { formatCount } from '#shared/people/messages/numbers.ts';
import { formatLocalMoment } from '#shared/terminal/readable-value.ts';
import { isLate } from './doctor/state-checks.ts';

/** A reason why a record has no event, or no newer one, and what of it is so here: `since 2026-11-17 09:10:00`. */
export interface Explanation {
  readonly reason: Reason;
  readonly about: string;
}

/** What is stored of a connection, and how it is watched. */
export interface StoredConnection {
  readonly connection: Connection;
  /** The feeds that are read, and those whose changes are published. */
  readonly polled: readonly FeedName[];
  readonly published: readonly FeedName[];
  readonly now: number;
  /** Seconds of that clock per real second. */
  readonly speed: number;
  readonly state: ConnectionState;
  readonly heads: readonly Head[];
}

/** What is known of one record. */
export interface KnownRecord {
  readonly feed: FeedName;
  /** Where it is stored; null for nowhere. */
  readonly stored: { readonly slice: string; readonly row: StoredRow } | null;
  /** Full type of its last event in the log; null for none. */
  readonly lastType: string | null;
  /** Its events that are committed, and not published. */
  readonly unpublished: number;
}

/** Every reason that holds, in the order of the way of a record. */
export function explainRecord(known: KnownRecord, connection: StoredConnection): Explanation[] {
  if (known.stored === null) return [explain(findReasonOfAbsence(known))];
  const at = { ...known, ...known.stored, ...connection };
  const waiting = [...explainSlice(at), ...explainWaiting(at)];
  const isQuiet = at.row.text !== null && waiting.every(({ reason }) => reason === 'outside_window');
  return [...explainBeginning(at), ...waiting, ...(isQuiet ? explainQuiet(at) : [])];
}

function findReasonOfAbsence({ lastType }: KnownRecord): Reason {
  if (lastType === 'workforce.employee.forgotten') return 'forgotten';
  return lastType !== null && /\.(?:removed|left)$/.test(lastType) ? 'removed' : 'date_dropped';
}

type Located = KnownRecord & StoredConnection & { readonly slice: string; readonly row: StoredRow };

/** Why it has fewer events than one expects from the beginning. */
function explainBeginning(at: Located): Explanation[] {
  const { feed, slice, row, lastType, published, state, connection } = at;
  const since = `known since ${localTime(row.epoch, at)}`;
  if (!published.includes(feed)) return [explain('feed_unwatched')];
  if (row.text === null) return [explain('never_readable', nameIssues(row))];
  if (row.sequence > 0)
    return lastType === null ? [explain('log_expired', formatCount(row.sequence, 'event'))] : [];
  if (state.restoredAt !== null && row.epoch >= state.restoredAt) return [explain('restored', since)];
  const baselinedAt = state.baselined[feed];
  const isLater = feed === 'timesheets' && baselinedAt !== undefined && row.epoch > baselinedAt;
  return [explain(isLater ? findFirstReason(slice, baselinedAt, connection) : 'baseline', since)];
}

/** Why its date or list is not read. */
function explainSlice(at: Located): Explanation[] {
  const { feed, slice, connection, now } = at;
  const { from, to } = computeWindow(now, connection.timeZone, connection.window);
  if (feed === 'timesheets' && (slice < from || to < slice))
    return [explain('outside_window', `${slice}; watched are ${from} to ${to}`)];
  return [...explainUnreachable(at), ...explainFailing([nameSlice({ feed, slice })], at), ...explainLate(at)];
}

function explainUnreachable(at: StoredConnection): Explanation[] {
  const { unreachable } = at.state;
  if (unreachable === null) return [];
  return [explain(unreachable.code, `since ${localTime(unreachable.since, at)}`)];
}

/** Whether nobody looked at its date or list in time. */
function explainLate(at: Located): Explanation[] {
  const { feed, slice, heads, state, connection, now, speed } = at;
  const key = { feed, slice };
  const cadence = findCadence(
    key,
    heads.find((head) => nameSlice(head) === nameSlice(key)),
    {
      now,
      today: toLocalDate(now, connection.timeZone),
      openDates: heads.flatMap(({ openDates = [] }) => openDates),
    },
  );
  const seenAt = state.lookedAt[nameSlice(key)] ?? null;
  const cadenceMinutes = CADENCE_MS[cadence] / 60_000;
  if (seenAt === null || !isLate({ seenAt, cadenceMinutes }, now, speed)) return [];
  return [explain('overdue', `last look ${localTime(seenAt, at)}, due every ${cadenceMinutes} min`)];
}

/** Of slices by these names: why the last look at them was not whole. */
function explainFailing(names: readonly string[], at: StoredConnection): Explanation[] {
  const failing = names.flatMap((name) => {
    const found = at.state.failing[name];
    return found === undefined ? [] : [{ name, ...found }];
  });
  return [...Map.groupBy(failing, ({ code }) => code)].map(([code, slices]) => {
    const since = Math.min(...slices.map((each) => each.since));
    return explain(code, `${listSome(slices.map(({ name }) => name))}, since ${localTime(since, at)}`);
  });
}

/** What of it was seen and waits. */
function explainWaiting(at: Located): Explanation[] {
  const { feed, slice, row, heads, unpublished } = at;
  const head = heads.find((each) => each.feed === feed && each.slice === slice);
  const pending = head?.pending?.find(({ id }) => id === row.id);
  return [
    ...(row.bad !== undefined && row.text !== null ? [explain('records_unreadable', nameIssues(row))] : []),
    ...(head === undefined || !isDoubted(row, head) ? [] : explainDoubt(head, at)),
    ...(head?.unlisted?.ids.includes(row.id) === true
      ? [explain('unlisted', `asked for by id ${localTime(head.unlisted.askedAt, at)}`)]
      : []),
    ...(pending === undefined ? [] : [explain('closing_pending', `since ${localTime(pending.by, at)}`)]),
    ...(unpublished === 0 ? [] : [explain('topic_refuses', formatCount(unpublished, 'event'))]),
  ];
}

function isDoubted({ id }: StoredRow, { doubt, buckets }: Head): boolean {
  const from = buckets[findBucket(buckets, hashId(id))]?.from;
  return doubt?.losses.some((loss) => loss.from === from) === true;
}

function explainDoubt(head: Head, at: StoredConnection): Explanation[] {
  if (head.doubt === null) return [];
  const { records, since } = head.doubt;
  const lost = `${records} of ${formatCount(countRecords(head), 'record')}`;
  return [explain('doubtful', `${nameSlice(head)}: ${lost}, since ${localTime(since, at)}`)];
}

/** Nothing is wrong: it is as before, and what time brings of a pay period is not due. */
function explainQuiet(at: Located): Explanation[] {
  const { feed, slice, row, state } = at;
  const name = nameSlice({ feed, slice });
  const lookedAt = state.lookedAt[name];
  const about =
    lookedAt === undefined ? `${name} was not looked at since` : `last look ${localTime(lookedAt, at)}`;
  return [explain('unchanged', about), ...(feed === 'pay-periods' ? explainPeriod(row, at) : [])];
}

function explainPeriod(row: StoredRow, { connection }: StoredConnection): Explanation[] {
  const period = readKnownPeriod(row);
  if (period === null) return [];
  if (period.closed) return awaitsMoment(row.memory?.period) ? [explain('not_settled')] : [];
  const hasDeadline = connection.calendars?.some(({ name }) => name === period.calendar) === true;
  return hasDeadline ? [] : [explain('no_deadline', period.calendar)];
}

/** Why a record that is stored nowhere, and has no event, may be so. */
export function explainMissing(at: StoredConnection): Explanation[] {
  const { polled, state, heads, connection, now } = at;
  const dates = listDates(computeWindow(now, connection.timeZone, connection.window));
  const names = polled.flatMap((feed) =>
    (feed === 'timesheets' ? dates : [WHOLE_LIST]).map((slice) => nameSlice({ feed, slice })),
  );
  const unread = names.filter((name) => state.lookedAt[name] === undefined);
  const oldest = Math.min(...names.flatMap((name) => state.lookedAt[name] ?? []));
  const looked = Number.isFinite(oldest) ? `, each looked at since ${localTime(oldest, at)}` : '';
  return [
    ...explainUnreachable(at),
    ...explainFailing(names, at),
    ...(unread.length === 0 ? [] : [explain('baseline_open', `not read yet: ${listSome(unread)}`)]),
    ...heads.flatMap((head) => explainDoubt(head, at)),
    explain('unknown_record', `timesheets of ${dates[0]} to ${dates.at(-1)} are watched${looked}`),
  ];
}

function explain(reason: Reason, about = ''): Explanation {
  return { reason, about };
}

/** Members that cannot be read, never their values. */
function nameIssues({ bad }: StoredRow): string {
  return bad?.issues.join(', ') ?? '';
}

function localTime(instant: number, { connection }: StoredConnection): string {
  return formatLocalMoment(toIso(instant), connection.timeZone);
}

const MAX_NAMED = 5;

function listSome(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`;
}
