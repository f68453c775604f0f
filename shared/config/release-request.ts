import * as z from 'zod';
import { NotifierError } from '../core/errors.ts';

/** What a schedule sends to the function that tells people. */
const releaseRequestSchema = z.strictObject({
  /** `due`: what waited long enough. `all`: what waits for others does not wait any longer; quiet hours hold. */
  scope: z.enum(['due', 'all']).default('due'),
});
export type ReleaseRequest = z.output<typeof releaseRequestSchema>;

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readReleaseRequest(event: unknown): ReleaseRequest {
  const result = releaseRequestSchema.safeParse(event);
  if (result.success) return result.data;
  const wrong = result.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'all of it'}: ${message}`,
  );
  throw new NotifierError(
    'request_invalid',
    `the event is no request to tell people (${wrong.join('; ')}); send {"scope":"due"}, as the schedule of this stack does`,
    { cause: result.error },
  );
}
