import * as z from 'zod';
import { parseJsonOrNull } from '../parse-json.ts';
import { toQueueSafeJson } from '../queue-safe-json.ts';

/** Version of the envelope. */
const VERSION = 1;

const formerId = z.string().nullish().catch(null);
/** What stood before, as far as filters look at it. */
const formerStateSchema = z
  .object({ departmentId: formerId, organisationWorkedId: formerId })
  .nullish()
  .catch(null);

/** What delivering needs to know of an event; everything else goes through unread, of types not yet known too. */
export const deliverableEventSchema = z.object({
  id: z.string().min(1),
  source: z.string(),
  type: z.string(),
  subject: z.string().optional(),
  connection: z.string(),
  epoch: z.string().optional(),
  sequence: z.int().min(1),
  data: z.object({
    organisationId: z.string().nullable().optional(),
    departmentId: z.string().nullable().optional(),
    previousOrganisationId: z.string().nullable().optional(),
    previousDepartmentId: z.string().nullable().optional(),
    previous: formerStateSchema,
    late: z.array(z.string()).optional(),
  }),
});
export type DeliverableEvent = z.output<typeof deliverableEventSchema>;

/**
 * How an event lies in the queue of a webhook after it was looked at once. Instants in milliseconds since 1970, of which
 * a fraction is none to stumble over: what cannot be read here is given up.
 */
const envelopeSchema = z.object({
  version: z.literal(VERSION),
  /** Attempts made. */
  attempt: z.int().min(0),
  /** Not to be tried before. */
  dueAt: z.number(),
  /** When the event was first received for this webhook. */
  firstAt: z.number(),
  replayed: z.boolean(),
  /** Only there on an example: a version that does not know it reads everything else. */
  example: z.literal(true).optional(),
  /** Why the last attempt failed, or what is waited for; null when there is nothing to say. */
  lastReason: z.string().nullable(),
  /** When it was put into the dead-letter queue; null before. */
  givenUpAt: z.number().nullable(),
  /** The CloudEvent as JSON, byte for byte as published. */
  event: z.string(),
});
type Envelope = z.output<typeof envelopeSchema>;

/** An event on its way to an endpoint. */
export interface PendingDelivery extends Omit<Envelope, 'version' | 'givenUpAt' | 'event' | 'example'> {
  /** It tells of nothing, and was sent to try the receiver. */
  readonly example: boolean;
  readonly event: DeliverableEvent;
  /** The CloudEvent as JSON, byte for byte as published. */
  readonly text: string;
}

/** What a message of the queue says besides its body. */
export interface MessageContext {
  readonly now: number;
  /** Whether the message is marked as published before. */
  readonly replayed: boolean;
  /** Whether it is marked as an example; default: no. */
  readonly example?: boolean;
}

/**
 * Reads a message of a webhook's queue: an event as it comes from a topic, or our envelope. Null for neither. What was
 * given up and is sent to the queue again, out of the dead-letter queue, begins anew.
 */
export function readDelivery(
  body: string,
  { now, replayed, example = false }: MessageContext,
): PendingDelivery | null {
  const value = parseJsonOrNull(body);
  const fresh = { attempt: 0, dueAt: now, firstAt: now, replayed, example, lastReason: null };
  const envelope = envelopeSchema.safeParse(value);
  if (!envelope.success) return toPendingDelivery(value, body, fresh);
  const { version: _, event, givenUpAt, ...rest } = envelope.data;
  const state = { ...rest, example: rest.example ?? false };
  const { replayed: wasReplayed, example: isExample } = state;
  const known = givenUpAt === null ? state : { ...fresh, replayed: wasReplayed, example: isExample };
  return toPendingDelivery(parseJsonOrNull(event), event, known);
}

/** The envelope of a delivery, to be sent to the queue. `givenUpAt`: the instant, when it goes to the dead letters. */
export function writeDelivery(delivery: PendingDelivery, givenUpAt: number | null = null): string {
  const { event: _, text, example, ...state } = delivery;
  const marks = example ? { example } : {};
  return toQueueSafeJson({ version: VERSION, ...state, ...marks, givenUpAt, event: text } satisfies Envelope);
}

/** Whether a delivery says nothing of how far the endpoint is with a record: what is sent once more, and an example. */
export function isOutOfOrder({ replayed, example }: Pick<PendingDelivery, 'replayed' | 'example'>): boolean {
  return replayed || example;
}

function toPendingDelivery(
  value: unknown,
  text: string,
  state: Omit<PendingDelivery, 'event' | 'text'>,
): PendingDelivery | null {
  const event = deliverableEventSchema.safeParse(value);
  return event.success ? { ...state, event: event.data, text } : null;
}
