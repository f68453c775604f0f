import * as z from 'zod';
import { connectionSchema } from '../schema/connection.ts';
import { readRequest } from './read-request.ts';

/** What a schedule sends to a poll function. */
export const pollRequestSchema = z.strictObject({
  connection: connectionSchema,
  /** `due`: what the planner finds due now. `window`: every slice of the window, and any lease is taken over. */
  scope: z.enum(['due', 'window']).default('due'),
  /** For so long after its start a poll looks at busy hot dates again and again; 0: once. */
  repeatForSeconds: z.number().min(0).max(840).default(0),
});
export type PollRequest = z.output<typeof pollRequestSchema>;

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readPollRequest(event: unknown): PollRequest {
  return readRequest(pollRequestSchema, event, {
    purpose: 'to poll',
    advice: 'send what a schedule of this stack sends',
  });
}
