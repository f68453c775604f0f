import * as z from 'zod';
import { connectionSchema } from './connection.ts';

/** What a schedule sends to a poll function. */
export const pollRequestSchema = z.strictObject({
  connection: connectionSchema,
  /** `due`: what the planner finds due now. `window`: every slice of the window, and any lease is taken over. */
  scope: z.enum(['due', 'window']).default('due'),
});
export type PollRequest = z.output<typeof pollRequestSchema>;
