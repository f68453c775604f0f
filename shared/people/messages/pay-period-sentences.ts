import * as z from 'zod';
import { parseMidnightDate } from '../../core/dates.ts';
import { SHORT_EVENT_TYPES, type ShortEventType, toEventType } from '../../core/event-types.ts';
import type { Names } from '../names/names.ts';
import { cleanText } from './clean-text.ts';
import {
  describeAgreement,
  describeDifference,
  describeLeftovers,
  describeSums,
  describeUnknownMembers,
  describeWaiting,
  listDoubts,
  type Manifest,
  manifestSchema,
} from './closing-numbers.ts';
import type { FieldsInWords } from './field-changes.ts';
import { formatDates, formatDay, formatMoment, formatWhen, type MessageTimeContext } from './moments.ts';
import { formatCount, formatHours, formatNumber } from './numbers.ts';
import {
  type Audience,
  describeOccurrence,
  type EventState,
  envelope,
  readText,
  recordData,
  toTimeContext,
} from './record-events.ts';

/** Totals older than the closing by more than this are given with their time: later approvals are not in them. */
const OLD_NUMBERS_MS = 120_000;
type ChangeOfPeriod = Exclude<
  Extract<ShortEventType, `pay_period.${string}`>,
  `${string}.${'readiness' | 'statement' | 'snapshot'}`
>;
const TYPES = SHORT_EVENT_TYPES.filter((type): type is ChangeOfPeriod =>
  /^pay_period\.(?!readiness$|statement$|snapshot$)/.test(type),
).map(toEventType);

/** An event about a pay period, as far as its sentence needs it. */
export const payPeriodEventSchema = z.looseObject({
  ...envelope,
  type: z.enum(TYPES),
  data: z.looseObject({
    payPeriodId: z.string(),
    ...recordData,
    closeManifest: manifestSchema.optional(),
  }),
});
export type PayPeriodEvent = z.output<typeof payPeriodEventSchema>;

/** What the sentences about a change of a pay period are made of. */
interface PeriodMention {
  readonly data: PayPeriodEvent['data'];
  /** `Weekly 9-15 Nov`. */
  readonly period: string;
  /** `at 10:01`, or between which two reads. */
  readonly when: string;
  /** `, after it closed`, or empty. */
  readonly late: string;
  readonly timeContext: MessageTimeContext;
}

export function createPeriodMention({ time, data }: PayPeriodEvent, audience: Audience): PeriodMention {
  const timeContext = toTimeContext(time, audience);
  return {
    data,
    period: describePeriodOf(data, timeContext),
    when: describeOccurrence(data, timeContext),
    late: data.late.includes('close') ? ', after it closed' : '',
    timeContext,
  };
}

/** `Pay 1,912.5 h for Weekly 10-16 Nov (51 people)`, or what is to be done before, for a mail's subject. */
export function buildClosingHeading(event: PayPeriodEvent, audience: Audience): string {
  const { data, period, timeContext } = createPeriodMention(event, audience);
  const { closeManifest } = data;
  const closed = `Pay period ${period} closed${isAgain(data) ? ' again' : ''}`;
  if (closeManifest === undefined) return closed;
  const age = describeAge(closeManifest, { timeContext, time: event.time });
  const action = age === null ? describePayment(closeManifest, period) : null;
  if (action !== null) return action;
  if (!speaksForItself(closeManifest)) return closed;
  const numbers = `${describeLeftovers(closeManifest)}${age === null ? '' : ` (${age})`}`;
  return `${closed}: ${numbers}`;
}

type PayableNumbers = Pick<
  Manifest,
  'complete' | 'timesheets' | 'employees' | 'hoursToPay' | 'unapproved' | 'unprocessed'
> &
  Pick<
    Manifest,
    'sharesDatesWith' | 'members' | 'membersUnknown' | 'addsUp' | 'asLastSeen' | 'lookedAtBefore'
  >;

/** Null where the numbers are in doubt: nobody must pay by them. */
export function describePayment(manifest: PayableNumbers, period: string): string | null {
  const { employees, unapproved, unprocessed, addsUp } = manifest;
  const { membersUnknown, asLastSeen = 0, lookedAtBefore } = manifest;
  const isSure = (membersUnknown ?? 0) === 0 && asLastSeen === 0 && lookedAtBefore === undefined;
  if (!isSure || !speaksForItself(manifest)) return null;
  const hours = formatHours(manifest.hoursToPay);
  const timesheets = formatCount(manifest.timesheets, 'timesheet');
  if (unapproved > 0)
    return `Check ${formatNumber(unapproved)} of ${timesheets} before you pay ${period} (${hours})`;
  if (unprocessed > 0) return `Process ${formatNumber(unprocessed)} of ${timesheets} of ${period} (${hours})`;
  if (addsUp === false) return `Check ${hours} before you pay ${period}: the totals differ`;
  return employees === 1
    ? `Pay ${hours} for ${period} (1 person)`
    : `Pay ${hours} for ${period} (${formatNumber(employees)} people)`;
}

/** Whether numbers need no explanation, for which a heading has no room. */
function speaksForItself({
  complete,
  timesheets,
  sharesDatesWith,
  members,
}: Pick<Manifest, 'complete' | 'timesheets' | 'sharesDatesWith' | 'members'>): boolean {
  return complete && timesheets > 0 && sharesDatesWith.length === 0 && members !== 'partly';
}

/** `Weekly 9-15 Nov`. */
export function describePeriodOf(
  { current, previous, payPeriodId }: Pick<PayPeriodEvent['data'], 'current' | 'previous' | 'payPeriodId'>,
  timeContext: MessageTimeContext,
): string {
  return describePeriod(current ?? previous, payPeriodId, timeContext);
}

/** `Weekly 9-15 Nov`, or only the dates. */
export function describePeriod(state: EventState, id: string, timeContext: MessageTimeContext): string {
  const [from, to] = [readText(state, 'startDate'), readText(state, 'finishDate')];
  const calendar = cleanText(readText(state, 'calendar') ?? '');
  if (from === null || to === null) return cleanText(id);
  const dates = formatDates(from, to, timeContext);
  return calendar === '' ? dates : `${calendar} ${dates}`;
}

/** `; it was closed on Mon 16 Nov`. */
export function describeFormerClosing(previous: EventState, timeContext: MessageTimeContext): string {
  const closed = formatClosing(readText(previous, 'closed'), { ...timeContext, day: null });
  return closed === null ? '' : `; it was closed ${closed}`;
}

/** Null for the day that is left out. Some sources write a date as its midnight; the time of day is dropped then. */
function formatClosing(closed: string | null, timeContext: MessageTimeContext): string | null {
  if (closed === null) return null;
  const date = parseMidnightDate(closed, timeContext.timeZone) ?? closed;
  return date === timeContext.day ? null : formatWhen(date, timeContext);
}

type Closing = Pick<PayPeriodEvent['data'], 'occurredAt' | 'previous' | 'closeManifest' | 'settles'>;

/** Closed before: another instant, a reopening in between, or numbers of a closing before it. */
function isAgain({ previous, closeManifest, settles }: Closing): boolean {
  return (
    readText(previous, 'closed') !== null ||
    settles?.some(({ type }) => type === 'workforce.pay_period.reopened') === true ||
    closeManifest?.change != null
  );
}

/** The day is left out when the period closed on the day on which that was seen. */
export function describeClosing(
  closing: Closing,
  timeContext: MessageTimeContext,
): Readonly<Record<'again' | 'before' | 'on', string>> {
  const before = formatClosing(readText(closing.previous, 'closed'), { ...timeContext, day: null });
  const on = formatClosing(closing.occurredAt, timeContext);
  return {
    again: isAgain(closing) ? ' again' : '',
    before: before === null ? '' : ` (before that ${before})`,
    on: on === null ? '' : ` ${on}`,
  };
}

interface ClosingContext {
  readonly timeContext: MessageTimeContext;
  /** When the closing was seen, RFC 3339. */
  readonly time: string;
  readonly names: Names;
  readonly serviceName?: string | undefined;
}

export function describeTotals(manifest: Manifest | undefined, seen: ClosingContext): string {
  if (manifest === undefined) return '; its totals are not available';
  const { complete, asOf, timesheets } = manifest;
  if (!complete && (asOf === null || timesheets === 0))
    return '; its totals are not available, since its dates have not been read completely';
  const sums = [
    describeSums(manifest),
    ...(manifest.change == null ? [] : [describeDifference(manifest.change.hours)]),
  ].join(', ');
  const left = describeLeftovers(manifest, describeWaiting(manifest, seen));
  const counted = timesheets === 0 ? '; no timesheets on its dates' : `: ${sums}; ${left}`;
  return `${counted}${describeAgreement(manifest, seen)}${describeNotes(manifest, seen)}`;
}

/** ` (as of 10:00)`; empty when the totals need no explanation. */
export function describeNotes(manifest: Manifest, seen: ClosingContext): string {
  const notes = listNotes(manifest, seen);
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

/** What a reader must know about the totals. */
function listNotes(manifest: Manifest, seen: ClosingContext): string[] {
  const { sharesDatesWith, membersUnknown } = manifest;
  const notes = listDoubts(manifest, seen.timeContext);
  const age = describeAge(manifest, seen);
  if (age !== null) notes.push(age);
  if (sharesDatesWith.length > 0)
    notes.push('counts all timesheets of these dates, other calendars included');
  if (membersUnknown != null && membersUnknown > 0) notes.push(describeUnknownMembers(membersUnknown, seen));
  return notes;
}

/** `as of 10:00`; null when the totals are current. */
function describeAge(
  { asOf }: Manifest,
  { timeContext, time }: Omit<ClosingContext, 'names'>,
): string | null {
  const seenAt = asOf === null ? null : Date.parse(asOf);
  if (seenAt === null || Date.parse(time) - seenAt <= OLD_NUMBERS_MS) return null;
  return `as of ${formatMoment(seenAt, timeContext)}`;
}

const LABELS = {
  calendar: 'calendar',
  startDate: 'first day',
  finishDate: 'last day',
  payRollCompanyId: 'payroll company',
  payRollProvider: 'payroll provider',
} as const;

/** Words for each watched field of a pay period. */
export function createPeriodFieldWords(timeContext: MessageTimeContext): FieldsInWords {
  const day = (date: string) => formatDay(date, timeContext);
  const formats: Readonly<Record<keyof typeof LABELS, (value: string) => string>> = {
    calendar: cleanText,
    startDate: day,
    finishDate: day,
    payRollCompanyId: cleanText,
    payRollProvider: cleanText,
  };
  const isKnown = (field: string): field is keyof typeof LABELS => Object.hasOwn(formats, field);
  const wordsOf = (field: string) =>
    isKnown(field)
      ? {
          label: LABELS[field],
          valueText: (value: unknown) => (typeof value === 'string' ? formats[field](value) : null),
        }
      : undefined;
  return { wordsOf };
}
