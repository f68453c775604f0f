import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLE } from '../../config/table.ts';
import { NotifierError } from '../../core/errors.ts';

/**
 * Attributes that several kinds of items have. Names are short because every read and write is billed by the bytes of
 * the item; those of one kind stand where it is written. Readers ignore attributes that they do not know.
 *
 * | Name | Type | In | Meaning |
 * |---|---|---|---|
 * | `f` | N | all | number of the format, 1 |
 * | `d` | B or S | bucket, log, count, answers, alert, sealed, delivery, webhook, thread | its value: as JSON, or compressed |
 * | `r` | N | revision of a channel | on which writes are conditional |
 * | `e` | N | sealed | instant until which one run owns it |
 * | `expiresAt` | N | log, count, answers, alert, delivery, thread | seconds after which DynamoDB may delete it |
 */
export const ATTRIBUTE = { format: 'f', revision: 'r', body: 'd', end: 'e' } as const;

export const FORMAT = 1;

export type Item = Record<string, AttributeValue>;

/** Values of attributes by name. An undefined value means no attribute. */
export type Values = Readonly<Record<string, string | number | Uint8Array | undefined>>;

export function toAttributes(values: Values): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) item[name] = toAttribute(value);
  }
  return item;
}

function toAttribute(value: string | number | Uint8Array): AttributeValue {
  if (typeof value === 'string') return { S: value };
  return typeof value === 'number' ? { N: String(value) } : { B: value };
}

export const bytesSchema = z.instanceof(Uint8Array);

/**
 * Parses an item. Throws `NotifierError` `store_format_unknown`, or `store_item_unreadable` with the key and the issues,
 * without the contents.
 */
export function readItem<Schema extends z.ZodType>(schema: Schema, item: Item): z.output<Schema> {
  const parsed = schema.safeParse(readAttributes(item));
  if (parsed.success) return parsed.data;
  throw unreadableItemError(item, describeIssues(parsed.error));
}

/** Values of an item by attribute, unchecked. Throws `NotifierError` `store_format_unknown`. */
export function readAttributes(item: Item): Readonly<Record<string, unknown>> {
  requireFormat(item);
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromAttribute(value)]));
}

/** Where a value does not fit its schema, without the value. */
export function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, code }) => `${path.join('.')}: ${code}`).join(', ');
}

function fromAttribute(value: AttributeValue): unknown {
  if (value.N !== undefined) return Number(value.N);
  return value.S ?? value.B;
}

/** Throws `NotifierError` `store_format_unknown` for an item of another format: it is refused, not read in part. */
export function requireFormat(item: Item): void {
  const format = item[ATTRIBUTE.format]?.N;
  if (format === String(FORMAT)) return;
  const remedy =
    format === undefined
      ? 'the table was not written by this program: deploy a new stack, with another `stackName`, or name a new folder with --data; its baseline is silent'
      : `it is of format ${format}: deploy the version again that wrote it`;
  throw new NotifierError(
    'store_format_unknown',
    `${describeKey(item)} is not of format ${FORMAT}; ${remedy}`,
  );
}

export function unreadableItemError(item: Item, why: string, cause?: unknown): NotifierError {
  return new NotifierError(
    'store_item_unreadable',
    `${describeKey(item)} cannot be read (${why}); it was damaged, or edited by hand`,
    { cause },
  );
}

function describeKey(item: Item): string {
  return `item ${item[TABLE.partitionKey]?.S} / ${item[TABLE.sortKey]?.S}`;
}
