import type * as z from 'zod';
import { badResponseError } from './http/failures.ts';

/**
 * A value in the shape that was asked for. Throws `SourceError` `source_bad_response` naming the fields that differ,
 * never their values.
 */
export function parseShape<S extends z.ZodType>(schema: S, value: unknown, place: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, 3);
  const fields = issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`).join('; ');
  throw badResponseError(`JSON of another shape (${fields})`, place, { final: true });
}
