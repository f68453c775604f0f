import * as z from 'zod';
import { subscriptionFilterSchema, subscriptionTopicsSchema } from '../schema/subscription.ts';
import { readRequest } from './read-request.ts';
import { REPLAY_RATE } from './replay-request.ts';

/** What a schedule sends: receivers that begin with a snapshot. */
const startRequestSchema = z.strictObject({
  kind: z.literal('start'),
  connections: z.array(z.string().min(1)).min(1),
  receivers: z
    .array(
      z.strictObject({
        /** Such as `webhook-payroll`. */
        name: z.string().min(1),
        generation: z.int().min(1),
        queueUrl: z.url(),
        interest: z.strictObject({ topics: subscriptionTopicsSchema, filter: subscriptionFilterSchema }),
      }),
    )
    .min(1),
  perSecond: z.number().min(REPLAY_RATE.min).max(REPLAY_RATE.max).default(REPLAY_RATE.default),
});
export type StartRequest = z.output<typeof startRequestSchema>;
export type StartRequestInput = z.input<typeof startRequestSchema>;

/** Whether an event of an invocation is meant as such a request, right or wrong. */
export function isStartRequest(event: unknown): boolean {
  return z.looseObject({ kind: z.literal('start') }).safeParse(event).success;
}

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readStartRequest(event: unknown): StartRequest {
  return readRequest(startRequestSchema, event, {
    purpose: 'to start receivers',
    advice: 'the schedule of the stack sends it',
  });
}
