import { addDays, isWeekend, toLocalDate } from '../../core/dates.ts';
import { readText } from '../event-state.ts';
import { bold, type Line, type Spans } from '../message.ts';
import { listNotApproved, MAX_LISTED_LINES, nameWaiting } from '../messages/account-lines.ts';
import {
  type AccountReader,
  formatPeople,
  listReserves,
  sayReopened,
} from '../messages/account-sentences.ts';
import { cleanText } from '../messages/clean-text.ts';
import { formatAt, formatDay, formatMoment, type MessageTimeContext } from '../messages/moments.ts';
import { formatChange, formatCount, formatHours, formatNumber } from '../messages/numbers.ts';
import { capitalize } from '../messages/wording.ts';
import { describePeriod } from '../period-name.ts';
import type { DueEvent, ToldAccount } from '../read-events.ts';
import { type Reader, toTimeContext } from '../reader.ts';

/** Dates of open periods are read every few minutes: older figures are given with their time. */
const OLD_FIGURES_MS = 600_000;
/** A deadline so near asks for something now: people act on what is due today and the day after. */
const NEAR_WORKING_DAYS = 2;
/** Departments that a heading has room for. */
const MAX_NAMED = 3;

interface Due {
  readonly event: DueEvent;
  readonly account: ToldAccount;
  readonly period: string;
  /** Null for a calendar without a deadline. */
  readonly deadline: number | null;
  readonly reader: Reader & AccountReader;
  readonly timeContext: MessageTimeContext;
}

function toDue(event: DueEvent, reader: Reader): Due {
  const timeContext = toTimeContext(event.time, reader);
  const { account } = event.data;
  return {
    ...{ event, account, timeContext },
    period: describePeriod(event.data, timeContext),
    deadline: account.closesAt === null ? null : Date.parse(account.closesAt),
    reader: { ...reader, now: reader.now ?? Date.parse(event.time) },
  };
}

/** Those with something to approve first, and of them the nearest deadline. */
function sortDue(events: readonly DueEvent[], reader: Reader): Due[] {
  const waits = ({ account }: Due) => Number(account.notReady.timesheets > 0);
  return events
    .map((event) => toDue(event, reader))
    .sort(
      (a, b) =>
        waits(b) - waits(a) ||
        (a.deadline ?? Number.MAX_SAFE_INTEGER) - (b.deadline ?? Number.MAX_SAFE_INTEGER) ||
        (a.period < b.period ? -1 : 1),
    );
}

/** `Weekly 9-15 Nov closes at 10:30: 6 of 100 timesheets not approved, 45.5 h`. */
export function sayDue(event: DueEvent, reader: Reader): Spans {
  const due = toDue(event, reader);
  const { notReady, timesheets } = due.account;
  const of = `${formatNumber(notReady.timesheets)} of ${formatCount(timesheets, 'timesheet')}`;
  const figures =
    notReady.timesheets === 0 ? 'nothing to approve' : `${of} not approved, ${formatHours(notReady.hours)}`;
  return [bold(due.period), ` ${sayEnd(due)}: ${[figures, ...listNotes(due)].join('; ')}`];
}

/** `closes at 10:30`, `was to close on Tue 3 Nov at 10:30`, `was reopened`, `is open`. */
function sayEnd({ account, deadline, reader, timeContext }: Due): string {
  if (account.state === 'reopened') return `was ${sayReopened(account, reader)}`;
  if (deadline === null) return 'is open';
  return `${deadline > reader.now ? 'closes' : 'was to close'} ${formatAt(deadline, timeContext)}`;
}

/** `Approve 6 timesheets by 10:30: Warehouse 3, Front Desk 2, Kitchen 1`. */
export function sayDueHeading(events: readonly DueEvent[], reader: Reader): string {
  const [first] = sortDue(events, reader);
  if (first === undefined) return '';
  const { account, period, deadline, timeContext } = first;
  const { timesheets } = account.notReady;
  if (timesheets === 0) return sayNothingToApprove(first);
  const count = formatCount(timesheets, 'timesheet');
  if (account.state === 'reopened' || deadline === null || deadline <= first.reader.now)
    return `Approve ${count}: ${period} ${sayEnd(first)}`;
  if (!isNear(first)) return `${count} of ${period} to approve until ${formatMoment(deadline, timeContext)}`;
  const where = nameWaiting(account, reader, MAX_NAMED);
  return `Approve ${count} by ${formatMoment(deadline, timeContext)}: ${where}`;
}

function sayNothingToApprove(due: Due): string {
  const { account, period } = due;
  const open = account.changes?.open;
  const [note] = listNotes(due);
  if (note !== undefined) return `${period} ${sayEnd(due)}: ${note}`;
  return open === undefined || open.timesheets === 0
    ? `${period} ${sayEnd(due)}: nothing to approve`
    : `${period} ${sayEnd(due)}: ${formatChange(open.hours)} still open`;
}

/** Whether a reminder was asked for, or so few working days are left that it is time. */
function isNear({ event, deadline, reader }: Due): boolean {
  if (event.data.reminder !== null || deadline === null) return true;
  const last = toLocalDate(deadline, reader.timeZone);
  let left = 0;
  for (let day = toLocalDate(reader.now, reader.timeZone); day < last && left <= NEAR_WORKING_DAYS; ) {
    day = addDays(day, 1);
    if (!isWeekend(day)) left += 1;
  }
  return left <= NEAR_WORKING_DAYS;
}

/** Whose timesheets these are, period by period, and what is still open of closed ones. */
export function sayDueLines(events: readonly DueEvent[], reader: Reader): Line[] {
  return sortDue(events, reader).flatMap((due, place) => [
    { spans: sayFigures(due, place > 0) },
    // Nobody acts on names of what closes next week.
    ...(isNear(due) ? listNotApproved(due.account, due.reader) : []),
    ...listReserves(due.account, due.reader).map((doubt): Line => ({ spans: [`In doubt: ${doubt}`] })),
    ...sayAge(due).map((age): Line => ({ spans: [`${capitalize(age)}.`] })),
    ...sayStillOpen(due),
  ]);
}

/** `Weekly 26 Oct - 1 Nov: 45.5 h of 5 people, up to Sun 8 Nov`; of a further one also how many, and until when. */
function sayFigures(due: Due, isFurther: boolean): Spans {
  const { account, period, deadline, reader, timeContext, event } = due;
  const { notReady, through } = account;
  if (notReady.timesheets === 0)
    return [bold(period), `: all ${formatCount(account.timesheets, 'timesheet')} approved.`];
  const people = notReady.people === 0 ? '' : ` of ${formatPeople(notReady.people)}`;
  const isWhole = through === readText(event.data.current, 'finishDate');
  const until = isWhole ? '' : `, up to ${formatDay(through, timeContext)}`;
  const where = isNear(due) ? '' : `: ${nameWaiting(account, reader, MAX_LISTED_LINES)}`;
  const hours = `${formatHours(notReady.hours)}${people}${until}${where}`;
  if (!isFurther) return [bold(period), `: ${hours}`];
  const by = deadline !== null && deadline > reader.now ? ` by ${formatMoment(deadline, timeContext)}` : '';
  return ['Also ', bold(period), `: ${formatCount(notReady.timesheets, 'timesheet')}${by}, ${hours}`];
}

/** What is in doubt of the figures, and their age. */
function listNotes(due: Due): string[] {
  return [...listReserves(due.account, due.reader), ...sayAge(due)];
}

function sayAge({ account, reader, timeContext }: Due): string[] {
  const seenAt = account.asOf === null ? reader.now : Date.parse(account.asOf);
  const isOld = reader.now - seenAt > OLD_FIGURES_MS;
  return isOld ? [`figures as of ${formatMoment(seenAt, timeContext)}`] : [];
}

/** What of a reopened period, or of closed ones of its calendar, changed and is not processed yet. */
function sayStillOpen({ account: { changes }, event, timeContext }: Due): Line[] {
  const { stillOpen, current } = event.data;
  const own =
    changes === null || changes.open.timesheets === 0
      ? []
      : [
          `Still open since ${formatMoment(Date.parse(changes.since), timeContext)}: ${sayOpen(changes.open, changes.complete)}`,
        ];
  if (stillOpen === null) return own.map((text) => ({ spans: [text] }));
  const closed = `Closed ${cleanText(readText(current, 'calendar') ?? '')} periods`;
  const { timesheets, hours, complete } = stillOpen;
  const known =
    timesheets === null || hours === null
      ? `${closed}: what is still open is not known`
      : `${closed}, still open: ${sayOpen({ timesheets, hours }, complete)}`;
  return [...own, known].map((text) => ({ spans: [text] }));
}

function sayOpen(
  { timesheets, hours }: { readonly timesheets: number; readonly hours: number },
  isComplete: boolean,
): string {
  const known = isComplete ? '' : ', as far as known';
  return `${formatChange(hours)} in ${formatCount(timesheets, 'timesheet')}${known}`;
}
