import * as z from 'zod';
import { isMisdated } from '../core/clock-tolerance.ts';
import { parseJsonOrNull } from '../core/parse-json.ts';
import { toQueueSafeJson } from '../core/queue-safe-json.ts';
import { MAX_RETRY_WAIT_MS } from './attempt-schedule.ts';

const VERSION = 1;
/** As in the specification of W3C Trace Context; anything else must not become a header. */
const TRACE_PARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

const formerId = z.string().nullish().catch(null);
/** The previous state, as far as filters need it. */
const formerStateSchema = z
  .object({ departmentId: formerId, organisationWorkedId: formerId })
  .nullish()
  .catch(null);

/** The members of an event that delivery needs. Everything else, and unknown types, pass through unread. */
export const deliverableEventSchema = z.object({
  id: z.string().min(1),
  source: z.string(),
  type: z.string(),
  subject: z.string().optional(),
  connection: z.string(),
  epoch: z.string().optional(),
  // 0 in a snapshot of a record without events.
  sequence: z.int().min(0),
  traceparent: z.string().regex(TRACE_PARENT).optional().catch(undefined),
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
 * An event in the queue of a webhook after its first receipt. Instants in milliseconds since 1970; fractional ones are
 * accepted, since a message that cannot be parsed is given up.
 */
const envelopeSchema = z.object({
  version: z.literal(VERSION),
  /** Attempts made. */
  attempt: z.int().min(0),
  /** The earliest time of the next attempt. */
  dueAt: z.number(),
  /** When the event was first received for this webhook. */
  firstAt: z.number(),
  sentAgain: z.boolean(),
  /** Present on examples only. */
  example: z.literal(true).optional(),
  /** Why the last attempt failed; null before the first one. */
  lastReason: z.string().nullable(),
  /** Why each attempt failed, oldest first. Absent when none failed. */
  answers: z.array(z.string()).optional(),
  /** When it was told that it was given up. Absent before that. */
  failedAt: z.number().optional(),
  /** When it went to the dead-letter queue; null before. */
  givenUpAt: z.number().nullable(),
  /** The CloudEvent as JSON, byte for byte as published. */
  event: z.string(),
});
type Envelope = z.output<typeof envelopeSchema>;

/** An event on its way to an endpoint. */
export interface PendingDelivery
  extends Omit<Envelope, 'version' | 'givenUpAt' | 'event' | 'example' | 'answers'> {
  /** It reports nothing, and was sent to try the receiver. */
  readonly example: boolean;
  readonly answers?: readonly string[] | undefined;
  readonly event: DeliverableEvent;
  /** The CloudEvent as JSON, byte for byte as published. */
  readonly text: string;
}

export interface MessageContext {
  readonly now: number;
  /** Whether it was published before, and is sent again. */
  readonly sentAgain: boolean;
  /** Whether it is an example; default: false. */
  readonly example?: boolean;
}

/**
 * Parses a message of a webhook's queue: an event from a topic, or the envelope of one that was received before. Null
 * when it is neither; a retry would not help. An event redriven from the dead-letter queue starts with no attempts.
 */
export function readDelivery(
  body: string,
  { now, sentAgain, example = false }: MessageContext,
): PendingDelivery | null {
  const value = parseJsonOrNull(body);
  const fresh = { attempt: 0, dueAt: now, firstAt: now, sentAgain, example, lastReason: null };
  const envelope = envelopeSchema.safeParse(value);
  if (!envelope.success) return toPendingDelivery(value, body, fresh);
  const { version: _, event, givenUpAt, ...rest } = envelope.data;
  const dueAt = isMisdated(rest.dueAt, now, MAX_RETRY_WAIT_MS) ? now : rest.dueAt;
  const state = { ...rest, dueAt, example: rest.example ?? false };
  const { sentAgain: wasSentAgain, example: isExample } = state;
  const { failedAt } = state;
  const known =
    givenUpAt === null ? state : { ...fresh, sentAgain: wasSentAgain, example: isExample, failedAt };
  return toPendingDelivery(parseJsonOrNull(event), event, known);
}

/** The envelope of a delivery. `givenUpAt`: set when it goes to the dead-letter queue. */
export function writeDelivery(delivery: PendingDelivery, givenUpAt: number | null = null): string {
  const { event: _, text, example, answers, ...state } = delivery;
  const attributes = {
    ...(example ? { example } : {}),
    ...(answers === undefined ? {} : { answers: [...answers] }),
  };
  return toQueueSafeJson({
    version: VERSION,
    ...state,
    ...attributes,
    givenUpAt,
    event: text,
  } satisfies Envelope);
}

function toPendingDelivery(
  value: unknown,
  text: string,
  state: Omit<PendingDelivery, 'event' | 'text'>,
): PendingDelivery | null {
  const event = deliverableEventSchema.safeParse(value);
  return event.success ? { ...state, event: event.data, text } : null;
}
