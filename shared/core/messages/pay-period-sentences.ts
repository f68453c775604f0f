import * as z from 'zod';
import type { Names } from '../../names/names.ts';
import { parseMidnightDate } from '../dates.ts';
import { SHORT_EVENT_TYPES, type ShortEventType, toEventType } from '../event-types.ts';
import { cleanText, fitLine } from './clean-text.ts';
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
import type { FieldWords } from './field-changes.ts';
import { MAX_HEADING_CHARACTERS } from './heading-length.ts';
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
/** Note on totals: the source does not say to which period a timesheet belongs. */
export const SHARED_DATES = 'counts all timesheets of these dates, other calendars included';

type ChangeOfPeriod = Exclude<
  Extract<ShortEventType, `pay_period.${string}`>,
  `${string}.${'readiness' | 'statement' | 'outstanding' | 'snapshot'}`
>;
const TYPES = SHORT_EVENT_TYPES.filter((type): type is ChangeOfPeriod =>
  /^pay_period\.(?!readiness$|statement$|outstanding$|snapshot$)/.test(type),
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

/** What a sentence says of a pay period after its name. */
interface PeriodMention {
  readonly data: PayPeriodEvent['data'];
  /** `at 10:01`, or between which two reads. */
  readonly when: string;
  /** `, after it closed`, or empty. */
  readonly late: string;
  readonly timeContext: MessageTimeContext;
}

/** `says`: the sentence after the name of the period, without the full stop. */
export function toPayPeriodSentence(
  { time, data }: PayPeriodEvent,
  audience: Audience,
  says: (told: PeriodMention) => string,
): string {
  const timeContext = toTimeContext(time, audience);
  const when = describeOccurrence(data, timeContext);
  const late = data.late.includes('close') ? ', after it closed' : '';
  return fitLine(
    `Pay period ${describePeriodOf(data, timeContext)}${says({ data, when, late, timeContext })}`,
    '.',
  );
}

/** `Pay 1,912.5 h for Weekly 10-16 Nov (51 people)`, or what is to be done before, for a mail's subject. */
export function buildClosingHeading(event: PayPeriodEvent, audience: Audience): string {
  const timeContext = toTimeContext(event.time, audience);
  const period = describePeriodOf(event.data, timeContext);
  const { closeManifest } = event.data;
  const closed = `Pay period ${period} closed${isAgain(event.data) ? ' again' : ''}`;
  if (closeManifest === undefined) return fitClosing(closed);
  const seen = { timeContext, time: event.time };
  const action = describeAge(closeManifest, seen) === null ? describePayment(closeManifest, period) : null;
  if (action !== null && action.length <= MAX_HEADING_CHARACTERS) return action;
  return fitClosing(`${closed}${describeHeadingNumbers(closeManifest, seen)}`);
}

type PayableNumbers = Pick<
  Manifest,
  'complete' | 'timesheets' | 'employees' | 'hoursToPay' | 'unapproved' | 'unprocessed'
> &
  Pick<
    Manifest,
    'sharesDatesWith' | 'members' | 'membersUnknown' | 'addsUp' | 'asLastSeen' | 'lookedAtBefore'
  >;

/** Null where the numbers are in doubt: nobody is told to pay by them. */
export function describePayment(manifest: PayableNumbers, period: string): string | null {
  const { timesheets, employees, hoursToPay, unapproved, unprocessed, addsUp } = manifest;
  const { membersUnknown, asLastSeen = 0, lookedAtBefore } = manifest;
  const isSure = (membersUnknown ?? 0) === 0 && asLastSeen === 0 && lookedAtBefore === undefined;
  if (!isSure || !speaksForItself(manifest)) return null;
  const hours = formatHours(hoursToPay);
  const of = ` of ${formatCount(timesheets, 'timesheet')}`;
  if (unapproved > 0) return `Check ${formatNumber(unapproved)}${of} before you pay ${period} (${hours})`;
  if (unprocessed > 0) return `Process ${formatNumber(unprocessed)}${of} of ${period} (${hours})`;
  if (addsUp === false) return `Check ${hours} before you pay ${period}: the totals differ`;
  return `Pay ${hours} for ${period} (${formatCount(employees, 'person', 'people')})`;
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

/** Numbers without the time at which they were counted would mislead, and go together with it. */
function fitClosing(heading: string): string {
  const short = heading.replace(/^Pay period /, '');
  const unapproved = short.replace(/(?<=\d not approved), [\d,]+ not processed/, '');
  const forms = [heading, short, unapproved, heading.replace(/: .*$/, '')];
  return forms.find(({ length }) => length <= MAX_HEADING_CHARACTERS) ?? heading;
}

/** Empty when the numbers need an explanation. */
function describeHeadingNumbers(manifest: Manifest, seen: Omit<ClosingContext, 'names'>): string {
  if (!speaksForItself(manifest)) return '';
  const age = describeAge(manifest, seen);
  return `: ${describeLeftovers(manifest)}${age === null ? '' : ` (${age})`}`;
}

/** `Weekly 9-15 Nov`. */
export function describePeriodOf(
  { current, previous, payPeriodId }: Pick<PayPeriodEvent['data'], 'current' | 'previous' | 'payPeriodId'>,
  timeContext: MessageTimeContext,
): string {
  return describePeriod(current ?? previous, payPeriodId, timeContext);
}

export function describePeriod(state: EventState, id: string, timeContext: MessageTimeContext): string {
  const [from, to] = [readText(state, 'startDate'), readText(state, 'finishDate')];
  const calendar = cleanText(readText(state, 'calendar') ?? '');
  if (from === null || to === null) return cleanText(id);
  return `${calendar === '' ? '' : `${calendar} `}${formatDates(from, to, timeContext)}`;
}

/** `; it was closed on Mon 16 Nov`. */
export function describeFormerClosing(previous: EventState, timeContext: MessageTimeContext): string {
  const on = formatClosing(readText(previous, 'closed'), { ...timeContext, day: null });
  return on === null ? '' : `; it was closed ${on}`;
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
export function describeClosing(closing: Closing, timeContext: MessageTimeContext): string {
  const { occurredAt, previous } = closing;
  const before = readText(previous, 'closed');
  const beforeThat = formatClosing(before, { ...timeContext, day: null });
  const again = `${isAgain(closing) ? ' again' : ''}${beforeThat === null ? '' : ` (before that ${beforeThat})`}`;
  const on = formatClosing(occurredAt, timeContext);
  return `${again}${on === null ? '' : ` ${on}`}`;
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
  if (!complete && (asOf === null || timesheets === 0)) {
    return '; its totals are not available, since its dates have not been read completely';
  }
  const notes = describeNotes(manifest, seen);
  const difference = manifest.change == null ? '' : `, ${describeDifference(manifest.change.hours)}`;
  const numbers = `${describeSums(manifest)}${difference}; ${describeLeftovers(manifest, describeWaiting(manifest, seen))}`;
  const counted = timesheets === 0 ? '; no timesheets on its dates' : `: ${numbers}`;
  return `${counted}${describeAgreement(manifest, seen)}${notes}`;
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
  if (sharesDatesWith.length > 0) notes.push(SHARED_DATES);
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

export function findFieldWords(field: string, timeContext: MessageTimeContext): FieldWords | undefined {
  const text = (label: string, format: (value: string) => string): FieldWords => ({
    label,
    valueText: (value) => (typeof value === 'string' ? format(value) : null),
  });
  switch (field) {
    case 'calendar':
      return text('calendar', cleanText);
    case 'startDate':
      return text('first day', (date) => formatDay(date, timeContext));
    case 'finishDate':
      return text('last day', (date) => formatDay(date, timeContext));
    case 'payRollCompanyId':
      return text('payroll company', cleanText);
    case 'payRollProvider':
      return text('payroll provider', cleanText);
    default:
      return undefined;
  }
}
