import * as z from 'zod';

/**
 * Relaxes a schema for subscribers. A sender newer than the subscriber may add members, add values to an enum and raise
 * maximum lengths; the result accepts all of these. What is required stays required.
 */
export function tolerant<Schema extends z.ZodType>(schema: Schema): z.ZodType<Tolerant<z.output<Schema>>> {
  return relax(schema) as z.ZodType<Tolerant<z.output<Schema>>>;
}

function relax(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape).map(([name, member]) => [name, relax(member)]);
    return copyDescription(schema, z.looseObject(Object.fromEntries(members)));
  }
  if (schema instanceof z.ZodArray) return copyDescription(schema, z.array(relax(schema.element)));
  if (schema instanceof z.ZodNullable) return copyDescription(schema, relax(schema.unwrap()).nullable());
  if (schema instanceof z.ZodOptional) return copyDescription(schema, relax(schema.unwrap()).optional());
  if (schema instanceof z.ZodEnum) return copyDescription(schema, z.union([schema, z.string()]));
  if (schema instanceof z.ZodString) return copyDescription(schema, dropMaxLengths(schema));
  return schema as z.ZodType;
}

function dropMaxLengths(schema: z.ZodString): z.ZodType {
  const checks = schema.def.checks?.filter((check) => check._zod.def.check !== 'max_length');
  return schema.clone(checks === undefined ? schema.def : { ...schema.def, checks });
}

function copyDescription(from: z.ZodType, to: z.ZodType): z.ZodType {
  return from.description === undefined ? to : to.describe(from.description);
}

/** A value of an enum that may grow. */
type Open<Word extends string> = Word | (string & Record<never, never>);

/** The output of a tolerant schema: the same members, with open enums. */
export type Tolerant<Value> = Value extends string
  ? string extends Value
    ? Value
    : Open<Value>
  : Value extends readonly (infer Item)[]
    ? Tolerant<Item>[]
    : Value extends object
      ? { [Name in keyof Value]: Tolerant<Value[Name]> }
      : Value;
