import * as z from 'zod';
import { dateBegunAt } from '../dates.ts';
import { closeManifestSchema } from '../events/close-manifest.ts';
import { changesText, type FieldWords } from './field-changes.ts';
import { datesText, dayText, momentText, type Reading, whenText } from './moments.ts';
import { countText, hoursText, numberText } from './numbers.ts';
import { fittingLine, plainText } from './plain.ts';
import {
  type Audience,
  envelope,
  occurredText,
  readingOf,
  recordData,
  type ToldState,
  textIn,
} from './record-events.ts';

/** Numbers this much older than the closing are told with their age: what was approved right before it is not in them. */
const OLD_NUMBERS_MS = 120_000;
/** Of numbers: to which period a timesheet belongs the source does not say. */
export const SHARED_DATES = 'counts all timesheets of these dates, other calendars included';

/** What a sentence says of a close manifest; its leftovers are for machines. */
const toldManifestSchema = z.looseObject({
  ...closeManifestSchema.omit({ leftovers: true, missing: true }).shape,
  missing: z.looseObject({ from: z.string(), to: z.string() }).nullable(),
});
type ToldManifest = z.output<typeof toldManifestSchema>;

/** An event about a pay period, as far as its sentence needs it. */
export const payPeriodEventSchema = z.looseObject({
  ...envelope,
  type: z.enum([
    'workforce.pay_period.created',
    'workforce.pay_period.changed',
    'workforce.pay_period.closed',
    'workforce.pay_period.reopened',
    'workforce.pay_period.removed',
  ]),
  data: z.looseObject({
    payPeriodId: z.string(),
    ...recordData,
    closeManifest: toldManifestSchema.optional(),
  }),
});
type PayPeriodEvent = z.output<typeof payPeriodEventSchema>;

export function payPeriodSentence(event: PayPeriodEvent, { timeZone }: Audience): string {
  const reading = readingOf(event.time, timeZone);
  return fittingLine(`${subjectOf(event, reading)}${happened(event, reading)}`, '.');
}

/** `Pay period Weekly 10-16 Nov closed: 12 not approved, 3 not processed`: of a closing what asks to be done. */
export function closingHeadline(event: PayPeriodEvent, { timeZone }: Audience): string {
  const reading = readingOf(event.time, timeZone);
  const { closeManifest, previous } = event.data;
  const again = textIn(previous, 'closed') === null ? '' : ' again';
  const left =
    closeManifest === undefined ? '' : headlineNumbers(closeManifest, { reading, time: event.time });
  return `${subjectOf(event, reading)} closed${again}${left}`;
}

/** Nothing where more would have to be said for the numbers to be understood. */
function headlineNumbers(manifest: ToldManifest, seen: Seen): string {
  const { complete, timesheets, sharesDatesWith } = manifest;
  if (!complete || timesheets === 0 || sharesDatesWith.length > 0) return '';
  const age = ageText(manifest, seen);
  return `: ${leftText(manifest)}${age === null ? '' : ` (${age})`}`;
}

function subjectOf({ data }: PayPeriodEvent, reading: Reading): string {
  return `Pay period ${periodText(data.current ?? data.previous, data.payPeriodId, reading)}`;
}

function periodText(state: ToldState, id: string, reading: Reading): string {
  const [from, to] = [textIn(state, 'startDate'), textIn(state, 'finishDate')];
  const calendar = plainText(textIn(state, 'calendar') ?? '');
  if (from === null || to === null) return plainText(id);
  return `${calendar === '' ? '' : `${calendar} `}${datesText(from, to, reading)}`;
}

function happened({ type, time, data }: PayPeriodEvent, reading: Reading): string {
  const when = occurredText(data, reading);
  const late = data.late.includes('close') ? ', after it closed' : '';
  switch (type) {
    case 'workforce.pay_period.created':
      return ' was added';
    case 'workforce.pay_period.changed':
      return `: ${changesText(data, (field) => fieldWords(field, reading))}${late}`;
    case 'workforce.pay_period.reopened':
      return ` was reopened ${when}${wasClosed(data.previous, reading)}`;
    case 'workforce.pay_period.removed':
      return ` was removed ${when}${late}`;
    case 'workforce.pay_period.closed':
      return ` closed${closedOn(data, reading)}${countedText(data.closeManifest, { reading, time })}`;
  }
}

/** `; it was closed on Mon 16 Nov`. */
function wasClosed(previous: ToldState, reading: Reading): string {
  const on = closingText(textIn(previous, 'closed'), { ...reading, day: null });
  return on === null ? '' : `; it was closed ${on}`;
}

/** Nothing for the day that goes without saying. A midnight is how some sources say a date, and no time of day. */
function closingText(closed: string | null, reading: Reading): string | null {
  if (closed === null) return null;
  const date = dateBegunAt(closed, reading.timeZone) ?? closed;
  return date === reading.day ? null : whenText(date, reading);
}

type Closing = Pick<PayPeriodEvent['data'], 'occurredAt' | 'previous'>;

/** Of a closing on the day on which it was seen the day is not said; of one over another both are. */
function closedOn({ occurredAt, previous }: Closing, reading: Reading): string {
  const before = textIn(previous, 'closed');
  const beforeThat = closingText(before, { ...reading, day: null });
  const again = `${before === null ? '' : ' again'}${beforeThat === null ? '' : ` (before that ${beforeThat})`}`;
  const on = closingText(occurredAt, reading);
  return `${again}${on === null ? '' : ` ${on}`}`;
}

/** When a closing was seen, and how moments are read. */
interface Seen {
  readonly reading: Reading;
  readonly time: string;
}

function countedText(manifest: ToldManifest | undefined, seen: Seen): string {
  if (manifest === undefined) return '; its totals are not available';
  const { complete, asOf, timesheets } = manifest;
  if (!complete && (asOf === null || timesheets === 0)) {
    return '; its totals are not available, since we have not seen its dates whole';
  }
  const notes = notesOn(manifest, seen);
  const counted = timesheets === 0 ? '; no timesheets on its dates' : `: ${numbersText(manifest)}`;
  return `${counted}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

function numbersText(manifest: ToldManifest): string {
  const { hoursToPay, employees, timesheets } = manifest;
  const sums = [
    hoursText(hoursToPay),
    countText(employees, 'employee'),
    countText(timesheets, 'timesheet'),
  ].join(', ');
  return `${sums}; ${leftText(manifest)}`;
}

function leftText({ unapproved, unprocessed }: ToldManifest): string {
  if (unapproved === 0 && unprocessed === 0) return 'all approved and processed';
  const approved = unapproved === 0 ? 'all approved' : `${numberText(unapproved)} not approved`;
  const processed = unprocessed === 0 ? 'all processed' : `${numberText(unprocessed)} not processed`;
  return `${approved}, ${processed}`;
}

/** What a reader must know to trust the numbers. */
function notesOn(manifest: ToldManifest, seen: Seen): string[] {
  const { complete, missing, sharesDatesWith } = manifest;
  const notes: string[] = [];
  if (!complete) {
    const dates = missing === null ? '' : ` of ${datesText(missing.from, missing.to, seen.reading)}`;
    notes.push(`without dates${dates} that we have not seen whole`);
  }
  const age = ageText(manifest, seen);
  if (age !== null) notes.push(age);
  if (sharesDatesWith.length > 0) {
    notes.push(SHARED_DATES);
  }
  return notes;
}

/** `as of 10:00`; nothing for numbers of the moment. */
function ageText({ asOf }: ToldManifest, { reading, time }: Seen): string | null {
  const seenAt = asOf === null ? null : Date.parse(asOf);
  if (seenAt === null || Date.parse(time) - seenAt <= OLD_NUMBERS_MS) return null;
  return `as of ${momentText(seenAt, reading)}`;
}

function fieldWords(field: string, reading: Reading): FieldWords | undefined {
  const text = (label: string, tell: (value: string) => string): FieldWords => ({
    label,
    valueText: (value) => (typeof value === 'string' ? tell(value) : null),
  });
  switch (field) {
    case 'calendar':
      return text('calendar', plainText);
    case 'startDate':
      return text('first day', (date) => dayText(date, reading));
    case 'finishDate':
      return text('last day', (date) => dayText(date, reading));
    case 'payRollCompanyId':
      return text('payroll company', plainText);
    case 'payRollProvider':
      return text('payroll provider', plainText);
    default:
      return undefined;
  }
}
