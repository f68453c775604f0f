import * as z from 'zod';
import { type Language, languageOf, sayCount } from '../../languages/language.ts';
import { type Filled, say } from '../../languages/text.ts';
import type { Names } from '../../names/names.ts';
import { parseMidnightDate } from '../dates.ts';
import { SHORT_EVENT_TYPES, type ShortEventType, toEventType } from '../event-types.ts';
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
import { formatHours, formatNumber } from './numbers.ts';
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
  readonly language: Language;
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
  const language = languageOf(audience);
  return {
    data,
    language,
    period: describePeriodOf(data, timeContext),
    when: describeOccurrence(data, timeContext),
    late: data.late.includes('close') ? language.payPeriods.late : '',
    timeContext,
  };
}

/** `Pay 1,912.5 h for Weekly 10-16 Nov (51 people)`, or what is to be done before, for a mail's subject. */
export function buildClosingHeading(event: PayPeriodEvent, audience: Audience): string {
  const { data, period, timeContext, language } = createPeriodMention(event, audience);
  const { payPeriods: words } = language;
  const { closeManifest } = data;
  const named = { period, again: isAgain(data) ? words.again : '' };
  const closed = say(words.closed, named);
  if (closeManifest === undefined) return closed;
  const age = describeAge(closeManifest, { timeContext, time: event.time });
  const action = age === null ? describePayment(closeManifest, period, language) : null;
  if (action !== null) return action;
  if (!speaksForItself(closeManifest)) return closed;
  const numbers = `${describeLeftovers(closeManifest, language)}${age === null ? '' : ` (${age})`}`;
  return say(words.closedWith, { ...named, numbers });
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
export function describePayment(manifest: PayableNumbers, period: string, language: Language): string | null {
  const { employees, unapproved, unprocessed, addsUp } = manifest;
  const { membersUnknown, asLastSeen = 0, lookedAtBefore } = manifest;
  const isSure = (membersUnknown ?? 0) === 0 && asLastSeen === 0 && lookedAtBefore === undefined;
  if (!isSure || !speaksForItself(manifest)) return null;
  const { actions } = language.closings;
  const hours = formatHours(manifest.hoursToPay, language);
  const timesheets = sayCount(language.forms.timesheets, manifest.timesheets, language);
  const of = (n: number) => ({ n: formatNumber(n, language), timesheets, period, hours });
  if (unapproved > 0) return say(actions.check, of(unapproved));
  if (unprocessed > 0) return say(actions.finish, of(unprocessed));
  if (addsUp === false) return say(actions.checkTotals, { hours, period });
  return sayCount(actions.pay, employees, language, { hours, period });
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
  return calendar === '' ? dates : say(languageOf(timeContext).payPeriods.period, { calendar, dates });
}

/** `; it was closed on Mon 16 Nov`. */
export function describeFormerClosing(previous: EventState, timeContext: MessageTimeContext): string {
  const closed = formatClosing(readText(previous, 'closed'), { ...timeContext, day: null });
  return closed === null ? '' : say(languageOf(timeContext).payPeriods.former, { closed });
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
): Filled<'again' | 'before' | 'on'> {
  const { payPeriods: words } = languageOf(timeContext);
  const before = formatClosing(readText(closing.previous, 'closed'), { ...timeContext, day: null });
  const on = formatClosing(closing.occurredAt, timeContext);
  return {
    again: isAgain(closing) ? words.again : '',
    before: before === null ? '' : say(words.before, { closed: before }),
    on: on === null ? '' : say(words.on, { closed: on }),
  };
}

interface ClosingContext {
  readonly timeContext: MessageTimeContext;
  /** When the closing was seen, RFC 3339. */
  readonly time: string;
  readonly names: Names;
  readonly serviceName?: string | undefined;
  readonly language?: Language | undefined;
}

export function describeTotals(manifest: Manifest | undefined, seen: ClosingContext): string {
  const language = languageOf(seen.timeContext);
  const { closings: words } = language;
  if (manifest === undefined) return words.notAvailable;
  const { complete, asOf, timesheets } = manifest;
  if (!complete && (asOf === null || timesheets === 0)) return words.notRead;
  const sums = [
    describeSums(manifest, language),
    ...(manifest.change == null ? [] : [describeDifference(manifest.change.hours, language)]),
  ].join(', ');
  const left = describeLeftovers(manifest, language, describeWaiting(manifest, seen));
  const counted = timesheets === 0 ? words.empty : say(words.numbers, { sums, left });
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
  if (sharesDatesWith.length > 0) notes.push(languageOf(seen.timeContext).closings.sharedDates);
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
  return say(languageOf(timeContext).closings.asOf, { moment: formatMoment(seenAt, timeContext) });
}

/** Words for each watched field of a pay period. */
export function createPeriodFieldWords(timeContext: MessageTimeContext): FieldsInWords {
  const language = languageOf(timeContext);
  const labels = language.fields.payPeriod;
  const day = (date: string) => formatDay(date, timeContext);
  const formats: Readonly<Record<keyof typeof labels, (value: string) => string>> = {
    calendar: cleanText,
    startDate: day,
    finishDate: day,
    payRollCompanyId: cleanText,
    payRollProvider: cleanText,
  };
  const isKnown = (field: string): field is keyof typeof labels => Object.hasOwn(formats, field);
  const wordsOf = (field: string) =>
    isKnown(field)
      ? {
          label: labels[field],
          valueText: (value: unknown) => (typeof value === 'string' ? formats[field](value) : null),
        }
      : undefined;
  return { language, wordsOf };
}
