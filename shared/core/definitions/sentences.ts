import * as z from 'zod';
import { describeLate, describeSinceClosing } from '../../lateness/late-words.ts';
import { readinessEventSchema } from '../../readiness/readiness-sentences.ts';
import { snapshotEventSchema, toSnapshotSentence } from '../../snapshots/snapshot-sentences.ts';
import { outstandingEventSchema } from '../../statements/outstanding-news.ts';
import { statementEventSchema } from '../../statements/statement-sentences.ts';
import {
  isOperationType,
  isSnapshotType,
  type OperationType,
  type RecordEventType,
  SHORT_EVENT_TYPES,
  toEventType,
  toShortType,
} from '../event-types.ts';
import { cleanText, fitLine } from '../messages/clean-text.ts';
import { formatAt, formatDates, formatDay, formatMoment } from '../messages/moments.ts';
import { formatCount } from '../messages/numbers.ts';
import { describePeriodOf, payPeriodEventSchema, SHARED_DATES } from '../messages/pay-period-sentences.ts';
import { type Audience, DEFAULT_SERVICE_NAME, envelope, toTimeContext } from '../messages/record-events.ts';
import {
  createSentenceContext,
  describeOwner,
  isTimesheetEvent,
  type TimesheetEvent,
  timesheetEventSchema,
} from '../messages/timesheet-sentences.ts';
import { tolerant } from '../tolerant.ts';
import { OPERATION_DATA } from './operation-data.ts';
import { type DataOf, nameRecordsOn, OPERATION_WORDS } from './operation-words.ts';
import { PAY_PERIOD_WORDS, type PayPeriodWords } from './pay-period-words.ts';
import { TIMESHEET_WORDS } from './timesheet-words.ts';

const FORGOTTEN = 'record.forgotten' satisfies RecordEventType;
const forgottenEventSchema = z.looseObject({
  ...envelope,
  type: z.literal(toEventType(FORGOTTEN)),
  data: z.looseObject({ timesheetId: z.string() }),
});

type Envelope = z.output<z.ZodObject<typeof envelope>>;
type OperationEventOf<Type extends OperationType> = Envelope & {
  readonly type: `workforce.${Type}`;
  readonly data: DataOf<Type>;
};
type OperationEvent = { [Type in OperationType]: OperationEventOf<Type> }[OperationType];
const operationEventSchemas = SHORT_EVENT_TYPES.filter(isOperationType).map((type) =>
  z.looseObject({
    ...envelope,
    type: z.literal(toEventType(type)),
    data: tolerant(OPERATION_DATA[type].data),
  }),
);

const DESCRIBABLE = [
  timesheetEventSchema,
  payPeriodEventSchema,
  readinessEventSchema,
  statementEventSchema,
  outstandingEventSchema,
  forgottenEventSchema,
  ...operationEventSchemas,
] as const;

/** An event of any type that is published, as far as its sentence needs it. */
export type DescribableEvent =
  | z.output<
      | typeof timesheetEventSchema
      | typeof payPeriodEventSchema
      | typeof readinessEventSchema
      | typeof statementEventSchema
      | typeof outstandingEventSchema
      | typeof forgottenEventSchema
    >
  | OperationEvent;
/** Members that a later version adds pass. */
export const describableEventSchema = z.discriminatedUnion(
  'type',
  DESCRIBABLE,
) as unknown as z.ZodType<DescribableEvent>;

/** An event of any type of the catalogue: with those that only systems get. */
export type ReadableEvent = DescribableEvent | z.output<typeof snapshotEventSchema>;
export const readableEventSchema = z.discriminatedUnion('type', [
  ...DESCRIBABLE,
  snapshotEventSchema,
]) as unknown as z.ZodType<ReadableEvent>;

/**
 * One sentence on one line of at most 600 characters. Texts of the source have their invisible characters removed, but
 * are not escaped for any medium.
 */
export function toSentence(event: ReadableEvent, audience: Audience): string {
  if (isOperationEvent(event)) return toOperationSentence(event, audience);
  if (isTimesheetEvent(event)) return toTimesheetSentence(event, audience);
  if (isSnapshotEvent(event)) return toSnapshotSentence(event, audience);
  return isPayPeriodEvent(event)
    ? wordsOf(event).sentence(event, audience)
    : toForgottenSentence(event, audience);
}

/** A sentence without its subject: `processed again at 13:50 with 3 h to pay.` Null where it does not begin with it. */
export function toPredicate(event: DescribableEvent, audience: Audience): string | null {
  const subject = describeSubject(event, audience);
  const sentence = toSentence(event, audience);
  if (subject === null || !sentence.startsWith(subject)) return null;
  return sentence.slice(subject.length).replace(/^:? (?:is |was (?!to ))?/, '');
}

type PayPeriodEvent = Extract<DescribableEvent, { readonly type: `workforce.pay_period.${string}` }>;

export function isPayPeriodEvent(event: ReadableEvent): event is PayPeriodEvent {
  return event.type.startsWith('workforce.pay_period.') && !isSnapshotType(event.type);
}

function isSnapshotEvent(event: ReadableEvent): event is z.output<typeof snapshotEventSchema> {
  return isSnapshotType(event.type);
}

/** How people are told of an event about a pay period. */
export function wordsOf({ type }: PayPeriodEvent): PayPeriodWords<PayPeriodEvent> {
  return PAY_PERIOD_WORDS[toShortType(type)] as PayPeriodWords<PayPeriodEvent>;
}

/** What a sentence begins with: `Timesheet of Ana Lee (Kitchen) on Thu 12 Nov`, `Pay period Weekly 9-15 Nov`. */
export function describeSubject(event: DescribableEvent, audience: Audience): string | null {
  const timeContext = toTimeContext(event.time, audience);
  if (isPayPeriodEvent(event)) return `Pay period ${describePeriodOf(event.data, timeContext)}`;
  if (!isTimesheetEvent(event)) return null;
  const context = createSentenceContext(event, audience);
  const day = context.date === null ? '' : ` on ${formatDay(context.date, timeContext)}`;
  return `Timesheet ${describeOwner(context)}${day}`;
}

function toTimesheetSentence(event: TimesheetEvent, audience: Audience): string {
  const { type, data } = event;
  const context = createSentenceContext(event, audience);
  const { says, implies } = TIMESHEET_WORDS[toShortType(type)];
  return fitLine(
    `${describeSubject(event, audience) ?? ''}${says(context)}`,
    `${describeLate(type, data, implies)}${describeSinceClosing(data)}.`,
  );
}

export function isOperationEvent(event: ReadableEvent): event is OperationEvent {
  return isOperationType(toShortType(event.type));
}

function toOperationSentence<Type extends OperationType>(
  event: OperationEventOf<Type>,
  audience: Audience,
): string {
  const forPay = describeForPay(event, audience);
  const sentence = OPERATION_WORDS[toShortType(event.type)].sentence(toOperationNews(event, audience));
  return fitLine(forPay?.join('. ') ?? sentence, '.');
}

/** What a trouble, or the end of one, means for pay: a heading and what follows it. Null for those who read the cause. */
export function describeForPay<Type extends OperationType>(
  event: OperationEventOf<Type>,
  audience: Audience,
): readonly [heading: string, facts: string] | null {
  if (audience.isForPay !== true) return null;
  return OPERATION_WORDS[toShortType(event.type)].forPay?.(toOperationNews(event, audience)) ?? null;
}

/** `timesheets of Fri 13 Nov`; of several connections, `timesheets of main`. Empty for an event about a webhook. */
export function nameList(
  { connection, data, time }: Pick<OperationEvent, 'connection' | 'data' | 'time'>,
  { namesConnection = true, ...audience }: Audience,
): string {
  if (!('feed' in data)) return '';
  const slice = 'slice' in data ? String(data.slice) : '';
  const list = nameRecordsOn({ feed: String(data.feed), slice }, toTimeContext(time, audience));
  return `${list}${namesConnection ? ` of ${cleanText(connection)}` : ''}`;
}

function toOperationNews<Type extends OperationType>(event: OperationEventOf<Type>, audience: Audience) {
  const { data, time } = event;
  const { serviceName = DEFAULT_SERVICE_NAME, namesConnection = true } = audience;
  const timeContext = toTimeContext(time, audience);
  const connection = cleanText(event.connection);
  const momentOf = (instant: string) => formatMoment(Date.parse(instant), timeContext);
  return {
    data,
    ofConnection: namesConnection ? ` of connection ${connection}` : '',
    onConnection: namesConnection ? ` on connection ${connection}` : '',
    list: nameList(event, audience),
    service: serviceName,
    seen: momentOf(time),
    timeContext,
    momentOf,
    timeOf: (instant: string) => formatAt(Date.parse(instant), timeContext),
  };
}

function toForgottenSentence(
  { connection, data }: z.output<typeof forgottenEventSchema>,
  { namesConnection = true }: Audience,
): string {
  const ofConnection = namesConnection ? ` of connection ${cleanText(connection)}` : '';
  return fitLine(
    `Timesheet ${cleanText(data.timesheetId)}${ofConnection} is forgotten here, because its employee is; whoever keeps a copy has to erase it as well`,
    '.',
  );
}

interface FinishedProcessing {
  /** Name of the pay calendar, where it is known. */
  readonly calendar?: string | undefined;
  readonly startDate: string;
  readonly finishDate: string;
  readonly timesheets: number;
  /** Other periods cover some of its dates, and their timesheets are counted too. */
  readonly sharesDates: boolean;
}

/** `Weekly 9-15 Nov`. */
export function describeFinishedPeriod({
  calendar,
  startDate,
  finishDate,
}: Pick<FinishedProcessing, 'calendar' | 'startDate' | 'finishDate'>): string {
  // The year is left out unless the period is in two years.
  const timeContext = {
    year: startDate.slice(0, 4) === finishDate.slice(0, 4) ? startDate.slice(0, 4) : null,
  };
  const name = cleanText(calendar ?? '');
  return `${name === '' ? '' : `${name} `}${formatDates(startDate, finishDate, timeContext)}`;
}

/** The sentence for a pay period all of whose timesheets are processed. */
export function toProcessingFinishedSentence(finished: FinishedProcessing): string {
  const { timesheets, sharesDates } = finished;
  const period = describeFinishedPeriod(finished);
  const all = timesheets === 1 ? 'its one timesheet is' : `all ${formatCount(timesheets, 'timesheet')} are`;
  return fitLine(`Pay period ${period}: ${all} processed${sharesDates ? ` (${SHARED_DATES})` : ''}`, '.');
}
