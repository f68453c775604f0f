import * as z from 'zod';
import { parseJsonOrNull } from '../../core/parse-json.ts';
import { ATTRIBUTE, describeIssues, type Item, readItem, unreadableItemError } from './attributes.ts';
import { toItem } from './items.ts';
import type { Key } from './keys.ts';

const jsonItemSchema = z.object({ [ATTRIBUTE.body]: z.string() });

/** An item whose body is JSON. `expiresAt`: milliseconds since 1970 after which DynamoDB may delete it. */
export function toJsonItem(key: Key, value: object, expiresAt?: number): Item {
  return toItem(key, { [ATTRIBUTE.body]: JSON.stringify(value) }, expiresAt);
}

/** Reads the body of an item of `toJsonItem`. Throws `NotifierError` `store_item_unreadable`. */
export function readJsonItem<Schema extends z.ZodType>(schema: Schema, item: Item): z.output<Schema> {
  return parseBody(schema, item, readItem(jsonItemSchema, item)[ATTRIBUTE.body]);
}

/** Parses JSON that an item holds. Throws `NotifierError` `store_item_unreadable`, without the contents. */
export function parseBody<Schema extends z.ZodType>(
  schema: Schema,
  item: Item,
  text: string,
): z.output<Schema> {
  const parsed = schema.safeParse(parseJsonOrNull(text));
  if (parsed.success) return parsed.data;
  throw unreadableItemError(item, `its body has another shape, ${describeIssues(parsed.error)}`);
}
