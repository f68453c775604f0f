import * as z from 'zod';
import { NotifierError } from '../../core/errors.ts';
import { describeIssues, type Item, readAttributes, unreadableItemError, type Values } from './attributes.ts';
import { compressed, decompressed } from './compression.ts';

/** Text from this length on is compressed. */
const COMPRESSED_FROM = 200;

/** How a member of a value is stored in an attribute of its own. No attribute stands for a value of its own. */
export interface StoredMember<Value> {
  readonly attribute: string;
  encode(value: Value): Values[string];
  /** Throws for what `encode` did not write. */
  decode(stored: unknown): Value;
}

export type StoredMembers<Value> = { readonly [Name in keyof Value]-?: StoredMember<Value[Name]> };

/** A number, or a value for which there is no attribute. */
export function numberMember<Absent extends number | null>(
  attribute: string,
  absent: Absent,
): StoredMember<number | Absent> {
  return {
    attribute,
    encode: (value) => (value === absent || value === null ? undefined : value),
    decode: (stored) => (stored === undefined ? absent : z.number().parse(stored)),
  };
}

/** Anything else as JSON, or a value for which there is no attribute. */
export function jsonMember<Value>(
  attribute: string,
  schema: z.ZodType<Value>,
  absent: NoInfer<Value>,
): StoredMember<Value> {
  const nothing = JSON.stringify(absent);
  return {
    attribute,
    encode(value) {
      const text = JSON.stringify(value);
      if (text === nothing) return undefined;
      return text.length < COMPRESSED_FROM ? text : compressed(text);
    },
    decode(stored) {
      if (stored === undefined) return absent;
      return schema.parse(JSON.parse(stored instanceof Uint8Array ? decompressed(stored) : String(stored)));
    },
  };
}

/** Attributes of the members that a value has. */
export function writeMembers<Value extends object>(
  members: StoredMembers<Value>,
  value: Partial<Value>,
): Values {
  const values: Record<string, Values[string]> = {};
  for (const name of Object.keys(members) as (keyof Value)[])
    if (name in value)
      values[members[name].attribute] = members[name].encode(value[name] as Value[typeof name]);
  return values;
}

/** All members of an item. Throws `NotifierError` `store_item_unreadable` with the key, without the contents. */
export function readMembers<Value extends object>(members: StoredMembers<Value>, item: Item): Value {
  const attributes = readAttributes(item);
  const value: Partial<Value> = {};
  for (const name of Object.keys(members) as (keyof Value)[]) {
    const { attribute, decode } = members[name];
    try {
      const member = decode(attributes[attribute]);
      if (member !== undefined) value[name] = member;
    } catch (cause) {
      throw unreadableItemError(item, `attribute ${attribute}: ${describeCause(cause)}`, cause);
    }
  }
  return value as Value;
}

function describeCause(cause: unknown): string {
  if (cause instanceof z.ZodError) return describeIssues(cause);
  return cause instanceof NotifierError ? cause.message : 'another form';
}
