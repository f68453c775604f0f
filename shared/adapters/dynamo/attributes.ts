import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLE } from '../../config/table.ts';
import { NotifierError } from '../../core/errors.ts';

/**
 * Names of attributes in format 1. They are short because every read and write is billed by the bytes of the item.
 * Readers ignore attributes and members that they do not know, so that additions are read by the version before.
 *
 * | Name | Type | In | Meaning |
 * |---|---|---|---|
 * | `f` | N | all | number of the format, 1 |
 * | `r` | N | head, state | revision, on which writes are conditional |
 * | `p` | SS | head, state | outbox: pointers to committed events that may not be published yet |
 * | `g` | S | head | generation of the leaves |
 * | `l` | N | head | number of leaves |
 * | `n` | N | head | number of records |
 * | `t` | N | head | number of tombstones |
 * | `u` | N | head | number of unsettled records |
 * | `ul` | N | head | number of records that the list leaves out; absent when there are none |
 * | `aw` | N | head | number of rows that await a statement; absent when there are none |
 * | `b` | N | head | instant of the first complete scan; absent before it |
 * | `o` | N | head | instant of the last complete scan; absent before it |
 * | `d` | B | head, page | leaf digests, 8 bytes a leaf; in the head while there are at most 96 |
 * | `x` | B | head | XOR of all digests when they are on pages: shows that pages belong to another revision of the head |
 * | `d` | B | leaf | rows and tombstones as columns of JSON (`columns.ts`), compressed with a dictionary |
 * | `d` | B | events | JSON texts, one per line, compressed |
 * | `pa` | N | events | in the first item of a batch: instant at which its last event was published; absent when that was at once |
 * | `rc` | S | events | in the first item of a batch: the look behind it, as JSON: id of the poll, requests, pages, pace |
 * | `d` | B | state | the state as JSON, compressed |
 * | `d` | S | rates | change rates as JSON with base64 |
 * | `k` | S | state | token of the last write, so that repeating it is not a conflict |
 * | `o` | S | lease | owner |
 * | `e` | N | lease | instant at which it expires |
 * | `d` | S | accepted, alert, delivery, disabled, processing, start, thread | the value as JSON |
 * | `d` | B | sealed | the message and the ids of its alerts as JSON, compressed |
 * | `e` | N | sealed | instant until which one run owns it |
 * | `r` | N | processing, start, revision of a channel | revision, on which writes are conditional |
 * | `d` | B | membership | the row as JSON, compressed |
 * | `r` | N | watermark | revision, on which writes are conditional |
 * | `fh`, `fa` | N | watermark | what was first seen by then, on hot slices or on any, is not committed any more |
 * | `d` | B | watermark | the memory as JSON, compressed |
 * | `expiresAt` | N | events, alert, delivery, membership, thread | seconds after which DynamoDB may delete it |
 */
export const ATTRIBUTE = {
  format: 'f',
  revision: 'r',
  outbox: 'p',
  generation: 'g',
  leafCount: 'l',
  recordCount: 'n',
  tombstoneCount: 't',
  unsettledCount: 'u',
  unlistedCount: 'ul',
  awaitingCount: 'aw',
  recentLosses: 'rl',
  baselinedAt: 'b',
  observedAt: 'o',
  digestCheck: 'x',
  body: 'd',
  look: 'lk',
  token: 'k',
  owner: 'o',
  end: 'e',
  hotFence: 'fh',
  fence: 'fa',
} as const;

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
  requireFormat(item);
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) values[name] = fromAttribute(value);
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw unreadableItemError(item, describeIssues(parsed.error));
}

/** Where a value does not fit its schema, without the value. */
export function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, code }) => `${path.join('.')}: ${code}`).join(', ');
}

function fromAttribute(value: AttributeValue): unknown {
  if (value.N !== undefined) return Number(value.N);
  return value.S ?? value.B ?? value.SS;
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
