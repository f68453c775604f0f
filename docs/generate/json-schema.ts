import * as z from 'zod';
import { tolerant } from '#kit/tolerant.ts';

/** A JSON Schema as it is written. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of what a subscriber gets: members and words may be added without a new version, so none of them is
 * shut out.
 */
export function toJsonSchema(schema: z.ZodType, target: 'draft-2020-12' | 'draft-7'): JsonSchema {
  const { '~standard': _, ...plain } = z.toJSONSchema(tolerant(schema), { target, override: removeNoise });
  return plain;
}

/** Says less: a format has a pattern of hundreds of characters, an integer the bounds of JavaScript. */
function removeNoise({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
