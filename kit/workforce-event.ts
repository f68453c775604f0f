import * as z from 'zod';
import { eventSchema } from '../shared/core/definitions/event-schemas.ts';
import { SHORT_EVENT_TYPES, toEventType } from '../shared/core/event-types.ts';
import { toDataSchemaUri } from '../shared/core/events/envelope.ts';
import { tolerant } from '../shared/core/tolerant.ts';
import type { EventData, EventEnvelope } from './event-data.ts';

/** `workforce.timesheet.approved`, and all others. */
export type EventType = keyof EventData;

/** Any event, told apart by `type`; `WorkforceEvent<'workforce.timesheet.approved'>` is that of one type. */
export type WorkforceEvent<Type extends EventType = EventType> = {
  [Each in Type]: EventEnvelope<Each>;
}[Type];

/** An event about a timesheet, clockings included. */
export type TimesheetEvent = WorkforceEvent<Extract<EventType, `workforce.timesheet.${string}`>>;

export type PayPeriodEvent = WorkforceEvent<Extract<EventType, `workforce.pay_period.${string}`>>;

/**
 * An event about a record of the source: what `fold` takes. `employee.forgotten` is one, and no `TimesheetEvent`: it says
 * nothing about hours, and nothing is to be paid back for it.
 */
export type RecordEvent =
  | TimesheetEvent
  | PayPeriodEvent
  | WorkforceEvent<Extract<EventType, `workforce.${'employee' | 'department'}.${string}`>>;

/** Whether an event is about a record of the source, and not about the notifier itself. */
export function isRecordEvent(event: WorkforceEvent): event is RecordEvent {
  return 'current' in event.data;
}

/** Whether an event is about a timesheet, clockings included. */
export function isTimesheetEvent(event: WorkforceEvent): event is TimesheetEvent {
  return event.type.startsWith('workforce.timesheet.');
}

export function isPayPeriodEvent(event: WorkforceEvent): event is PayPeriodEvent {
  return event.type.startsWith('workforce.pay_period.');
}

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

/** They keep unknown members, and reject an event that lacks a required one. Their types: `event-data.ts`. */
const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(
  SHORT_EVENT_TYPES.map((type) => [toEventType(type), tolerant(eventSchema(type))]),
);
const DATA_SCHEMA_NAMES: ReadonlyMap<string, string> = new Map(
  SHORT_EVENT_TYPES.map((type) => [toEventType(type), toDataSchemaUri(type)]),
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
    ? { outcome: 'event', event: event.data as WorkforceEvent }
    : { outcome: 'invalid', issues: describeIssues(event.error) };
}

function describeIssues({ issues }: z.ZodError): string[] {
  return issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
}
