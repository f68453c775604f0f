import { isNothing } from './values.ts';

/** The id of an unchecked record; `null` when it has none, one of zeros, or one of more than 100 characters. */
export function idOf(record: unknown): string | null {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, 'id')) return null;
  const { id } = record as { id: unknown };
  return typeof id === 'string' && id.length <= 100 && !isNothing(id) ? id : null;
}
