import * as z from 'zod';
import { isDate, parseInstant } from '../dates.ts';
import { emptyToNull, type Json } from './fields.ts';

/** Bound of ids and date-times: far above any real one, and far below what a leaf or an event can hold. */
const MAX_TEXT_CHARACTERS = 200;
/** Of a reference that people write, such as that of a payroll approval. What is longer is kept up to here. */
const MAX_NOTE_CHARACTERS = 1_000;
/** Of a name that every pay period has: the state holds hundreds of them in one item. */
export const MAX_LABEL_CHARACTERS = 200;
const CUT = '…';

export const text = z.string().max(MAX_TEXT_CHARACTERS);

/** When something happened, as a date or a date-time; null until it has. Another text does not say that it has. */
export const stamp = text
  .min(1)
  .refine((value) => isDate(value) || parseInstant(value, 'UTC') !== null, 'not a date or date-time')
  .nullable();

/** What some services write for a value that is not there. */
const NOTHING = /^(?:null|undefined|none|nil|nan|false)$/i;

/** Not what is left of control characters, nor a word for nothing, which would read as a change. */
function saysSomething(value: string): boolean {
  return /[\p{L}\p{N}]/u.test(value) && !NOTHING.test(value.trim());
}

/** Of a record, or of what it refers to. */
export const id = text.min(1).refine(saysSomething, 'not an id');

/** A reference that says by being there that something has happened; null until it has. */
export const reference = z
  .string()
  .min(1)
  .max(MAX_NOTE_CHARACTERS)
  .refine(saysSomething, 'not a reference')
  .nullable();

/** A text that people write: a longer one is cut, with an ellipsis, because it must not make its record unreadable. */
export function readNote(value: unknown, maxCharacters = MAX_NOTE_CHARACTERS): Json {
  if (typeof value !== 'string' || value.length <= maxCharacters) return emptyToNull(value);
  const start = value.slice(0, maxCharacters - CUT.length);
  return `${start.replace(/[\uD800-\uDBFF]$/, '')}${CUT}`;
}
