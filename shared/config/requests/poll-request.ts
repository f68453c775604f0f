import * as z from 'zod';
import { directoryFeedSchema } from '#shared/core/feeds.ts';
import { connectionSchema } from '../schema/connection.ts';
import { timeOfDaySchema } from '../schema/time-of-day.ts';
import { readRequest } from './read-request.ts';

/** What a schedule sends to a poll function. */
export const pollRequestSchema = z.strictObject({
  connection: connectionSchema,
  /**
   * `due`: the slices that the planner finds due. `owed`: those whose cadence is over, which a follow-up reads.
   * `window`: every slice, taking over any lease. `readable`: every slice but those that the source failed to list,
   * until their next try.
   */
  scope: z.enum(['due', 'owed', 'window', 'readable']).default('due'),
  /** Seconds after the start of a poll during which follow-ups read busy dates again; 0: none do. */
  repeatForSeconds: z.number().min(0).max(840).default(0),
  /** Of a follow-up: the end of those seconds, in milliseconds since 1970. */
  repeatUntil: z.number().optional(),
  /** One that the function polls besides its own, which it polls without this. */
  feed: directoryFeedSchema.optional(),
  /** Its changes are not published: it is polled for the names that its records have. */
  isSilent: z.boolean().optional(),
  /** Times of day, in the connection's zone, at which channels get a daily summary. */
  summaries: z.array(timeOfDaySchema).max(50).optional(),
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
