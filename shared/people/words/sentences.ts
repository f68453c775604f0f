import * as z from 'zod';
import { OPERATION_DATA } from '../../core/definitions/operation-data.ts';
import {
  isOperationType,
  isSnapshotType,
  type RecordEventType,
  SHORT_EVENT_TYPES,
  toEventType,
  toShortType,
} from '../../core/event-types.ts';
import { tolerant } from '../../core/tolerant.ts';
import { cleanText, fitLine } from '../messages/clean-text.ts';
import { closingEventSchema } from '../messages/closing-sentences.ts';
import {
  type DirectoryEvent,
  directoryEventSchema,
  isDirectoryEvent,
} from '../messages/directory-sentences.ts';
import { dueEventSchema } from '../messages/due-sentences.ts';
import { describeLate, describeSinceClosing } from '../messages/late-words.ts';
import { formatDay } from '../messages/moments.ts';
import { payPeriodEventSchema } from '../messages/pay-period-sentences.ts';
import { type Audience, envelope, toTimeContext } from '../messages/record-events.ts';
import { snapshotEventSchema, toSnapshotSentence } from '../messages/snapshot-sentences.ts';
import {
  createSentenceContext,
  isTimesheetEvent,
  nameTimesheet,
  type TimesheetEvent,
  timesheetEventSchema,
} from '../messages/timesheet-sentences.ts';
import { capitalize } from '../messages/wording.ts';
import { DIRECTORY_WORDS } from './directory-words.ts';
import { describeOperation, type OperationEvent } from './operation-words.ts';
import { PAY_PERIOD_WORDS, type PayPeriodWords } from './pay-period-words.ts';
import { TIMESHEET_WORDS } from './timesheet-words.ts';

const FORGOTTEN = 'employee.forgotten' satisfies RecordEventType;
const forgottenEventSchema = z.looseObject({
  ...envelope,
  type: z.literal(toEventType(FORGOTTEN)),
  data: z.looseObject({ timesheetId: z.string() }),
});

type Envelope = z.output<z.ZodObject<typeof envelope>>;
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
  dueEventSchema,
  closingEventSchema,
  directoryEventSchema,
  forgottenEventSchema,
  ...operationEventSchemas,
] as const;

/** An event of any type that is published, as far as its sentence needs it. */
export type DescribableEvent =
  | z.output<
      | typeof timesheetEventSchema
      | typeof payPeriodEventSchema
      | typeof dueEventSchema
      | typeof closingEventSchema
      | typeof directoryEventSchema
      | typeof forgottenEventSchema
    >
  | (Envelope & OperationEvent);
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
  if (isOperationEvent(event)) {
    const { heading, facts } = describeOperation(event, audience);
    return fitLine(`${heading}. ${facts}`, '.');
  }
  if (isTimesheetEvent(event)) return toTimesheetSentence(event, audience, 'sentence');
  if (isSnapshotEvent(event)) return toSnapshotSentence(event, audience);
  if (isDirectoryEvent(event)) return toDirectorySentence(event, audience);
  return isPayPeriodEvent(event)
    ? fitLine(wordsOf(event).says(event, audience).sentence, '.')
    : toForgottenSentence(event, audience);
}

/** A sentence without its subject: `Processed again at 13:50 with 3 h to pay.` Null where it does not begin with it. */
export function toPredicate(event: DescribableEvent, audience: Audience): string | null {
  if (isTimesheetEvent(event)) return capitalize(toTimesheetSentence(event, audience, 'facts'));
  if (!isPayPeriodEvent(event)) return null;
  return capitalize(fitLine(wordsOf(event).says(event, audience).facts, '.'));
}

type PayPeriodEvent = Extract<DescribableEvent, { readonly type: `workforce.pay_period.${string}` }>;

export function isPayPeriodEvent(event: ReadableEvent): event is PayPeriodEvent {
  return event.type.startsWith('workforce.pay_period.') && !isSnapshotType(event.type);
}

function isSnapshotEvent(event: ReadableEvent): event is z.output<typeof snapshotEventSchema> {
  return isSnapshotType(event.type);
}

/** How an event about a pay period reads in an alert. */
export function wordsOf({ type }: PayPeriodEvent): PayPeriodWords<PayPeriodEvent> {
  return PAY_PERIOD_WORDS[toShortType(type)] as PayPeriodWords<PayPeriodEvent>;
}

/** `Jo Lee left Kitchen.` */
function toDirectorySentence(event: DirectoryEvent, audience: Audience): string {
  return fitLine(DIRECTORY_WORDS[toShortType(event.type)](event, audience), '.');
}

function toTimesheetSentence(event: TimesheetEvent, audience: Audience, form: 'sentence' | 'facts'): string {
  const { type, data, time } = event;
  const context = createSentenceContext(event, audience);
  const { date } = context;
  const { says, implies } = TIMESHEET_WORDS[toShortType(type)];
  const { is, facts } = says(context);
  const day = date === null ? '' : ` on ${formatDay(date, toTimeContext(time, audience))}`;
  return fitLine(
    form === 'facts' ? facts : `${nameTimesheet(context)}${day}${is}`,
    `${describeLate(type, data, implies)}${describeSinceClosing(data)}.`,
  );
}

export function isOperationEvent(event: ReadableEvent): event is Envelope & OperationEvent {
  return isOperationType(toShortType(event.type));
}

function toForgottenSentence(
  { connection, data }: z.output<typeof forgottenEventSchema>,
  audience: Audience,
): string {
  const ofConnection = audience.namesConnection === false ? '' : ` of connection ${cleanText(connection)}`;
  return fitLine(
    `Timesheet ${cleanText(data.timesheetId)}${ofConnection} is forgotten here, because its employee is; whoever keeps a copy has to erase it as well`,
    '.',
  );
}
