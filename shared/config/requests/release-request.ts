import * as z from 'zod';
import { readRequest } from './read-request.ts';

/** What a schedule sends to the function that releases alerts. */
const releaseRequestSchema = z.strictObject({
  /** `due`: alerts that have waited long enough. `all`: all of them; quiet hours hold. */
  scope: z.enum(['due', 'all']).default('due'),
});
export type ReleaseRequest = z.output<typeof releaseRequestSchema>;

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readReleaseRequest(event: unknown): ReleaseRequest {
  return readRequest(releaseRequestSchema, event, {
    purpose: 'to release alerts',
    advice: 'send {"scope":"due"}, as the schedule of this stack does',
  });
}
