import * as z from 'zod';
import { addDays, toLocalDate } from '../core/dates.ts';
import { cleanText, fitLine } from '../core/messages/clean-text.ts';
import { describeUnknownMembers, listDoubts } from '../core/messages/closing-numbers.ts';
import { formatAt, formatDay, formatMoment, type MessageTimeContext } from '../core/messages/moments.ts';
import { formatCount, formatDuration, formatHours, formatNumber } from '../core/messages/numbers.ts';
import { describePeriod, SHARED_DATES } from '../core/messages/pay-period-sentences.ts';
import { type Audience, envelope, recordData, toTimeContext } from '../core/messages/record-events.ts';
import { tolerant } from '../core/tolerant.ts';
import { parseLeadMs } from './deadlines.ts';
import { readinessMembers } from './readiness-data.ts';

/** Dates of open periods are read every few minutes: older numbers are given with their time. */
const OLD_NUMBERS_MS = 600_000;
/** A reminder that comes so late says how long is really left. */
const PUNCTUAL_MS = 300_000;
const LEAD_UNITS = { d: 'day', h: 'h', m: 'min' } as const;

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
  }),
});
export type ReadinessEvent = z.output<typeof readinessEventSchema>;

export function isReadinessEvent(event: { readonly type: string }): event is ReadinessEvent {
  return event.type === readinessEventSchema.shape.type.value;
}

/** `Pay period Weekly 9-15 Nov closes at 10:00 (in 4 h): 12 of 200 timesheets are not approved, 84.5 h of 9 employees.` */
export function toReadinessSentence(event: ReadinessEvent, audience: Audience): string {
  const timeContext = toTimeContext(event.time, audience);
  const { readiness } = event.data;
  const notes = listNotes(event, audience);
  return fitLine(
    `Pay period ${describeEventPeriod(event, timeContext)} ${describeDeadline(event, timeContext)}: ${describeNumbers(event, audience)}${describeSince(event, audience)}${describeDoubles(readiness)}${describePayroll(readiness)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`,
    '.',
  );
}

/** The same in at most `max` characters, the first form that fits. */
export function buildReadinessHeading(
  event: ReadinessEvent,
  audience: Audience,
  max: number,
): string | undefined {
  const timeContext = toTimeContext(event.time, audience);
  const { unapproved, timesheets, through } = event.data.readiness;
  const soFar = through === event.data.current?.finishDate ? '' : ' so far';
  const period = describeEventPeriod(event, timeContext);
  if (unapproved > 0) {
    const asked = `Approve ${formatNumber(unapproved)}`;
    const all = ` of ${formatCount(timesheets, 'timesheet')}${soFar}`;
    const forms = listDeadlines(event, timeContext).flatMap(([by, is]) => [
      `${asked}${all}${by}: ${period}${is}`,
      `${asked} ${unapproved === 1 ? 'timesheet' : 'timesheets'}${by}: ${period}${is}`,
    ]);
    const unnamed = listDeadlines(event, timeContext).map(([by]) => `${asked}${all}${by} of a pay period`);
    return [...forms, ...unnamed].find(({ length }) => length <= max);
  }
  const numbers = 'not all dates are read';
  const long = describeDeadline(event, timeContext);
  const short = long.replace(/ \(.*\)/, '');
  const forms = [
    `Pay period ${period} ${long}: ${numbers}`,
    `${period} ${long}: ${numbers}`,
    `${period} ${short}: ${numbers}`,
    `A pay period ${long}: ${numbers}`,
    `A pay period ${short}: ${numbers}`,
  ];
  return forms.find(({ length }) => length <= max);
}

/** ` by 10:30 (in 1 h)`, or what follows the name of a period that should be closed: the longest first. */
function listDeadlines({ time, data }: ReadinessEvent, timeContext: MessageTimeContext): [string, string][] {
  if (data.deadline === null) return [['', '']];
  const deadline = Date.parse(data.deadline);
  const leftMs = deadline - Date.parse(time);
  if (leftMs <= 0)
    return [
      ['', ` was to close ${formatAt(deadline, timeContext)}`],
      ['', ''],
    ];
  const by = ` by ${formatMoment(deadline, timeContext)}`;
  const left = timeContext.day === null ? '' : ` (in ${formatLeft(leftMs, data.reminder?.before)})`;
  return [
    [`${by}${left}`, ''],
    [by, ''],
    ['', ''],
  ];
}

function describeEventPeriod({ data }: ReadinessEvent, timeContext: MessageTimeContext): string {
  return describePeriod(data.current, data.payPeriodId, timeContext);
}

/** `closes on Fri 20 Nov at 10:00 (in 1 day)`, `is open`, `was to close at 10:00 and is still open`. */
function describeDeadline({ time, data }: ReadinessEvent, timeContext: MessageTimeContext): string {
  if (data.deadline === null) return 'is open';
  const deadline = Date.parse(data.deadline);
  const leftMs = deadline - Date.parse(time);
  const at = formatAt(deadline, timeContext);
  if (leftMs <= 0) return `was to close ${at} and is still open`;
  return timeContext.day === null
    ? `closes ${at}`
    : `closes ${at} (in ${formatLeft(leftMs, data.reminder?.before)})`;
}

function formatLeft(leftMs: number, before: string | undefined): string {
  const lead = before === undefined ? null : parseLeadMs(before);
  if (before === undefined || lead === null || lead - leftMs > PUNCTUAL_MS)
    return formatDuration(leftMs / 1_000);
  const unit = LEAD_UNITS[before.slice(-1) as keyof typeof LEAD_UNITS];
  const amount = Number.parseInt(before, 10);
  return unit === 'day' ? formatCount(amount, unit) : `${formatNumber(amount)} ${unit}`;
}

function describeNumbers({ time, data }: ReadinessEvent, audience: Audience): string {
  const timeContext = toTimeContext(time, audience);
  const { timesheets, unapproved, unapprovedEmployees, unapprovedHours, through } = data.readiness;
  const upTo = through === data.current?.finishDate ? '' : ` up to ${formatDay(through, timeContext)}`;
  if (unapproved === 0)
    return `all ${formatCount(timesheets, 'timesheet')} that could be counted${upTo} are approved`;
  const are = unapproved === 1 ? 'is' : 'are';
  // Of some departments of a long list it is not known how many people they share.
  const whose = unapprovedEmployees === 0 ? '' : ` of ${formatCount(unapprovedEmployees, 'employee')}`;
  const where = audience.isManager === true ? ' of your departments' : '';
  return `${formatNumber(unapproved)} of ${formatCount(timesheets, 'timesheet')}${where}${upTo} ${are} not approved, ${formatHours(unapprovedHours)}${whose}`;
}

/** `; unchanged since Mon 2 Nov 10:30`, or `; it was 10 on Mon 2 Nov at 10:30`. Empty the first time. */
function describeSince(event: ReadinessEvent, audience: Audience): string {
  const { toldBefore } = audience;
  const { unapproved } = event.data.readiness;
  if (toldBefore === undefined || unapproved === 0) return '';
  const timeContext = toTimeContext(event.time, audience);
  return toldBefore.isSame
    ? `; unchanged since ${formatMoment(toldBefore.at, timeContext)}`
    : `; it was ${formatNumber(toldBefore.unapproved)} ${formatAt(toldBefore.at, timeContext)}`;
}

/**
 * What a daily summary says of a period: `Weekly 9-15 Nov, by Tue 17 Nov 10:30`, `12 of 200 to approve` and
 * `84.5 h (10 yesterday)`. Null where something is in doubt, which the whole sentence says.
 */
export function summarizeReadiness(
  event: ReadinessEvent,
  audience: Audience,
): Readonly<Record<'period' | 'count' | 'rest', string>> | null {
  const { unapproved, timesheets, unapprovedHours } = event.data.readiness;
  if (unapproved === 0 || listNotes(event, audience).length > 0) return null;
  const timeContext = toTimeContext(event.time, audience);
  const [[by, is] = ['', '']] = listDeadlines(event, timeContext).slice(-2);
  return {
    period: `${describeEventPeriod(event, timeContext)}${by === '' ? '' : ','}${by}${is}`,
    count: `${formatNumber(unapproved)} of ${formatNumber(timesheets)} to approve`,
    rest: `${formatHours(unapprovedHours)}${describeDayBefore(event, audience)}${describeDoubles(event.data.readiness, ',')}`,
  };
}

/** ` (10 yesterday)`, ` (unchanged since Fri 6 Nov)`. */
function describeDayBefore(event: ReadinessEvent, audience: Audience): string {
  const { toldBefore, timeZone } = audience;
  if (toldBefore === undefined) return '';
  const timeContext = toTimeContext(event.time, audience);
  const [day, today] = [toldBefore.at, Date.parse(event.time)].map((at) => toLocalDate(at, timeZone));
  if (day === undefined || today === undefined || day === today) return '';
  const then = audience.isHeld !== true && day === addDays(today, -1) ? 'yesterday' : null;
  return toldBefore.isSame
    ? ` (unchanged since ${then ?? formatDay(day, timeContext)})`
    : ` (${formatNumber(toldBefore.unapproved)} ${then ?? `on ${formatDay(day, timeContext)}`})`;
}

function describePayroll({ payrollUnapproved }: ReadinessEvent['data']['readiness']): string {
  if (payrollUnapproved === null || payrollUnapproved === 0) return '';
  return `; ${formatNumber(payrollUnapproved)} approved ${payrollUnapproved === 1 ? 'one waits' : 'ones wait'} for payroll`;
}

/** `; 2 possible doubles`: times of one person that overlap. */
function describeDoubles({ possibleDoubles = 0 }: ReadinessEvent['data']['readiness'], by = ';'): string {
  return possibleDoubles === 0 ? '' : `${by} ${formatCount(possibleDoubles, 'possible double')}`;
}

function listNotes({ time, data }: ReadinessEvent, audience: Audience): string[] {
  const timeContext = toTimeContext(time, audience);
  const { asOf, sharesDatesWith, membersUnknown } = data.readiness;
  const seenAt = asOf === null ? null : Date.parse(asOf);
  const isOld = seenAt !== null && Date.parse(time) - seenAt > OLD_NUMBERS_MS;
  return [
    ...listDoubts(data.readiness, timeContext),
    ...(isOld ? [`as of ${formatMoment(seenAt, timeContext)}`] : []),
    ...(sharesDatesWith.length === 0 ? [] : [SHARED_DATES]),
    ...(membersUnknown === 0 ? [] : [describeUnknownMembers(membersUnknown, audience)]),
  ];
}

/** A name where the reader may see it, cleaned; otherwise the kind of record and its id. */
export function callRecord(id: string | null, kind: string, names: ReadonlyMap<string, string>): string {
  if (id === null) return `No ${kind}`;
  const name = cleanText(names.get(id) ?? '');
  return name === '' ? `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${cleanText(id)}` : name;
}
