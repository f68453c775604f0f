import * as z from 'zod';
import { eventSchema } from '../shared/core/definitions/event-schemas.ts';
import {
  type EventType,
  type OperationType,
  SHORT_EVENT_TYPES,
  type ShortEventType,
  toEventType,
  topicOf,
} from '../shared/core/event-types.ts';
import { type Tolerant, tolerant } from '../shared/core/tolerant.ts';

type StrictEvent<Short extends ShortEventType> = z.output<ReturnType<typeof eventSchema<Short>>>;

type EventOf<Type extends EventType> = Type extends `workforce.${infer Short extends ShortEventType}`
  ? {
      [Name in keyof StrictEvent<Short>]: Name extends 'data'
        ? Tolerant<StrictEvent<Short>[Name]>
        : StrictEvent<Short>[Name];
    }
  : never;

/**
 * An event: CloudEvents 1.0 with `connection`, `epoch` and `sequence`. A union discriminated by `type`;
 * `WorkforceEvent<'workforce.timesheet.approved'>` is the event of one type.
 */
export type WorkforceEvent<Type extends EventType = EventType> = { [Each in EventType]: EventOf<Each> }[Type];

/** Types of timesheet events, clockings included. */
export type TimesheetEventType = Extract<EventType, `workforce.timesheet.${string}`>;
export type TimesheetEvent = WorkforceEvent<TimesheetEventType>;

/** Types of pay period events. */
export type PayPeriodEventType = Extract<EventType, `workforce.pay_period.${string}`>;
export type PayPeriodEvent = WorkforceEvent<PayPeriodEventType>;

/** An event about an employee or a department. */
export type DirectoryEvent = WorkforceEvent<
  Exclude<Extract<EventType, `workforce.${'employee' | 'department'}.${string}`>, ForgottenEvent['type']>
>;

/**
 * A timesheet was erased with its employee. No `TimesheetEvent`: it says nothing about hours, and nothing is to be paid
 * back for it.
 */
type ForgottenEvent = WorkforceEvent<'workforce.employee.forgotten'>;

/** An event about a record that pay follows from. */
export type RecordEvent = TimesheetEvent | PayPeriodEvent | ForgottenEvent;
/** An event of which `fold` keeps the state of a record. */
export type FoldableEvent = RecordEvent | DirectoryEvent;

/** An event about the notifier itself: its polls and its deliveries. */
export type OperationEvent = WorkforceEvent<`workforce.${OperationType}`>;

/** Whether an event is about a timesheet or a pay period, not about the directory or the notifier itself. */
export function isRecordEvent(event: WorkforceEvent): event is RecordEvent {
  return isTimesheetEvent(event) || isPayPeriodEvent(event) || event.type === 'workforce.employee.forgotten';
}

/** Whether an event is about a timesheet, clockings included. */
export function isTimesheetEvent(event: WorkforceEvent): event is TimesheetEvent {
  return event.type.startsWith('workforce.timesheet.');
}

/** Whether an event is about an employee or a department. */
export function isDirectoryEvent(event: WorkforceEvent): event is DirectoryEvent {
  return topicOf(event.type) === 'directory';
}

export function isPayPeriodEvent(event: WorkforceEvent): event is PayPeriodEvent {
  return event.type.startsWith('workforce.pay_period.');
}

/**
 * zod schemas of whole events by full type. They keep unknown members and reject an event that lacks a required member.
 */
export const EVENT_SCHEMAS = Object.fromEntries(
  SHORT_EVENT_TYPES.map((type) => [toEventType(type), tolerant(eventSchema(type))]),
) as unknown as { readonly [Type in EventType]: z.ZodType<WorkforceEvent<Type>> };

/** The members of every event, whatever its type. */
const envelopeSchema = z.looseObject({
  specversion: z.literal('1.0'),
  id: z.string().min(1),
  source: z.string().min(1),
  type: z.string().min(1),
  subject: z.string().optional(),
  time: z.iso.datetime(),
  dataschema: z.string().optional(),
  connection: z.string(),
  epoch: z.iso.datetime().optional(),
  // 0 in a snapshot of a record without events.
  sequence: z.int().min(0),
});

/** An event of a type, or of a version of a type, that is newer than this package. */
export interface UnknownEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string | undefined;
  readonly time: string;
  readonly dataschema?: string | undefined;
  readonly connection: string;
  readonly epoch?: string | undefined;
  readonly sequence: number;
  readonly data?: unknown;
}

/** `issues` name the invalid members, never their values. */
export type ReadEvent =
  | { readonly outcome: 'event'; readonly event: WorkforceEvent }
  | { readonly outcome: 'unknown_type'; readonly event: UnknownEvent }
  | { readonly outcome: 'invalid'; readonly issues: readonly string[] };

const SCHEMAS: ReadonlyMap<string, z.ZodType<WorkforceEvent>> = new Map(Object.entries(EVENT_SCHEMAS));
const DATA_SCHEMA_NAMES: ReadonlyMap<string, string> = new Map(
  SHORT_EVENT_TYPES.map((type) => [toEventType(type), eventSchema(type).shape.dataschema.value]),
);

/** Reads an event from parsed JSON. */
export function readEvent(value: unknown): ReadEvent {
  const envelope = envelopeSchema.safeParse(value);
  if (!envelope.success) return { outcome: 'invalid', issues: describeIssues(envelope.error) };
  const { type, dataschema } = envelope.data;
  const schema = SCHEMAS.get(type);
  if (schema === undefined || dataschema !== DATA_SCHEMA_NAMES.get(type)) {
    return { outcome: 'unknown_type', event: envelope.data };
  }
  const event = schema.safeParse(value);
  return event.success
    ? { outcome: 'event', event: event.data }
    : { outcome: 'invalid', issues: describeIssues(event.error) };
}

function describeIssues({ issues }: z.ZodError): string[] {
  return issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
}
