import type { Json } from '#shared/core/records/fields.ts';
import { MAX_EXACT_NUMBER } from './numbers.ts';

/** A value that is not taken apart: everything but a list. An object stands as its JSON text. */
export type Scalar = string | number | boolean | null | ObjectText;

export interface ObjectText {
  readonly json: string;
}

/** What a scalar is made of. `number` is one that is neither whole nor in hundredths, written as text. */
export const VALUE_KINDS = [
  'null',
  'true',
  'false',
  'whole',
  'hundredths',
  'number',
  'text',
  'object',
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];
export const VALUE_KIND_BITS = 3;

export function valueKindOf(value: Scalar): ValueKind {
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false';
    case 'string':
      return 'text';
    case 'number': {
      if (isExact(value)) return 'whole';
      const hundredths = Math.round(value * 100);
      return isExact(hundredths) && hundredths / 100 === value ? 'hundredths' : 'number';
    }
    default:
      return value === null ? 'null' : 'object';
  }
}

function isExact(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < MAX_EXACT_NUMBER;
}

/** The same value for the same text, so that equal objects are found to be equal. */
export class ObjectTexts {
  readonly #known = new Map<string, ObjectText>();

  of(value: Json): ObjectText {
    const json = JSON.stringify(value);
    const known = this.#known.get(json);
    if (known !== undefined) return known;
    const text = { json };
    this.#known.set(json, text);
    return text;
  }
}
