import * as z from 'zod';

/**
 * The same schema as a subscriber reads it. A sender that is newer than the subscriber may add members, add words to a
 * list of words, and raise bounds of length: none of these is refused. What is promised stays required.
 */
export function tolerant(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape).map(([name, member]) => [name, tolerant(member)]);
    return copyDescription(schema, z.looseObject(Object.fromEntries(members)));
  }
  if (schema instanceof z.ZodArray) return copyDescription(schema, z.array(tolerant(schema.element)));
  if (schema instanceof z.ZodNullable) return copyDescription(schema, tolerant(schema.unwrap()).nullable());
  if (schema instanceof z.ZodOptional) return copyDescription(schema, tolerant(schema.unwrap()).optional());
  if (schema instanceof z.ZodEnum) return copyDescription(schema, z.union([schema, z.string()]));
  if (schema instanceof z.ZodString) return dropMaxLengths(schema);
  return schema as z.ZodType;
}

function dropMaxLengths(schema: z.ZodString): z.ZodType {
  const checks = schema.def.checks?.filter((check) => check._zod.def.check !== 'max_length');
  return schema.clone(checks === undefined ? schema.def : { ...schema.def, checks });
}

function copyDescription(from: z.ZodType, to: z.ZodType): z.ZodType {
  return from.description === undefined ? to : to.describe(from.description);
}

/** A value of a list of words that may grow. */
type Open<Word extends string> = Word | (string & Record<never, never>);

/** What a tolerant schema gives: the same members, with lists of words that may grow. */
export type Tolerant<Value> = Value extends string
  ? string extends Value
    ? Value
    : Open<Value>
  : Value extends readonly (infer Item)[]
    ? Tolerant<Item>[]
    : Value extends object
      ? { [Name in keyof Value]: Tolerant<Value[Name]> }
      : Value;
