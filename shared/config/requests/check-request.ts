import * as z from 'zod';
import { eventFilterSchema, topicsSchema } from '../schema/event-filter.ts';
import { readRequest } from './read-request.ts';

/** What a schedule sends: what is to reach whom, of which the function looks whether it was tried. */
const checkRequestSchema = z.strictObject({
  connections: z.array(z.string().min(1)).min(1),
  webhooks: z.array(
    z.strictObject({
      name: z.string().min(1),
      topics: topicsSchema,
      filter: eventFilterSchema,
      /** Its events wait in its queue, and none is tried. */
      paused: z.boolean(),
    }),
  ),
  /** Queues that are subscribed to topics, by their ARNs. */
  subscriptions: z.array(z.strictObject({ topicArn: z.string().min(1), endpoint: z.string().min(1) })),
});
export type CheckRequest = z.output<typeof checkRequestSchema>;
export type CheckRequestInput = z.input<typeof checkRequestSchema>;

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readCheckRequest(event: unknown): CheckRequest {
  return readRequest(checkRequestSchema, event, {
    purpose: 'to check deliveries',
    advice: 'the schedule of the stack sends it',
  });
}
