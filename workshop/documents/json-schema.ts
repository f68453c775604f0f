import * as z from 'zod';
import { tolerant } from '#shared/core/tolerant.ts';
import { namePart } from './schema-names.ts';

/** A JSON Schema as it is written. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface SchemaSetting {
  readonly target: 'draft-2020-12' | 'draft-7';
  /** Where the named schemas of the document are, such as `#/$defs/`. */
  readonly root: string;
  /**
   * How an object that may be null is written: as a `union` with null, or as a named `part` that is an object or null.
   * Generators that read AsyncAPI make an anonymous type of such a union.
   */
  readonly nullable: 'union' | 'part';
}

/** A schema whose objects are named, and those objects by their names. */
export interface NamedSchema {
  readonly schema: JsonSchema;
  readonly parts: ReadonlyMap<string, JsonSchema>;
}

/**
 * The JSON Schema of what a subscriber gets: members and words may be added without a new version, so none of them is
 * shut out. Every object within it is a schema of its own, so that generators of code have a name for its type.
 */
export function toNamedSchema(name: string, schema: z.ZodType, setting: SchemaSetting): NamedSchema {
  const { target } = setting;
  const {
    '~standard': _,
    $schema: __,
    ...plain
  } = z.toJSONSchema(tolerant(schema), { target, override: removeNoise });
  const parts = new Map<string, JsonSchema>();
  return { schema: namePartsOf(name, plain, { ...setting, parts }), parts };
}

/** The schemas of several, by name. Throws when one name means two things. */
export function mergeParts(all: readonly ReadonlyMap<string, JsonSchema>[]): Record<string, JsonSchema> {
  const merged = new Map<string, JsonSchema>();
  for (const parts of all) for (const [name, part] of parts) addPart(merged, name, part);
  return Object.fromEntries([...merged].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface Naming extends SchemaSetting {
  readonly parts: Map<string, JsonSchema>;
}

function namePartsOf(owner: string, schema: JsonSchema, naming: Naming): JsonSchema {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const named = properties.map(([member, value]) => [member, refer(value, [owner, member], naming)]);
  return { ...schema, properties: Object.fromEntries(named) };
}

/** The schema of a member, with references in place of objects. */
function refer(schema: JsonSchema, [owner, member]: readonly [string, string], naming: Naming): JsonSchema {
  const { items, anyOf } = schema;
  if (Array.isArray(anyOf)) {
    const [first] = anyOf as JsonSchema[];
    if (naming.nullable === 'part' && isNullableObject(anyOf)) {
      const { anyOf: _, ...rest } = schema;
      return refer({ ...rest, ...first, type: ['object', 'null'] }, [owner, member], naming);
    }
    return simplify({ ...schema, anyOf: anyOf.map((each) => refer(each, [owner, member], naming)) });
  }
  if (typeof items === 'object')
    return { ...schema, items: refer(items as JsonSchema, [owner, member], naming) };
  if (schema.properties === undefined) return schema;
  const name = namePart(owner, member);
  addPart(naming.parts, name, { title: name, ...namePartsOf(name, schema, naming) });
  return { $ref: `${naming.root}${name}` };
}

function isNullableObject([first, second, ...more]: readonly JsonSchema[]): boolean {
  return first?.properties !== undefined && second?.type === 'null' && more.length === 0;
}

/** One schema for what is either a simple value or null, and for a list of words that may grow: any text. */
function simplify({ anyOf, ...rest }: JsonSchema & { readonly anyOf: readonly JsonSchema[] }): JsonSchema {
  const [first = {}, second = {}] = anyOf;
  if (anyOf.length !== 2 || '$ref' in first) return { anyOf, ...rest };
  if (typeof first.type === 'string' && second.type === 'null')
    return { ...rest, ...first, type: [first.type, 'null'] };
  if ('enum' in first && second.type === 'string') return { ...rest, type: 'string', examples: first.enum };
  return { anyOf, ...rest };
}

function addPart(parts: Map<string, JsonSchema>, name: string, part: JsonSchema): void {
  const known = parts.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(part)) {
    throw new Error(`two schemas are named ${name}; name them apart in workshop/documents/schema-names.ts`);
  }
  parts.set(name, part);
}

/**
 * Says less: a format has a pattern of hundreds of characters, an integer the bounds of JavaScript, and of a text that is
 * not empty generators make a type. Further members are allowed by `true`: of the schema `{}`, which means the same, they
 * make one too.
 */
function removeNoise({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.additionalProperties !== undefined) jsonSchema.additionalProperties = true;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
