import * as z from 'zod';
import { OPERATION_DATA } from '../core/definitions/operation-data.ts';
import {
  EVENT_TYPES,
  isOperationType,
  isSnapshotType,
  type OperationType,
  type PublishedType,
  SHORT_EVENT_TYPES,
  type SnapshotType,
  toEventType,
  topicOf,
} from '../core/event-types.ts';
import { accountSchema, dueMembers, settledBySchema } from '../core/periods/account-data.ts';
import { type Tolerant, tolerant } from '../core/tolerant.ts';

const instant = z.iso.datetime();
const state = z.record(z.string(), z.unknown()).nullable();

/** Members of every event: CloudEvents 1.0 with the extensions of this product. */
export const envelope = {
  specversion: z.literal('1.0'),
  id: z.string().min(1),
  source: z.string(),
  subject: z.string().optional(),
  time: instant,
  connection: z.string(),
  epoch: z.string().optional(),
  sequence: z.int().min(0),
};
type Envelope = z.output<z.ZodObject<typeof envelope>>;

/** Members that `data` has in every event about a record. */
const recordData = {
  current: state,
  previous: state,
  changed: z.array(z.string()),
  observed: z.looseObject({ after: instant.nullable(), by: instant }),
  occurredAt: z.string().nullable(),
  collapsed: z.boolean(),
  late: z.array(z.string()),
  reverses: z.string().optional(),
  settles: z
    .array(z.looseObject({ type: z.string(), hours: z.number().optional().catch(undefined) }))
    .optional(),
};

type TypeOf<Pattern extends string> = Exclude<
  Extract<PublishedType, Pattern>,
  `workforce.${'employee.forgotten'}`
>;
/** Types about a timesheet or one of its clockings. */
export type TimesheetType = TypeOf<`workforce.timesheet.${string}`>;
/** Types about an employee or a department. */
type DirectoryType = TypeOf<`workforce.${'employee' | 'department'}.${string}`>;

const isOf = (prefix: string) => (type: string) => type.startsWith(prefix) && !isSnapshotType(type);
const TIMESHEET_TYPES = EVENT_TYPES.filter(isOf('workforce.timesheet.')) as TimesheetType[];
const DIRECTORY_TYPES = EVENT_TYPES.filter(
  (type) => topicOf(type) === 'directory' && !isSnapshotType(type),
) as DirectoryType[];

/** `closedPeriods` of a timesheet, as far as a message needs them. */
const ofPeriods = {
  closedPeriods: z
    .array(z.looseObject({ id: z.string(), calendar: z.string().nullish(), certain: z.boolean().optional() }))
    .optional()
    .catch(undefined),
};

const timesheetEventSchema = z.looseObject({
  ...envelope,
  type: z.enum(TIMESHEET_TYPES),
  data: z.looseObject({
    timesheetId: z.string(),
    employeeId: z.string(),
    departmentId: z.string().nullable(),
    organisationId: z.string().nullable(),
    ...recordData,
    ...ofPeriods,
  }),
});
export type TimesheetEvent = z.output<typeof timesheetEventSchema>;

const periodRecordSchema = z.looseObject({
  ...envelope,
  type: z.enum([
    'workforce.pay_period.created',
    'workforce.pay_period.changed',
    'workforce.pay_period.removed',
  ]),
  data: z.looseObject({ payPeriodId: z.string(), ...recordData }),
});
/** A change of the record of a pay period. */
export type PeriodRecordEvent = z.output<typeof periodRecordSchema>;

/** What a pay period comes to, of this version or a later one. */
const toldAccountSchema = tolerant(accountSchema);
export type ToldAccount = Tolerant<z.output<typeof accountSchema>>;

const dueEventSchema = z.looseObject({
  ...envelope,
  type: z.literal('workforce.pay_period.due'),
  data: z.looseObject({
    payPeriodId: z.string(),
    ...recordData,
    account: toldAccountSchema,
    reminder: tolerant(dueMembers.reminder),
    summaries: dueMembers.summaries,
    stillOpen: tolerant(dueMembers.stillOpen),
  }),
});
/** A moment before a period closes. */
export type DueEvent = z.output<typeof dueEventSchema>;

const momentEventSchema = z.looseObject({
  ...envelope,
  type: z.enum([
    'workforce.pay_period.closed',
    'workforce.pay_period.recounted',
    'workforce.pay_period.reopened',
    'workforce.pay_period.settled',
  ]),
  data: z.looseObject({
    payPeriodId: z.string(),
    ...recordData,
    settledBy: tolerant(settledBySchema).optional(),
    account: toldAccountSchema.nullable(),
  }),
});
/** What a pay period comes to once it closed. */
export type MomentEvent = z.output<typeof momentEventSchema>;

const directoryData = z.looseObject({
  employeeId: z.string().optional(),
  departmentId: z.string().optional(),
  ...recordData,
});
const directoryEventSchema = z.looseObject({
  ...envelope,
  type: z.enum(DIRECTORY_TYPES),
  data: directoryData,
});
export type DirectoryEvent = z.output<typeof directoryEventSchema>;

const forgottenEventSchema = z.looseObject({
  ...envelope,
  type: z.literal('workforce.employee.forgotten'),
  data: z.looseObject({ timesheetId: z.string() }),
});
export type ForgottenEvent = z.output<typeof forgottenEventSchema>;

const operationEventSchemas = SHORT_EVENT_TYPES.filter(isOperationType).map((type) =>
  z.looseObject({
    ...envelope,
    type: z.literal(toEventType(type)),
    data: tolerant(OPERATION_DATA[type].data),
  }),
);
/** About the notifier's own operation. Members that a later version adds pass. */
export type OperationEvent = {
  [Type in OperationType]: Envelope & {
    readonly type: `workforce.${Type}`;
    readonly data: Tolerant<z.output<(typeof OPERATION_DATA)[Type]['data']>>;
  };
}[OperationType];

const snapshotEventSchema = z.looseObject({
  ...envelope,
  type: z.enum(EVENT_TYPES.filter(isSnapshotType) as `workforce.${SnapshotType}`[]),
  data: z.looseObject({
    timesheetId: z.string().optional(),
    payPeriodId: z.string().optional(),
    employeeId: z.string().nullish(),
    departmentId: z.string().nullish(),
    ...recordData,
  }),
});
export type SnapshotEvent = z.output<typeof snapshotEventSchema>;

/** An event of any type of the catalogue, as far as its words need it. Members that a later version adds pass. */
export type ReadableEvent =
  | TimesheetEvent
  | PeriodRecordEvent
  | DueEvent
  | MomentEvent
  | DirectoryEvent
  | ForgottenEvent
  | OperationEvent
  | SnapshotEvent;
export const readableEventSchema = z.discriminatedUnion('type', [
  timesheetEventSchema,
  periodRecordSchema,
  dueEventSchema,
  momentEventSchema,
  directoryEventSchema,
  forgottenEventSchema,
  ...operationEventSchemas,
  snapshotEventSchema,
]) as unknown as z.ZodType<ReadableEvent>;

/** An event of which only the envelope has to be readable. */
export const envelopeSchema = z.looseObject({
  ...envelope,
  type: z.enum(EVENT_TYPES.filter((type): type is PublishedType => !isSnapshotType(type))),
  data: z.record(z.string(), z.unknown()).catch({}),
});
export type EnvelopedEvent = z.output<typeof envelopeSchema>;

export function isTimesheetEvent(event: { readonly type: string }): event is TimesheetEvent {
  return TIMESHEET_TYPES.some((type) => type === event.type);
}

export function isMomentEvent(event: { readonly type: string }): event is MomentEvent {
  return momentEventSchema.shape.type.safeParse(event.type).success;
}

export function isDueEvent(event: { readonly type: string }): event is DueEvent {
  return event.type === 'workforce.pay_period.due';
}
