import * as z from 'zod';
import { badResponseError } from './http/failures.ts';

/** A list whose records are checked one by one later. */
export const uncheckedList = z.custom<readonly unknown[]>(Array.isArray, { error: 'expected an array' });

/**
 * Checks a value against a schema. Throws `SourceError` `source_bad_response`, which names the fields that differ and
 * never their values.
 */
export function parseShape<S extends z.ZodType>(schema: S, value: unknown, place: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, 3);
  const fields = issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`).join('; ');
  throw badResponseError(`JSON of another shape (${fields})`, place, { final: true });
}
