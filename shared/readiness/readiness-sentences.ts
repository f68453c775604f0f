import * as z from 'zod';
import { type Language, languageOf, sayCount } from '#shared/languages/language.ts';
import { say, type Text } from '#shared/languages/text.ts';
import { toLocalDate } from '../core/dates.ts';
import { cleanText } from '../core/messages/clean-text.ts';
import { describeUnknownMembers, listDoubts } from '../core/messages/closing-numbers.ts';
import { formatAt, formatDay, formatMoment } from '../core/messages/moments.ts';
import { formatChange, formatDuration, formatHours, formatNumber } from '../core/messages/numbers.ts';
import { describePeriod } from '../core/messages/pay-period-sentences.ts';
import {
  type Audience,
  envelope,
  readText,
  recordData,
  toTimeContext,
} from '../core/messages/record-events.ts';
import { nameOf } from '../core/messages/timesheet-fields.ts';
import { tolerant } from '../core/tolerant.ts';
import { parseLeadMs } from './deadlines.ts';
import { readinessMembers } from './readiness-data.ts';

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
  const { readiness: words } = languageOf(audience);
  const { period, kind, at, is } = readDeadline(event, audience);
  const { numbers, less } = describeNumbers(event, audience);
  const sentence = say(words.sentence, { period, deadline: is, numbers });
  if (kind === 'due') return { sentence, facts: less };
  return { sentence, facts: say<string>(words.facts[kind], { at, numbers }) };
}

/** `Approve 4 of 99 timesheets by 10:30 (in 1 h): Weekly 9-15 Nov`. */
export function sayReadinessHeading(event: ReadinessEvent, audience: Audience): string {
  const language = languageOf(audience);
  const { readiness: words } = language;
  const { period, is, end } = readDeadline(event, audience);
  const { unapproved, timesheets, through } = event.data.readiness;
  if (unapproved === 0) return say(words.unread, { period, deadline: is });
  return say(words.approveOf, {
    period,
    n: formatNumber(unapproved, language),
    timesheets: sayCount(language.forms.timesheets, timesheets, language),
    soFar: through === event.data.current?.finishDate ? '' : words.soFar,
    ...end,
  });
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
  const { deadline: words, by, byIn, wasToClose } = languageOf(audience).readiness;
  const period = describePeriod(data.current, data.payPeriodId, timeContext);
  if (data.deadline === null) {
    const end = { by: '', was: '' };
    return { kind: 'open', period, at: '', is: words.open, end, briefEnd: end };
  }
  const deadline = Date.parse(data.deadline);
  const leftMs = deadline - Date.parse(time);
  const at = formatAt(deadline, timeContext);
  if (leftMs <= 0) {
    const end = { by: '', was: say(wasToClose, { at }) };
    return { kind: 'overdue', period, at, is: say(words.overdue, { at }), end, briefEnd: end };
  }
  const moment = formatMoment(deadline, timeContext);
  const briefEnd = { by: say(by, { moment }), was: '' };
  const due = { kind: 'due', period, at, briefEnd } as const;
  if (timeContext.day === null) return { ...due, is: say(words.closes, { at }), end: briefEnd };
  const left = formatLeft(leftMs, data.reminder?.before, languageOf(audience));
  // Of another day the day says it, and a heading has no room for both.
  const isToday = toLocalDate(deadline, audience.timeZone) === timeContext.day;
  const end = isToday ? { by: say(byIn, { moment, left }), was: '' } : briefEnd;
  return { ...due, is: say(words.closesIn, { at, left }), end };
}

function formatLeft(leftMs: number, before: string | undefined, language: Language): string {
  const lead = before === undefined ? null : parseLeadMs(before);
  if (before === undefined || lead === null || lead - leftMs > PUNCTUAL_MS)
    return formatDuration(leftMs / 1_000, language);
  const amount = Number.parseInt(before, 10);
  if (before.endsWith('d')) return sayCount(language.forms.days, amount, language);
  const unit = before.endsWith('h') ? language.forms.hours : language.forms.minutes;
  return say(unit, { n: formatNumber(amount, language) });
}

/** `less`: without what a heading says of them. */
function describeNumbers(event: ReadinessEvent, audience: Audience) {
  const { time, data } = event;
  const language = languageOf(audience);
  const { readiness: words, forms } = language;
  const { unapproved, unapprovedEmployees, unapprovedHours, through } = data.readiness;
  const day = formatDay(through, toTimeContext(time, audience));
  const upTo = through === data.current?.finishDate ? '' : say(words.upTo, { day });
  const notes = listNotes(event, audience);
  const rest = `${describePayroll(event, language)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
  if (unapproved === 0) {
    const numbers = `${sayCount(words.allApproved, data.readiness.timesheets, language, { upTo })}${rest}`;
    return { numbers, less: numbers };
  }
  const timesheets = sayCount(forms.timesheets, data.readiness.timesheets, language);
  const sum = formatHours(unapprovedHours, language);
  const employees = sayCount(forms.employees, unapprovedEmployees, language);
  const hours = unapprovedEmployees === 0 ? sum : say(words.hoursOf, { hours: sum, employees });
  const counted = sayCount(words.notApproved, unapproved, language, { timesheets, upTo, hours });
  return { numbers: `${counted}${rest}`, less: `${upTo === '' ? hours : counted}${rest}` };
}

/** `12 of 200`. */
export function countUnapproved(
  { unapproved, timesheets }: Pick<ReadinessEvent['data']['readiness'], 'unapproved' | 'timesheets'>,
  language: Language,
): string {
  const [n, all] = [unapproved, timesheets].map((each) => formatNumber(each, language));
  return say(language.readiness.count, { n: n ?? '', all: all ?? '' });
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
  const language = languageOf(audience);
  const { period, briefEnd } = readDeadline(event, audience);
  const { by, was } = briefEnd;
  const said = countUnapproved(readiness, language);
  return {
    period: `${period}${by === '' ? '' : ','}${by}${was}`,
    count: say(language.readiness.toApprove, { count: said }),
    said,
    rest: formatHours(readiness.unapprovedHours, language),
  };
}

function describePayroll({ data }: ReadinessEvent, language: Language): string {
  const { payrollUnapproved } = data.readiness;
  if (payrollUnapproved === null || payrollUnapproved === 0) return '';
  return sayCount(language.readiness.waitForPayroll, payrollUnapproved, language);
}

function listNotes({ time, data }: ReadinessEvent, audience: Audience): string[] {
  const timeContext = toTimeContext(time, audience);
  const { asOf: asOfMoment, sharedDates } = languageOf(audience).closings;
  const { asOf, sharesDatesWith, membersUnknown } = data.readiness;
  const seenAt = asOf === null ? null : Date.parse(asOf);
  const isOld = seenAt !== null && Date.parse(time) - seenAt > OLD_NUMBERS_MS;
  return [
    ...listDoubts(data.readiness, timeContext),
    ...(isOld ? [say(asOfMoment, { moment: formatMoment(seenAt, timeContext) })] : []),
    ...(sharesDatesWith.length === 0 ? [] : [sharedDates]),
    ...(membersUnknown === 0 ? [] : [describeUnknownMembers(membersUnknown, audience)]),
  ];
}

/** `Closed Weekly periods: 3 timesheets, +4.5 h still open`. Nothing where nothing is, or that was not counted. */
export function describeStillOpen(
  { data: { stillOpen, current } }: ReadinessEvent,
  language: Language,
): string | null {
  if (stillOpen === null) return null;
  const { readiness: words, forms } = language;
  return say(words.stillOpen, {
    calendar: cleanText(readText(current, 'calendar') ?? ''),
    timesheets: sayCount(forms.timesheets, stillOpen.timesheets, language),
    change: formatChange(stillOpen.hours, language),
    notAll: stillOpen.complete ? '' : words.stillOpenNotAll,
  });
}

/** A name where the reader may see it, cleaned; otherwise the kind of record and its id. */
export function callRecord(
  id: string | null,
  kind: Readonly<Record<'none', string>> & { readonly unnamed: Text<'id'> },
  names: ReadonlyMap<string, string>,
): string {
  return id === null ? kind.none : nameOf(names, id, kind.unnamed);
}
