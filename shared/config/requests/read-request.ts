import type * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';

/**
 * Parses the event of an invocation. Throws a `NotifierError` (`request_invalid`):
 * `the event is not a request {purpose} (...); {advice}`.
 */
export function readRequest<Schema extends z.ZodType>(
  schema: Schema,
  event: unknown,
  { purpose, advice }: { readonly purpose: string; readonly advice: string },
): z.output<Schema> {
  const result = schema.safeParse(event);
  if (result.success) return result.data;
  const wrong = result.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'the event'}: ${message}`,
  );
  throw new NotifierError(
    'request_invalid',
    `the event is not a request ${purpose} (${wrong.join('; ')}); ${advice}`,
    { cause: result.error },
  );
}
