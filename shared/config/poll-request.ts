import * as z from 'zod';
import { NotifierError } from '../core/errors.ts';
import { connectionSchema } from './connection.ts';

/** What a schedule sends to a poll function. */
export const pollRequestSchema = z.strictObject({
  connection: connectionSchema,
  /** `due`: what the planner finds due now. `window`: every slice of the window, and any lease is taken over. */
  scope: z.enum(['due', 'window']).default('due'),
});
export type PollRequest = z.output<typeof pollRequestSchema>;

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readPollRequest(event: unknown): PollRequest {
  const result = pollRequestSchema.safeParse(event);
  if (result.success) return result.data;
  const wrong = result.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'all of it'}: ${message}`,
  );
  throw new NotifierError(
    'request_invalid',
    `the event is no request to poll (${wrong.join('; ')}); send what a schedule of this stack sends`,
    { cause: result.error },
  );
}
