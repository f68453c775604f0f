import * as z from 'zod';
import { readRequest } from './read-request.ts';

/** What a schedule sends to the function that tells people. */
const releaseRequestSchema = z.strictObject({
  /** `due`: what waited long enough. `all`: what waits for others does not wait any longer; quiet hours hold. */
  scope: z.enum(['due', 'all']).default('due'),
});
export type ReleaseRequest = z.output<typeof releaseRequestSchema>;

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readReleaseRequest(event: unknown): ReleaseRequest {
  return readRequest(releaseRequestSchema, event, {
    purpose: 'to tell people',
    advice: 'send {"scope":"due"}, as the schedule of this stack does',
  });
}
