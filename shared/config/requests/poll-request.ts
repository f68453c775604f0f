import * as z from 'zod';
import { connectionSchema } from '../schema/connection.ts';
import { timeOfDaySchema } from '../schema/time-of-day.ts';
import { readRequest } from './read-request.ts';

/** What a schedule sends to a poll function. */
export const pollRequestSchema = z.strictObject({
  connection: connectionSchema,
  /**
   * `due`: the slices that the planner finds due. `window`: every slice, taking over any lease.
   * `readable`: every slice but those that the source failed to list, until their next try.
   */
  scope: z.enum(['due', 'window', 'readable']).default('due'),
  /** Seconds after its start during which a poll reads busy hot dates repeatedly; 0: once. */
  repeatForSeconds: z.number().min(0).max(840).default(0),
  /** Times of day, in the connection's zone, at which channels get a daily summary. */
  summaries: z.array(timeOfDaySchema).max(50).optional(),
});
export type PollRequest = z.output<typeof pollRequestSchema>;

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readPollRequest(event: unknown): PollRequest {
  return readRequest(pollRequestSchema, event, {
    purpose: 'to poll',
    advice: 'send what a schedule of this stack sends',
  });
}
