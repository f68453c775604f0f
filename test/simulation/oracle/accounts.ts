import type { RawRecord, TrackedRecord } from '#local/source/world/records.ts';
import { computeWindow } from '#shared/core/dates.ts';
import type { Account, DepartmentAccount } from '#shared/core/periods/account-data.ts';
import { type Evidence, type Told, versionsBetween } from './evidence.ts';

/** A moment of a pay period. */
interface ToldMoment {
  readonly event: Told;
  /** The end of its type. */
  readonly moment: string;
  readonly about: string;
  /** Null where it was not counted. */
  readonly account: Account | null;
}

interface ToldAccount extends ToldMoment {
  readonly account: Account;
}

/**
 * What is told of a pay period is what the books had at some instant between its looks and its commit, or it says itself
 * what it could not see. It is paid only without doubt, and goes on from what was told before. Returns how many accounts
 * were held against the books.
 */
export function judgeAccounts(evidence: Evidence): number {
  if (evidence.isUncertain) return 0;
  const lives = Map.groupBy(
    evidence.told.flatMap(readMoment),
    ({ event }) => `${event.table} ${event.subject} ${event.epoch}`,
  );
  // A restored table has forgotten what was told after its backup.
  if (evidence.history.settings.renewal === null)
    for (const told of lives.values()) judgeLife(evidence, told);
  const counted = [...lives.values()].flat().filter(isCounted);
  for (const told of counted) judgeSaid(evidence, told);
  const seen = counted.filter((told) => isSeen(evidence, told));
  for (const told of seen) judgeFigures(evidence, told);
  judgeSettled(evidence, lives);
  return seen.length;
}

const WITH_ACCOUNT = /^pay_period\.(?<moment>due|closed|recounted|reopened|settled)$/;

function readMoment(event: Told): ToldMoment[] {
  const moment = WITH_ACCOUNT.exec(event.type)?.groups?.moment;
  if (moment === undefined) return [];
  const account = event.data.account as Account | null;
  return [{ event, moment, account, about: `${event.subject} ${event.sequence} ${event.type}` }];
}

function isCounted(told: ToldMoment): told is ToldAccount {
  return told.account !== null;
}

/** It is paid only when it is closed and ready without a doubt, and a closing names looks from before it. */
function judgeSaid(evidence: Evidence, { account, about, event, moment }: ToldAccount): void {
  const { state, verdict, notReady, reserves, asOf } = account;
  const isClosed = state === 'closed' || state === 'settled';
  const isToPay = isClosed && notReady.timesheets === 0 && reserves.length === 0;
  if ((verdict === 'pay') !== isToPay) evidence.violate(about, `its verdict is ${verdict}`);
  const { after } = event.data.observed as { readonly after: string | null };
  const isOlder =
    asOf !== null && after !== null && Date.parse(asOf) < Date.parse(after) - evidence.toleranceMs;
  if (moment === 'closed' && isOlder && reserves.every(({ kind }) => kind !== 'dates_before_closing'))
    evidence.violate(about, `counts looks of ${asOf}, before it closed`);
}

/** What is told of one life of a period, in its order. */
function judgeLife(evidence: Evidence, told: readonly ToldMoment[]): void {
  let last: ToldMoment | undefined;
  let counted: ToldAccount | undefined;
  for (const each of told) {
    if (counted !== undefined && isCounted(each)) judgeChanges(evidence, each, counted.account);
    if (each.moment === 'due') continue;
    judgeMoment(evidence, each, last);
    last = each;
    if (each.moment !== 'reopened' && isCounted(each)) counted = each;
  }
}

/** A closing is counted again only where it was in doubt, and is settled once. */
function judgeMoment(
  evidence: Evidence,
  { moment, account, about, event }: ToldMoment,
  last: ToldMoment | undefined,
): void {
  if (moment === 'recounted' && (last?.moment !== 'closed' || last.account?.reserves.length === 0))
    evidence.violate(about, 'nothing was told that had to be counted again');
  if (moment === 'settled' && last?.moment !== 'closed' && last?.moment !== 'recounted')
    evidence.violate(about, 'is settled, and was not told as closed');
  if (event.data.settledBy === 'processed' && account !== null && account.unprocessed > 0)
    evidence.violate(about, 'is settled as processed, which not all of it is');
}

/** What changed is held against what was told last, and leads to what is told now. */
function judgeChanges(evidence: Evidence, { account, about }: ToldAccount, before: Account): void {
  const { changes, ready } = account;
  if (changes === null) return;
  if (!isSameHours(changes.readyHours, before.ready.hours))
    evidence.violate(about, `is held against ${changes.readyHours} h, and ${before.ready.hours} h were told`);
  if (changes.complete && !isSameHours(changes.readyHours + changes.hours, ready.hours))
    evidence.violate(about, 'what changed does not lead to what is ready');
}

function isSameHours(one: number, other: number): boolean {
  return Math.abs(one - other) < 0.001;
}

/** Doubts of whoever saw all that there is. */
const OF_OTHERS = ['totals_differ', 'period_unlisted'];

/** Whether an account has no doubt, and the source showed the truth to those who counted it. */
function isSeen({ history, toleranceMs }: Evidence, { account, event }: ToldAccount): boolean {
  // Where periods share dates at random, nobody knows whose a timesheet is.
  if (history.settings.company === null || account.asOf === null) return false;
  if (account.reserves.some(({ kind }) => !OF_OTHERS.includes(kind))) return false;
  const period = event.data.current as RawRecord;
  const since = Date.parse(account.asOf) - toleranceMs;
  const looks = history.journal.walks.filter(({ complete, endedAt }) => complete && endedAt < event.at);
  const lists = looks.filter(({ feed }) => feed === 'pay-periods');
  // Who crashed has kept nothing of its list.
  const isKept = (poll: number) => history.journal.polls[poll]?.report?.outcome === 'complete';
  const lastList = lists.findLastIndex(({ beganAt, poll }) => beganAt < since && isKept(poll));
  const counted = looks.filter(
    ({ feed, from, to, beganAt }) =>
      feed === 'timesheets' &&
      beganAt >= since &&
      String(from) <= account.through &&
      String(period.startDate) <= String(to),
  );
  return [...lists.slice(Math.max(0, lastList)), ...counted].every(({ faithful }) => faithful);
}

/** A figure, and what a timesheet adds to it. */
type Figure = readonly [
  name: string,
  (of: Account | DepartmentAccount) => number,
  (sheet: RawRecord) => number,
];

const FIGURES: readonly Figure[] = [
  ['timesheets', (of) => of.timesheets, () => 1],
  ['hours', (of) => of.hours, hoursOf],
  ['ready hours', (of) => of.ready.hours, (sheet) => (isReady(sheet) ? hoursOf(sheet) : 0)],
  ['timesheets not ready', (of) => of.notReady.timesheets, (sheet) => Number(!isReady(sheet))],
  ['timesheets not processed', (of) => of.unprocessed, ({ processed }) => Number(processed === null)],
];

function hoursOf({ hoursToPay }: RawRecord): number {
  return Number(hoursToPay);
}

function isReady({ approvedHours, processed }: RawRecord): boolean {
  return approvedHours !== null || processed !== null;
}

/** Each figure lies between the least and the most that the books had meanwhile. */
function judgeFigures(evidence: Evidence, told: ToldAccount): void {
  const { account, about } = told;
  const sheets = [...evidence.history.world.records.timesheets.values()].map((record) =>
    listPossible(evidence, told, record),
  );
  const judge = (of: Account | DepartmentAccount, isOf: (sheet: RawRecord) => boolean) => {
    for (const [name, read, value] of FIGURES) {
      const [least, most] = addUp(sheets, (sheet) => (isOf(sheet) ? value(sheet) : 0));
      if (read(of) < least - 0.001 || read(of) > most + 0.001)
        evidence.violate(about, `says ${read(of)} ${name}, and the books have ${least} to ${most}`);
    }
  };
  judge(account, () => true);
  for (const each of account.byDepartment) judge(each, (sheet) => departmentOf(sheet) === each.departmentId);
}

function departmentOf({ department }: RawRecord): string | null {
  return (department as { readonly id: string } | null)?.id ?? null;
}

function addUp(
  sheets: readonly (readonly (RawRecord | null)[])[],
  value: (sheet: RawRecord) => number,
): readonly [number, number] {
  const ranges = sheets.map((possible) => {
    const values = possible.map((sheet) => (sheet === null ? 0 : value(sheet)));
    return [Math.min(...values), Math.max(...values)] as const;
  });
  return [ranges.reduce((sum, [least]) => sum + least, 0), ranges.reduce((sum, [, most]) => sum + most, 0)];
}

/** As what a timesheet may count: as it was at any instant between the looks and the commit; null for not at all. */
function listPossible(
  evidence: Evidence,
  { event, account }: ToldAccount,
  record: TrackedRecord,
): (RawRecord | null)[] {
  const { startDate, finishDate } = event.data.current as RawRecord;
  const period = { id: event.subject, startDate, finishDate };
  const asOf = Date.parse(account.asOf ?? '') - evidence.toleranceMs;
  const since = evidence.isDoubled('timesheets', record.id) ? 0 : asOf;
  return versionsBetween(record, since, event.at).flatMap(({ raw }) => {
    const isOnDates =
      raw !== null && String(startDate) <= String(raw.date) && String(raw.date) <= account.through;
    if (!isOnDates) return [null];
    return listMemberships(evidence, { sheet: raw, period, until: event.at }).map((isOwn) =>
      isOwn ? raw : null,
    );
  });
}

/** Whether a timesheet is the period's own: nobody says when an employee changes calendar, so it may be as it ever was. */
function listMemberships(
  { history }: Evidence,
  { sheet, period, until }: { readonly sheet: RawRecord; readonly period: RawRecord; readonly until: number },
): boolean[] {
  const { world } = history;
  const { books, records } = world;
  if (!books.hasTwoCalendars) return [true];
  const instants = [
    until,
    ...[...(books.changes.get(String(sheet.employeeId)) ?? [])].flatMap((at) => [at - 1, at]),
    ...(books.places.get(String(sheet.id)) ?? []).flatMap(({ at }) => [at - 1, at]),
    ...[...records['pay-periods'].values()].flatMap(({ versions }) => versions.map(({ at }) => at)),
  ];
  const known = instants.filter((at) => at <= until).map((at) => books.belongs({ sheet, period, at }, world));
  return [...new Set(known)];
}

/** Once everything is quiet, a period that was told as closed and is all processed is settled. */
function judgeSettled(evidence: Evidence, lives: ReadonlyMap<string, readonly ToldMoment[]>): void {
  const { settings, world } = evidence.history;
  const { connection, quietFrom, renewal, redeployed, company } = settings;
  const { books, records } = world;
  const isMoving = books.changes.size > 0 || books.places.size > 0;
  if (renewal !== null || redeployed !== null || company === null || isMoving) return;
  const { from, to } = computeWindow(quietFrom, connection.timeZone, connection.window);
  for (const told of lives.values()) {
    const last = told.findLast(({ moment }) => moment !== 'due');
    if (last?.moment !== 'closed' && last?.moment !== 'recounted') continue;
    const id = last.event.subject ?? '';
    const period = records['pay-periods'].get(id)?.latest;
    const isLatest = evidence.stories['pay-periods'].get(id)?.at(-1)?.epoch === last.event.epoch;
    // Dates at the ends of the window may leave it.
    const isWatched = from < String(period?.startDate) && String(period?.finishDate) < to;
    if (period?.closed == null || !isLatest || !isWatched) continue;
    const sheets = world.members(id, quietFrom);
    if (sheets.length > 0 && sheets.every(({ processed }) => processed !== null))
      evidence.violate(`pay-periods ${id}`, 'lost: all of it is processed, and it is not settled');
  }
}
