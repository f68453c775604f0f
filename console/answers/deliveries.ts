import * as z from 'zod';
import { eventPlaceSchema, lineSchema, typePatternSchema } from './lines.ts';

const outcomeSchema = z.enum(['delivered', 'waiting', 'failed', 'untried']);
export type DeliveryOutcome = z.output<typeof outcomeSchema>;

const receiverSchema = z.object({
  /** The name of a webhook, `slack/{name}`, `teams/{name}` or `email/{name}`. */
  label: z.string(),
  kind: z.enum(['webhook', 'channel']),
  counts: z.record(outcomeSchema, z.int()),
  /** Why a webhook is disabled, in words; null while it is enabled. */
  disabled: z.string().nullable(),
  /** Sends what failed again. */
  resendCommand: z.string().nullable(),
});
export type DeliveryReceiver = z.output<typeof receiverSchema>;

const deliverySchema = lineSchema.omit({ key: true }).extend({
  receiver: z.string(),
  outcome: outcomeSchema,
  attempts: z.int(),
  /** Why each attempt failed, oldest first. */
  answers: z.array(z.string()),
  detail: z.string().nullable(),
  at: z.string().nullable(),
  nextAt: z.string().nullable(),
});
export type DeliveryLine = z.output<typeof deliverySchema>;

export const deliveriesQuerySchema = z.object({
  to: z.string().max(100).optional(),
  outcome: outcomeSchema.optional(),
  type: typePatternSchema.optional(),
  since: z.string().max(40).default('24h'),
});
export type DeliveriesQuery = z.input<typeof deliveriesQuerySchema>;

export const deliveriesAnswerSchema = z.object({
  receivers: z.array(receiverSchema),
  /** Newest first, at most `MAX_LISTED`. */
  deliveries: z.array(deliverySchema),
  /** How many matched, listed or not. */
  total: z.int(),
  /** Queues that subscribers read themselves. */
  queues: z.array(z.string()),
});
export type DeliveriesAnswer = z.output<typeof deliveriesAnswerSchema>;

/** One event, to one webhook. */
export const resendSchema = eventPlaceSchema.extend({ receiver: z.string().max(100) });
export type Resend = z.output<typeof resendSchema>;
