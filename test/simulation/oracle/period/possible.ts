import { lasts } from '../../spells.ts';
import { belongsTo, recordAt } from '../../world/books.ts';
import type { RawRecord, TrackedRecord } from '../../world/truth.ts';
import { type Evidence, covers as isWalkedOver, versionsBetween } from '../evidence.ts';
import type { Account, ToldAccount } from './accounts.ts';

/** A timesheet of a period as the books have it. */
export interface Sheet {
  readonly id: string;
  readonly employeeId: string;
  readonly departmentId: string | null;
  readonly hours: number;
  readonly isReady: boolean;
  readonly isProcessed: boolean;
}

/** As what a timesheet may count at some instant between the looks and the commit; null for not at all. */
export interface Possible {
  readonly sure: readonly (Sheet | null)[];
  /** If it is one of those that a reserve says could not be read, or are not known: as whatever it ever was. */
  readonly doubted: readonly (Sheet | null)[];
}

interface Scope {
  readonly evidence: Evidence;
  readonly period: RawRecord;
  readonly through: string;
  readonly from: number;
  readonly to: number;
  /** Whether what was read of a date says nothing for certain: a reserve names it, or its list showed another world. */
  readonly isInDoubt: (date: string) => boolean;
}

/** All timesheets that may count in an account. */
export function listPossible(evidence: Evidence, told: ToldAccount, account: Account): Possible[] {
  const { event } = told;
  const { startDate, finishDate } = event.data.current as RawRecord;
  const to = event.at;
  const from = account.asOf === null ? to : Date.parse(account.asOf) - evidence.toleranceMs;
  const named = account.reserves.flatMap(({ dates }) => dates ?? []);
  const misled = evidence.history.journal.walks.filter(
    (walk) =>
      walk.feed === 'timesheets' &&
      walk.complete &&
      !walk.faithful &&
      from <= walk.beganAt &&
      walk.beganAt <= to,
  );
  const scope: Scope = {
    ...{ evidence, from, to, through: account.through },
    period: { id: event.subject, startDate, finishDate },
    isInDoubt: (date) =>
      named.some((range) => range.from <= date && date <= range.to) ||
      misled.some((walk) => isWalkedOver(walk, date)),
  };
  return [...evidence.history.world.truth.timesheets.values()].flatMap((record) => {
    const possible = findPossible(record, scope);
    return possible.doubted.every((sheet) => sheet === null) ? [] : [possible];
  });
}

function findPossible(record: TrackedRecord, scope: Scope): Possible {
  const { evidence, from, to, isInDoubt } = scope;
  const ever = versionsBetween(record, 0, to).map(({ raw }) => raw);
  if (ever.every((raw) => raw === null || !isOnDates(raw, scope))) return { sure: [null], doubted: [null] };
  const doubted = [
    null,
    ...ever.flatMap((raw) => (raw === null || !isOnDates(raw, scope) ? [] : [toSheet(raw)])),
  ];
  const { records } = evidence.history.spells;
  const isHidden = records.some(
    (each) =>
      each.id === record.id && each.hidden && (lasts(each, from) || (from <= each.from && each.from <= to)),
  );
  const isDoubted =
    isHidden ||
    evidence.isDoubled('timesheets', record.id) ||
    ever.some((raw) => raw !== null && isInDoubt(String(raw.date)));
  if (isDoubted) return { sure: doubted, doubted };
  const sure = versionsBetween(record, from, to).flatMap(({ raw }) => {
    if (raw === null || !isOnDates(raw, scope)) return [null];
    return [...findMemberships(record, raw, scope)].map((isOwn) => (isOwn ? toSheet(raw) : null));
  });
  return { sure, doubted };
}

function covers({ startDate, finishDate }: RawRecord, { date }: RawRecord): boolean {
  return String(startDate) <= String(date) && String(date) <= String(finishDate);
}

function isOnDates({ date }: RawRecord, { period, through }: Scope): boolean {
  return String(period.startDate) <= String(date) && String(date) <= through;
}

/** Whether a timesheet was the period's own since the source was last asked, at one instant or another. */
function findMemberships(record: TrackedRecord, raw: RawRecord, scope: Scope): Set<boolean> {
  const { evidence, period, to } = scope;
  const { books, truth } = evidence.history.world;
  const employeeId = String(raw.employeeId);
  const { since, isSaid } = findKnowledge(employeeId, scope);
  const changes = [
    ...(books.changes.get(employeeId) ?? []),
    ...(books.places.get(record.id) ?? []).map(({ at }) => at),
    ...[...truth['pay-periods'].values()].flatMap(({ versions }) => versions.map(({ at }) => at)),
  ];
  const instants = [since, ...changes.filter((at) => since < at && at < to), to];
  // What the source answered before the period had this date says of which other one a timesheet is.
  const isThere = (at: number) => {
    const known = recordAt(truth['pay-periods'].get(String(period.id)), at);
    return known !== null && covers(known, raw);
  };
  const found = new Set(instants.map((at) => isThere(at) && belongsTo(books, { sheet: raw, period, at })));
  // One who went elsewhere may be answered for by timesheets that stay, and what came since counts as they do.
  const isNew = !wasShown(record, { date: String(raw.date), before: since }, evidence);
  const isOpen = !isSaid || (isNew && isDivided(employeeId, evidence)) || isOfUnlisted(raw, scope);
  return isOpen ? new Set([true, false]) : found;
}

/** Whether its date is one of a period that no list has shown: nobody can know that it may be of that one. */
function isOfUnlisted(sheet: RawRecord, { evidence, to }: Scope): boolean {
  const { journal, world } = evidence.history;
  const lists = journal.walks.filter(({ feed, endedAt }) => feed === 'pay-periods' && endedAt < to);
  return [...world.truth['pay-periods'].values()].some(
    (record) =>
      record.versions.some(({ record: period }) => period !== null && covers(period, sheet)) &&
      lists.every(({ content }) => !content.has(record.id)),
  );
}

function wasShown(
  record: TrackedRecord,
  { date, before }: { readonly date: string; readonly before: number },
  { history }: Evidence,
): boolean {
  return history.journal.walks.some(({ feed, endedAt, content }) => {
    const version = feed === 'timesheets' && endedAt < before ? content.get(record.id) : undefined;
    return version !== undefined && record.version(version)?.date === date;
  });
}

/** Whether timesheets of an employee may be of several periods at once. */
function isDivided(employeeId: string, { history }: Evidence): boolean {
  const { books, truth } = history.world;
  const hasPlaced = [...books.places.keys()].some((id) =>
    truth.timesheets.get(id)?.versions.some(({ record }) => record?.employeeId === employeeId),
  );
  // What was of a period that is gone goes to the one that is left.
  const isGone = [...truth['pay-periods'].values()].some(({ versions }) =>
    versions.some(({ record }) => record === null),
  );
  return books.calendars.size === 0 || books.changes.has(employeeId) || hasPlaced || isGone;
}

interface Knowledge {
  readonly since: number;
  /** False: the source said at times that nobody has anything in the period, and at times who has. */
  readonly isSaid: boolean;
}

/** Since when it may be known to which period an employee belongs: the last answer about this one, or about others. */
function findKnowledge(employeeId: string, { evidence, period, from, to }: Scope): Knowledge {
  const { members, polls, walks } = evidence.history.journal;
  const told = members.filter(({ at }) => at <= to);
  const ofPeriod = told.filter(({ payPeriodId }) => payPeriodId === period.id);
  const isSaid = new Set(ofPeriod.map(({ isRight }) => isRight)).size < 2;
  // Whoever was killed or lost its lease may not have kept what it heard.
  const isKept = ({ poll }: { readonly poll: number }) => polls[poll]?.report?.outcome === 'complete';
  const own = ofPeriod.findLast((each) => each.employeeId === employeeId && isKept(each));
  const lists = walks.filter(
    ({ feed, complete, beganAt }) => feed === 'pay-periods' && complete && beganAt < to,
  );
  const listedAt = lists.findLast(isKept)?.beganAt ?? 0;
  if (own !== undefined) return { since: Math.min(own.at, from), isSaid };
  const others = told.filter((each) => each.employeeId === employeeId);
  return { since: Math.min(from, listedAt, ...others.map(({ at }) => at)), isSaid };
}

function toSheet(raw: RawRecord): Sheet {
  const isProcessed = raw.processed !== null;
  return {
    id: String(raw.id),
    employeeId: String(raw.employeeId),
    departmentId: (raw.department as { readonly id: string } | null)?.id ?? null,
    hours: Number(raw.hoursToPay),
    isReady: isProcessed || raw.approvedHours !== null,
    isProcessed,
  };
}
