import * as z from 'zod';
import { toLocalDate } from '../../core/dates.ts';
import { readinessMembers } from '../../core/periods/readiness-data.ts';
import { tolerant } from '../../core/tolerant.ts';
import { parseLeadMs } from '../../period/deadlines.ts';
import { cleanText } from './clean-text.ts';
import { describeUnknownMembers, listDoubts } from './closing-numbers.ts';
import { formatAt, formatDay, formatMoment } from './moments.ts';
import { formatChange, formatCount, formatDuration, formatHours, formatNumber } from './numbers.ts';
import { describePeriod } from './pay-period-sentences.ts';
import { type Audience, envelope, readText, recordData, toTimeContext } from './record-events.ts';
import { nameOf } from './timesheet-fields.ts';

/** Dates of open periods are read every few minutes: older numbers are given with their time. */
const OLD_NUMBERS_MS = 600_000;
/** A reminder that comes so late says how long is really left. */
const PUNCTUAL_MS = 300_000;

/** An event about a moment before a deadline, as far as its sentence needs it. Members of later versions pass. */
export const readinessEventSchema = z.looseObject({
  ...envelope,
  type: z.literal('workforce.pay_period.readiness'),
  data: z.looseObject({
    payPeriodId: z.string(),
    ...recordData,
    deadline: readinessMembers.deadline,
    reminder: tolerant(readinessMembers.reminder),
    readiness: tolerant(readinessMembers.readiness),
    stillOpen: tolerant(readinessMembers.stillOpen),
  }),
});
export type ReadinessEvent = z.output<typeof readinessEventSchema>;

export function isReadinessEvent(event: { readonly type: string }): event is ReadinessEvent {
  return event.type === readinessEventSchema.shape.type.value;
}

/** `Pay period Weekly 9-15 Nov closes at 10:00 (in 4 h): 12 of 200 timesheets are not approved, 84.5 h of 9 employees` */
export function sayReadiness(
  event: ReadinessEvent,
  audience: Audience,
): Readonly<Record<'sentence' | 'facts', string>> {
  const { period, kind, is } = readDeadline(event, audience);
  const { numbers, less } = describeNumbers(event, audience);
  const sentence = `Pay period ${period} ${is}: ${numbers}`;
  if (kind === 'due') return { sentence, facts: less };
  return { sentence, facts: `${kind === 'open' ? 'open' : is}: ${numbers}` };
}

/** `Approve 4 of 99 timesheets by 10:30 (in 1 h): Weekly 9-15 Nov`. */
export function sayReadinessHeading(event: ReadinessEvent, audience: Audience): string {
  const { period, is, end } = readDeadline(event, audience);
  const { unapproved, timesheets, through } = event.data.readiness;
  if (unapproved === 0) return `Pay period ${period} ${is}: not all dates are read`;
  const soFar = through === event.data.current?.finishDate ? '' : ' so far';
  const of = `${formatNumber(unapproved)} of ${formatCount(timesheets, 'timesheet')}`;
  return `Approve ${of}${soFar}${end.by}: ${period}${end.was}`;
}

/** What follows the number of timesheets, and the period that should be closed. */
type End = Readonly<Record<'by' | 'was', string>>;

interface Deadline {
  readonly kind: 'open' | 'due' | 'overdue';
  readonly period: string;
  /** `at 10:00`. */
  readonly at: string;
  /** `closes at 10:00 (in 4 h)`. */
  readonly is: string;
  /** ` by 10:00 (in 4 h)`, ` by Tue 3 Nov 10:00`, and always without how long is left. */
  readonly end: End;
  readonly briefEnd: End;
}

function readDeadline({ time, data }: ReadinessEvent, audience: Audience): Deadline {
  const timeContext = toTimeContext(time, audience);
  const period = describePeriod(data.current, data.payPeriodId, timeContext);
  if (data.deadline === null) {
    const end = { by: '', was: '' };
    return { kind: 'open', period, at: '', is: 'is open', end, briefEnd: end };
  }
  const deadline = Date.parse(data.deadline);
  const leftMs = deadline - Date.parse(time);
  const at = formatAt(deadline, timeContext);
  if (leftMs <= 0) {
    const end = { by: '', was: ` was to close ${at}` };
    return { kind: 'overdue', period, at, is: `was to close ${at} and is still open`, end, briefEnd: end };
  }
  const moment = formatMoment(deadline, timeContext);
  const briefEnd = { by: ` by ${moment}`, was: '' };
  const due = { kind: 'due', period, at, briefEnd } as const;
  if (timeContext.day === null) return { ...due, is: `closes ${at}`, end: briefEnd };
  const left = formatLeft(leftMs, data.reminder?.before);
  // Of another day the day says it, and a heading has no room for both.
  const isToday = toLocalDate(deadline, audience.timeZone) === timeContext.day;
  const end = isToday ? { by: ` by ${moment} (in ${left})`, was: '' } : briefEnd;
  return { ...due, is: `closes ${at} (in ${left})`, end };
}

function formatLeft(leftMs: number, before: string | undefined): string {
  const lead = before === undefined ? null : parseLeadMs(before);
  if (before === undefined || lead === null || lead - leftMs > PUNCTUAL_MS)
    return formatDuration(leftMs / 1_000);
  const amount = Number.parseInt(before, 10);
  if (before.endsWith('d')) return formatCount(amount, 'day');
  return before.endsWith('h') ? formatHours(amount) : `${formatNumber(amount)} min`;
}

/** `less`: without what a heading says of them. */
function describeNumbers(event: ReadinessEvent, audience: Audience) {
  const { time, data } = event;
  const { unapproved, unapprovedEmployees, unapprovedHours, through } = data.readiness;
  const day = formatDay(through, toTimeContext(time, audience));
  const upTo = through === data.current?.finishDate ? '' : ` up to ${day}`;
  const notes = listNotes(event, audience);
  const rest = `${describePayroll(event)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
  if (unapproved === 0) {
    const all = formatCount(data.readiness.timesheets, 'timesheet');
    const numbers = `all ${all} that could be counted${upTo} are approved${rest}`;
    return { numbers, less: numbers };
  }
  const timesheets = formatCount(data.readiness.timesheets, 'timesheet');
  const sum = formatHours(unapprovedHours);
  const employees = formatCount(unapprovedEmployees, 'employee');
  const hours = unapprovedEmployees === 0 ? sum : `${sum} of ${employees}`;
  const are = unapproved === 1 ? 'is' : 'are';
  const counted = `${formatNumber(unapproved)} of ${timesheets}${upTo} ${are} not approved, ${hours}`;
  return { numbers: `${counted}${rest}`, less: `${upTo === '' ? hours : counted}${rest}` };
}

/** `12 of 200`. */
export function countUnapproved({
  unapproved,
  timesheets,
}: Pick<ReadinessEvent['data']['readiness'], 'unapproved' | 'timesheets'>): string {
  return `${formatNumber(unapproved)} of ${formatNumber(timesheets)}`;
}

/**
 * What a daily summary says of a period: `Weekly 9-15 Nov, by Tue 17 Nov 10:30`, `12 of 200 to approve` and
 * `84.5 h`. `said`: what of it a heading may say. Null where something is in doubt, which the whole
 * sentence says.
 */
export function summarizeReadiness(
  event: ReadinessEvent,
  audience: Audience,
): Readonly<Record<'period' | 'count' | 'said' | 'rest', string>> | null {
  const { readiness } = event.data;
  if (readiness.unapproved === 0 || listNotes(event, audience).length > 0) return null;
  const { period, briefEnd } = readDeadline(event, audience);
  const { by, was } = briefEnd;
  const said = countUnapproved(readiness);
  return {
    period: `${period}${by === '' ? '' : ','}${by}${was}`,
    count: `${said} to approve`,
    said,
    rest: formatHours(readiness.unapprovedHours),
  };
}

function describePayroll({ data }: ReadinessEvent): string {
  const { payrollUnapproved } = data.readiness;
  if (payrollUnapproved === null || payrollUnapproved === 0) return '';
  return payrollUnapproved === 1
    ? '; 1 approved one waits for payroll'
    : `; ${formatNumber(payrollUnapproved)} approved ones wait for payroll`;
}

function listNotes({ time, data }: ReadinessEvent, audience: Audience): string[] {
  const timeContext = toTimeContext(time, audience);
  const { asOf, sharesDatesWith, membersUnknown } = data.readiness;
  const seenAt = asOf === null ? null : Date.parse(asOf);
  const isOld = seenAt !== null && Date.parse(time) - seenAt > OLD_NUMBERS_MS;
  return [
    ...listDoubts(data.readiness, timeContext),
    ...(isOld ? [`as of ${formatMoment(seenAt, timeContext)}`] : []),
    ...(sharesDatesWith.length === 0
      ? []
      : ['counts all timesheets of these dates, other calendars included']),
    ...(membersUnknown === 0 ? [] : [describeUnknownMembers(membersUnknown, audience)]),
  ];
}

/** `Closed Weekly periods: 3 timesheets, +4.5 h still open`. Nothing where nothing is, or that was not counted. */
export function describeStillOpen({ data: { stillOpen, current } }: ReadinessEvent): string | null {
  if (stillOpen === null) return null;
  const calendar = cleanText(readText(current, 'calendar') ?? '');
  const sum = `${formatCount(stillOpen.timesheets, 'timesheet')}, ${formatChange(stillOpen.hours)}`;
  return `Closed ${calendar} periods: ${sum} still open${stillOpen.complete ? '' : ', as far as known'}`;
}

/** A name where the reader may see it, cleaned; otherwise the kind of record and its id. */
export function callRecord(
  id: string | null,
  kind: 'Department' | 'Employee',
  names: ReadonlyMap<string, string>,
): string {
  return id === null ? `No ${kind.toLowerCase()}` : nameOf(names, id, `${kind} `);
}
