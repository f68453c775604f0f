import type { TrackedRecord } from '../../world/truth.ts';
import type { Evidence, Told } from '../evidence.ts';
import { type Account, hasReserve, isRemembered, type ToldAccount } from './accounts.ts';

/** What an account says of itself, and when its moments may be told. */
export function judgeMoment(evidence: Evidence, told: ToldAccount): void {
  const { event, account, moment, before } = told;
  const last = before.findLast((each) => each.moment !== 'due');
  if (moment === 'recounted') judgeRecount(evidence, told, last);
  if (moment === 'settled') judgeSettled(evidence, told, last);
  if (account === null) return;
  judgeVerdict(evidence, told, { account, isReopened: last?.moment === 'reopened' });
  judgeTotals(evidence, told, account);
  judgeList(evidence, event, account);
  if (moment === 'closed' || moment === 'recounted') judgeLooks(evidence, told, account);
}

function judgeRecount(
  evidence: Evidence,
  { account, about }: ToldAccount,
  last: ToldAccount | undefined,
): void {
  if (last?.moment !== 'closed' || last.account?.reserves.length === 0)
    evidence.violate(about, 'nothing was told that had to be counted again');
  if (account === null || account.reserves.length > 0)
    evidence.violate(about, 'is counted again, and still in doubt');
}

interface Judged {
  readonly account: Account;
  readonly isReopened: boolean;
}

function judgeVerdict(
  evidence: Evidence,
  { moment, about }: ToldAccount,
  { account, isReopened }: Judged,
): void {
  const states: Readonly<Record<string, string>> = {
    ...{ closed: 'closed', recounted: 'closed', reopened: 'reopened', settled: 'settled' },
    due: isReopened ? 'reopened' : 'open',
  };
  if (account.state !== states[moment]) evidence.violate(about, `says that it is ${account.state}`);
  const isClosed = account.state === 'closed' || account.state === 'settled';
  const isToPay = isClosed && account.notReady.timesheets === 0 && account.reserves.length === 0;
  if ((account.verdict === 'pay') !== isToPay) evidence.violate(about, `its verdict is ${account.verdict}`);
}

function judgeSettled(
  evidence: Evidence,
  { event, account, about }: ToldAccount,
  last: ToldAccount | undefined,
): void {
  const by = event.data.settledBy;
  if (last?.moment !== 'closed' && last?.moment !== 'recounted')
    evidence.violate(about, 'is settled, and was not told as closed');
  if (by === 'processed' && account !== null && account.unprocessed > 0)
    evidence.violate(about, 'is settled as processed, which not all of it is');
  if (by === 'next_closing' && !hasNextClosed(evidence, event))
    evidence.violate(about, 'is settled by a closing that was not told');
  // No history is that long.
  if (by === 'age') evidence.violate(about, 'is settled by its age');
}

/** Whether a later period of the calendar was told as closed, or was closed when it was first seen. */
function hasNextClosed(evidence: Evidence, event: Told): boolean {
  const { calendar, finishDate } = event.data.current as {
    readonly calendar: string;
    readonly finishDate: string;
  };
  return [...evidence.history.world.truth['pay-periods'].values()].some((record) => {
    const isNext = record.versions.some(
      ({ record: raw }) => raw !== null && raw.calendar === calendar && String(raw.startDate) > finishDate,
    );
    return record.id !== event.subject && isNext && isKnownClosed(evidence, record, event);
  });
}

function isKnownClosed(evidence: Evidence, record: TrackedRecord, event: Told): boolean {
  const story = evidence.stories['pay-periods'].get(record.id) ?? [];
  const told = story.filter(
    (each) =>
      isRemembered(evidence, each, event) && evidence.told.indexOf(each) < evidence.told.indexOf(event),
  );
  const state = told.at(-1)?.data.current as { readonly closed: string | null } | null | undefined;
  if (state !== undefined) return state?.closed != null;
  // Nothing is told of what was so in the look that was the baseline.
  const { walks, baselines } = evidence.history.journal;
  const walk = walks.findLast(
    ({ feed, complete, content, table, endedAt: at }) =>
      feed === 'pay-periods' &&
      complete &&
      content.has(record.id) &&
      at <= (baselines.get(`${table} pay-periods`) ?? 0) &&
      isRemembered(evidence, { table, at }, event),
  );
  return walk !== undefined && record.version(walk.content.get(record.id) ?? -1)?.closed != null;
}

/** The totals are those that the source sent, and whoever counts others says so. */
function judgeTotals(evidence: Evidence, { event, about }: ToldAccount, account: Account): void {
  const { source, difference } = account;
  const isWhole = !hasReserve(account, 'dates_unread', 'members_unknown');
  const isCompared =
    source !== null && isWhole && (account.state === 'closed' || account.state === 'settled');
  // Of some of those that were never readable nothing can be compared.
  const mayBeLeftOut = hasReserve(account, 'records_unreadable') && difference === null;
  if (!mayBeLeftOut && isCompared !== (difference !== null))
    evidence.violate(about, 'compares what cannot be compared, or does not');
  if (source === null) return;
  const sent = evidence.history.journal.totals.get(event.subject ?? '') ?? [];
  const wasSent = sent.some(
    ({ at, totals }) =>
      at <= event.at &&
      totals.hours === source.hours &&
      totals.numberEmployees === source.employees &&
      totals.numberTimesheets === source.timesheets,
  );
  if (!wasSent) evidence.violate(about, 'says totals that the source never sent');
  const apart = [
    account.timesheets - source.timesheets,
    account.people - source.employees,
    account.hours - source.hours,
  ];
  const differs = difference !== null && apart.some((each) => Math.abs(each) > 0.0099);
  if (differs !== hasReserve(account, 'totals_differ'))
    evidence.violate(about, `differs by ${apart} from the source, and says ${differs ? 'nothing' : 'so'}`);
}

/** The last list that its poll read whole has the period, or the account says that it has not. */
function judgeList(evidence: Evidence, { poll, at, subject }: Told, account: Account): void {
  const list = evidence.history.journal.walks.findLast(
    (walk) => walk.poll === poll && walk.feed === 'pay-periods' && walk.endedAt < at,
  );
  if (list === undefined || !list.complete || !list.honest) return;
  if (!list.content.has(subject ?? '') && !hasReserve(account, 'period_unlisted'))
    evidence.violate(`${subject} ${account.state}`, 'is not on its list, which its account leaves out');
}

/** Every look that counts began after the closing, or the account names the dates. */
function judgeLooks(
  evidence: Evidence,
  { event, before, about, moment }: ToldAccount,
  account: Account,
): void {
  const closing = moment === 'closed' ? event : before.findLast((each) => each.moment === 'closed')?.event;
  const record = evidence.record('pay-periods', event.subject ?? '');
  if (closing === undefined || record === undefined || account.asOf === null) return;
  const { after } = closing.data.observed as { readonly after: string | null };
  const seenOpenAt = (after === null ? 0 : Date.parse(after)) - evidence.toleranceMs;
  const shown = record.versions.findLast(({ at }) => at <= seenOpenAt);
  // One that the list did not show then may have been closed already.
  const wasClosed = shown?.record?.closed != null;
  const later = record.versions.find(({ at, record: raw }) => at > seenOpenAt && raw?.closed != null);
  const closedAt = wasClosed ? 0 : (later?.at ?? 0);
  const isBefore = Date.parse(account.asOf) < closedAt - evidence.toleranceMs;
  if (isBefore && !hasReserve(account, 'dates_before_closing'))
    evidence.violate(about, `counts looks of ${account.asOf}, before it closed`);
}
