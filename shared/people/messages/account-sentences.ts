import { toIso, toLocalDate } from '../../core/dates.ts';
import type { Reserve, ReserveKind } from '../../core/periods/account-data.ts';
import type { Tolerant } from '../../core/tolerant.ts';
import type { ToldAccount } from '../read-events.ts';
import { nameService, type Reader, toTimeContext } from '../reader.ts';
import { cleanText } from './clean-text.ts';
import { formatDates, formatMoment, formatTime, type MessageTimeContext } from './moments.ts';
import { formatChange, formatCount, formatHours, formatNumber } from './numbers.ts';
import { findEntry, listAll } from './wording.ts';

/** Who reads of an account, and when, in milliseconds since 1970. */
export type AccountReader = Pick<Reader, 'timeZone' | 'serviceName'> & { readonly now: number };

export function toContext({ now, timeZone }: Pick<AccountReader, 'now' | 'timeZone'>): MessageTimeContext {
  return toTimeContext(toIso(now), { timeZone, now });
}

/**
 * Whether payroll may be run, without a full stop: `Pay 739.5 h now`, `Not yet: 6 not approved (45.5 h); closes today 10:30`.
 * What is settled stays on a board for weeks, and is not to be paid each time that somebody looks: `Pay 739.5 h in all`.
 */
export function sayVerdict(account: ToldAccount, reader: AccountReader): string {
  const { verdict, ready, state } = account;
  if (verdict === 'pay' && ready.hours === 0) return 'Nothing to pay';
  if (verdict === 'pay') return `Pay ${formatHours(ready.hours)} ${state === 'settled' ? 'in all' : 'now'}`;
  const reasons = listReasons(account, reader).join('; ');
  return reasons === '' ? 'Not yet' : `Not yet: ${reasons}`;
}

/** Why it cannot be paid yet, and when that is to end. */
export function listReasons(account: ToldAccount, reader: AccountReader): string[] {
  const { state, notReady } = account;
  const isOpen = state === 'open';
  const left = notReady.timesheets > 0 ? [sayNotApproved(account)] : isOpen ? ['still open'] : [];
  return [
    ...(state === 'reopened' ? [sayReopened(account, reader)] : []),
    ...left,
    ...listReserves(account, reader),
    ...(isOpen ? sayClosing(account, reader) : []),
  ];
}

/** `6 not approved (45.5 h)`. */
export function sayNotApproved({ notReady }: Pick<ToldAccount, 'notReady'>): string {
  return `${formatNumber(notReady.timesheets)} not approved (${formatHours(notReady.hours)})`;
}

/** `reopened Mon 16 Nov 10:02`. */
export function sayReopened({ since }: Pick<ToldAccount, 'since'>, reader: AccountReader): string {
  if (since === null) return 'reopened';
  return `reopened ${formatMoment(Date.parse(since), { ...toContext(reader), day: null })}`;
}

function sayClosing({ closesAt }: ToldAccount, reader: AccountReader): string[] {
  if (closesAt === null) return [];
  const at = Date.parse(closesAt);
  const context = toContext(reader);
  const isToday = toLocalDate(at, context.timeZone) === context.day;
  const moment = isToday ? `today ${formatTime(at, context)}` : formatMoment(at, context);
  return [at > reader.now ? `closes ${moment}` : `was to close ${moment}`];
}

type OnDates = readonly [one: string, several: string];
/** What is in doubt of some dates. */
const DATES: Readonly<Partial<Record<ReserveKind, OnDates>>> = {
  dates_unread: ['is not read', 'are not read'],
  dates_failing: ['cannot be read now', 'cannot be read now'],
  dates_doubtful: ['lost much at once and is being checked', 'lost much at once and are being checked'],
  dates_before_closing: ['was last read before it closed', 'were last read before it closed'],
};

/** What is in doubt of it: `dates of 9-11 Nov are not read`. */
export function listReserves({ reserves, difference }: ToldAccount, reader: AccountReader): string[] {
  return reserves.map((reserve) => sayReserve(reserve, difference, reader));
}

function sayReserve(
  { kind, dates, timesheets }: Tolerant<Reserve>,
  difference: ToldAccount['difference'],
  reader: AccountReader,
): string {
  const onDates = findEntry<OnDates>(DATES, kind);
  if (onDates !== undefined && dates !== null) {
    const named = formatDates(dates.from, dates.to, toContext(reader));
    return dates.from === dates.to ? `${named} ${onDates[0]}` : `dates of ${named} ${onDates[1]}`;
  }
  const count = timesheets ?? 0;
  switch (kind) {
    case 'records_unreadable':
      return `${formatCount(count, 'timesheet')} cannot be read`;
    case 'members_unknown':
      return `${formatNumber(count)} more ${count === 1 ? 'timesheet' : 'timesheets'} may belong to it`;
    case 'totals_differ':
      return `the totals differ${difference === null ? '' : ` (${sayDifference(difference, reader)})`}`;
    case 'period_unlisted':
      return `${nameService(reader)} does not list it now`;
    default:
      return `it is in doubt (${cleanText(kind).replaceAll('_', ' ')})`;
  }
}

/** `the workforce service has 7.5 h more and 1 timesheet more`. `difference`: counted here minus what it says. */
function sayDifference(
  { hours, timesheets, employees }: NonNullable<ToldAccount['difference']>,
  reader: AccountReader,
): string {
  const parts: readonly (readonly [difference: number, amount: string, less: string])[] = [
    [hours, formatHours(Math.abs(hours)), 'less'],
    [timesheets, formatCount(Math.abs(timesheets), 'timesheet'), 'fewer'],
    [employees, formatPeople(Math.abs(employees)), 'fewer'],
  ];
  const different = parts.filter(([each]) => each !== 0);
  const said = different.map(([each, amount, less]) => `${amount} ${each < 0 ? 'more' : less}`);
  return `${nameService(reader)} has ${listAll(said)}`;
}

/** `1 person`, `30 people`. */
export function formatPeople(people: number): string {
  return formatCount(people, 'person', 'people');
}

/** What the figures of an account are held against. */
export type Before = 'the last figures' | 'it closed';

/** `+25 h in 3 timesheets since it closed`. */
export function sayChanges({ changes }: Pick<ToldAccount, 'changes'>, before: Before): string {
  if (changes === null) return `what changed since ${before} is not known`;
  if (changes.timesheets === 0) return `nothing changed since ${before}`;
  const { hours, timesheets, complete } = changes;
  const known = complete ? '' : ', as far as known';
  return `${formatChange(hours)} in ${formatCount(timesheets, 'timesheet')} since ${before}${known}`;
}
