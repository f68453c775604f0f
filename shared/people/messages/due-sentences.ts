import * as z from 'zod';
import { toLocalDate } from '../../core/dates.ts';
import { dueMembers } from '../../core/periods/account-data.ts';
import { tolerant } from '../../core/tolerant.ts';
import { parseLeadMs } from '../../period/deadlines.ts';
import { formatPeople, listReserves, sayReopened, toldAccountSchema } from './account-sentences.ts';
import { cleanText } from './clean-text.ts';
import { formatAt, formatDay, formatMoment } from './moments.ts';
import { formatChange, formatCount, formatDuration, formatHours, formatNumber } from './numbers.ts';
import { describePeriod } from './pay-period-sentences.ts';
import { type Audience, envelope, readText, recordData, toTimeContext } from './record-events.ts';

/** Dates of open periods are read every few minutes: older figures are given with their time. */
const OLD_FIGURES_MS = 600_000;
/** A reminder that comes so late says how long is really left. */
const PUNCTUAL_MS = 300_000;

/** An event about a moment before a period closes, as far as its sentence needs it. Members of later versions pass. */
export const dueEventSchema = z.looseObject({
  ...envelope,
  type: z.literal('workforce.pay_period.due'),
  data: z.looseObject({
    payPeriodId: z.string(),
    ...recordData,
    reminder: tolerant(dueMembers.reminder),
    stillOpen: tolerant(dueMembers.stillOpen),
    account: toldAccountSchema,
  }),
});
export type DueEvent = z.output<typeof dueEventSchema>;

export function isDueEvent(event: { readonly type: string }): event is DueEvent {
  return event.type === dueEventSchema.shape.type.value;
}

/** `Pay period Weekly 9-15 Nov closes at 10:00 (in 4 h): 12 of 200 timesheets are not approved, 84.5 h of 9 people` */
export function sayDue(event: DueEvent, audience: Audience): Readonly<Record<'sentence' | 'facts', string>> {
  const { period, kind, is } = readDeadline(event, audience);
  const { figures, less } = sayFigures(event, audience);
  const sentence = `Pay period ${period} ${is}: ${figures}`;
  if (kind === 'due') return { sentence, facts: less };
  return { sentence, facts: `${is.replace(/^(?:is|was) (?=open|reopened)/, '')}: ${figures}` };
}

/** `Approve 4 of 99 timesheets by 10:30 (in 1 h): Weekly 9-15 Nov`. */
export function sayDueHeading(event: DueEvent, audience: Audience): string {
  const { period, is, end } = readDeadline(event, audience);
  const { account, current } = event.data;
  if (account.notReady.timesheets === 0) {
    const open = account.changes === null ? 'it' : formatChange(account.changes.open.hours);
    const [doubt = `${open} still open`] = listNotes(event, audience);
    return `Pay period ${period} ${is}: ${doubt}`;
  }
  const soFar = account.through === current?.finishDate ? '' : ' so far';
  const of = `${formatNumber(account.notReady.timesheets)} of ${formatCount(account.timesheets, 'timesheet')}`;
  return `Approve ${of}${soFar}${end.by}: ${period}${end.was}`;
}

/** What follows the number of timesheets, and the period that should be closed. */
type End = Readonly<Record<'by' | 'was', string>>;

interface Deadline {
  readonly kind: 'due' | 'other';
  readonly period: string;
  /** `closes at 10:00 (in 4 h)`. */
  readonly is: string;
  /** ` by 10:00 (in 4 h)`, ` by Tue 3 Nov 10:00`, and always without how long is left. */
  readonly end: End;
  readonly briefEnd: End;
}

function readDeadline({ time, data }: DueEvent, audience: Audience): Deadline {
  const timeContext = toTimeContext(time, audience);
  const { closesAt, state } = data.account;
  const period = describePeriod(data.current, data.payPeriodId, timeContext);
  const deadline = closesAt === null ? null : Date.parse(closesAt);
  const leftMs = deadline === null ? 0 : deadline - Date.parse(time);
  if (state === 'reopened' && leftMs <= 0) {
    const reopened = sayReopened(data.account, { ...audience, now: Date.parse(time) });
    const end = { by: '', was: `, ${reopened}` };
    return { kind: 'other', period, is: `was ${reopened}`, end, briefEnd: end };
  }
  if (deadline === null) {
    const end = { by: '', was: '' };
    return { kind: 'other', period, is: 'is open', end, briefEnd: end };
  }
  const at = formatAt(deadline, timeContext);
  if (leftMs <= 0) {
    const end = { by: '', was: ` was to close ${at}` };
    return { kind: 'other', period, is: `was to close ${at} and is still open`, end, briefEnd: end };
  }
  const moment = formatMoment(deadline, timeContext);
  const briefEnd = { by: ` by ${moment}`, was: '' };
  const due = { kind: 'due', period, briefEnd } as const;
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
function sayFigures(event: DueEvent, audience: Audience) {
  const { time, data } = event;
  const { notReady, timesheets, through } = data.account;
  const upTo =
    through === data.current?.finishDate ? '' : ` up to ${formatDay(through, toTimeContext(time, audience))}`;
  const notes = listNotes(event, audience);
  const rest = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  const all = formatCount(timesheets, 'timesheet');
  if (notReady.timesheets === 0) {
    const counted = notes.length === 0 ? '' : ' that could be counted';
    const figures = `all ${all}${counted}${upTo} are approved${rest}`;
    return { figures, less: figures };
  }
  const people = notReady.people === 0 ? '' : ` of ${formatPeople(notReady.people)}`;
  const hours = `${formatHours(notReady.hours)}${people}`;
  const are = notReady.timesheets === 1 ? 'is' : 'are';
  const counted = `${formatNumber(notReady.timesheets)} of ${all}${upTo} ${are} not approved, ${hours}`;
  return { figures: `${counted}${rest}`, less: `${upTo === '' ? hours : counted}${rest}` };
}

/** What is in doubt of the figures, and their age. */
function listNotes({ time, data: { account } }: DueEvent, audience: Audience): string[] {
  const now = Date.parse(time);
  const seenAt = account.asOf === null ? now : Date.parse(account.asOf);
  const isOld = now - seenAt > OLD_FIGURES_MS;
  return [
    ...listReserves(account, { ...audience, now }),
    ...(isOld ? [`as of ${formatMoment(seenAt, toTimeContext(time, audience))}`] : []),
  ];
}

/** `12 of 200`. */
export function countNotApproved({ data: { account } }: DueEvent): string {
  return `${formatNumber(account.notReady.timesheets)} of ${formatNumber(account.timesheets)}`;
}

/**
 * What a daily summary says of a period: `Weekly 9-15 Nov, by Tue 17 Nov 10:30`, `12 of 200 to approve` and `84.5 h`.
 * `said`: what of it a heading may say. Null where something is in doubt, which the whole sentence says.
 */
export function summarizeDue(
  event: DueEvent,
  audience: Audience,
): Readonly<Record<'period' | 'count' | 'said' | 'rest', string>> | null {
  const { notReady, state } = event.data.account;
  if (notReady.timesheets === 0 || state !== 'open' || listNotes(event, audience).length > 0) return null;
  const { period, briefEnd } = readDeadline(event, audience);
  const { by, was } = briefEnd;
  const said = countNotApproved(event);
  return {
    period: `${period}${by === '' ? '' : ','}${by}${was}`,
    count: `${said} to approve`,
    said,
    rest: formatHours(notReady.hours),
  };
}

/** `Closed Weekly periods: 3 timesheets, +4.5 h still open`. Null where nothing is. */
export function sayOpenOfClosed({ data: { stillOpen, current } }: DueEvent): string | null {
  if (stillOpen === null) return null;
  const closed = `Closed ${cleanText(readText(current, 'calendar') ?? '')} periods`;
  const { timesheets, hours, complete } = stillOpen;
  if (timesheets === null || hours === null) return `${closed}: what is still open is not known`;
  const sum = `${formatCount(timesheets, 'timesheet')}, ${formatChange(hours)}`;
  return `${closed}: ${sum} still open${complete ? '' : ', as far as known'}`;
}
