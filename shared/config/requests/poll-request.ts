import * as z from 'zod';
import { feedNameSchema } from '#shared/core/feeds.ts';
import { connectionSchema } from '../schema/connection.ts';
import { timeOfDaySchema } from '../schema/time-of-day.ts';
import { readRequest } from './read-request.ts';

/** A feed of the connection that is polled. */
const polledFeedSchema = z.strictObject({
  name: feedNameSchema,
  /** Its changes are not published: it is polled for the names that its records have. */
  silent: z.boolean(),
});
export type PolledFeed = z.output<typeof polledFeedSchema>;

/** What a schedule sends to the function that polls. Instants in milliseconds since 1970. */
export const pollRequestSchema = z.strictObject({
  connection: connectionSchema,
  feeds: z.array(polledFeedSchema).min(1),
  /** Times of day, in the connection's zone, at which channels get a daily summary. */
  summaries: z.array(timeOfDaySchema).max(50).optional(),
  /** Until when polls follow by messages. Absent: until the next schedule; 0: none follows. */
  followUpUntil: z.number().optional(),
  /** Slices that no look has seen since then are due, whatever their cadence. Absent: only what their cadence says. */
  freshSince: z.number().optional(),
});
export type PollRequest = z.output<typeof pollRequestSchema>;

/** The message that starts a follow-up. */
const messageSchema = z.object({ Records: z.tuple([z.object({ body: z.string() })]) });

/**
 * Reads the event of an invocation: the request itself, or the message with it. Throws a `NotifierError`
 * (`request_invalid`) that says what is wrong with it.
 */
export function readPollRequest(event: unknown): PollRequest {
  const message = messageSchema.safeParse(event);
  const request: unknown = message.success ? JSON.parse(message.data.Records[0].body) : event;
  return readRequest(pollRequestSchema, request, {
    purpose: 'to poll',
    advice: 'send what a schedule of this stack sends',
  });
}
