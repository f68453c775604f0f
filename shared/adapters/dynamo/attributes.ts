import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type * as z from 'zod';
import { TABLE } from '../../config/table.ts';
import { NotifierError } from '../../core/errors.ts';

/**
 * Names of attributes, short because every byte of an item is paid for with every read and write. Version 1. A reader
 * passes over attributes that it does not know, so that what is added goes into attributes of its own.
 *
 * | Name | Type | In | Meaning |
 * |---|---|---|---|
 * | `v` | N | all | version of the format, 1 |
 * | `r` | N | head, state | revision, on which writes are conditional |
 * | `p` | SS | head, state | outbox: pointers to committed events that are not known to be published |
 * | `g` | S | head | generation of the leaves |
 * | `l` | N | head | number of leaves |
 * | `n` | N | head | number of records |
 * | `t` | N | head | number of tombstones |
 * | `u` | N | head | number of unsettled records |
 * | `b` | N | head | instant of the first complete look; absent when there was none |
 * | `o` | N | head | instant of the last complete look; absent when there was none |
 * | `d` | B | head, page | leaf digests, 8 bytes a leaf; in the head only while they are few |
 * | `x` | B | head | the exclusive-or of all digests when they are on pages: tells pages that do not fit the head |
 * | `d` | B | leaf | rows, packed |
 * | `q` | B | leaf | tombstones, packed; absent when there are none |
 * | `m` | B | leaf | what rows and tombstones hold beyond the first format, packed; absent when there is nothing |
 * | `d` | B | events | JSON texts, one a line, compressed |
 * | `d` | B | state | the state in its first format as JSON, compressed |
 * | `m` | B | state | members beyond the first format as JSON, compressed; absent when there are none |
 * | `d` | S | rates | bytes of rates as base64, in JSON |
 * | `k` | S | state | token of the write that made it, so that repeating the write is not a conflict |
 * | `o` | S | lease | owner |
 * | `e` | N | lease | instant at which it ends |
 * | `d` | S | alert, delivery, disabled, processing | the thing as JSON |
 * | `d` | B | sealed | message and ids of its alerts as JSON, compressed |
 * | `e` | N | sealed | instant until which it is with one run |
 * | `r` | N | processing, revision of a channel | revision, on which writes are conditional |
 * | `r` | N | directory | revision, on which writes are conditional |
 * | `g` | S | directory | generation of the chunks |
 * | `l` | N | directory | number of chunks |
 * | `n` | N | directory | number of names |
 * | `d` | B | names | ids and names as JSON, compressed |
 * | `s` | N | cursor | sequence of the event |
 * | `expiresAt` | N | events, alert, delivery, cursor, directory, names | seconds after which DynamoDB may delete it |
 */
export const ATTRIBUTE = {
  version: 'v',
  revision: 'r',
  outbox: 'p',
  generation: 'g',
  leafCount: 'l',
  recordCount: 'n',
  tombstoneCount: 't',
  unsettledCount: 'u',
  unlistedCount: 'ul',
  baselinedAt: 'b',
  observedAt: 'o',
  digestCheck: 'x',
  body: 'd',
  tombstones: 'q',
  additions: 'm',
  token: 'k',
  owner: 'o',
  end: 'e',
  sequence: 's',
} as const;

export const FORMAT_VERSION = 1;

export type Item = Record<string, AttributeValue>;

/** Values as they stand in items. Undefined ones are left out. */
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

/**
 * An item's values, checked. Throws `NotifierError` `store_item_unreadable` with the key and what is wrong, never
 * with the contents.
 */
export function readItem<Schema extends z.ZodType>(schema: Schema, item: Item): z.output<Schema> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) values[name] = fromAttribute(value);
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw unreadableItemError(
    item,
    parsed.error.issues.map(({ path, code }) => `${path.join('.')}: ${code}`).join(', '),
  );
}

function fromAttribute(value: AttributeValue): unknown {
  if (value.N !== undefined) return Number(value.N);
  return value.S ?? value.B ?? value.SS;
}

export function unreadableItemError(item: Item, why: string, cause?: unknown): NotifierError {
  const key = `${item[TABLE.partitionKey]?.S} / ${item[TABLE.sortKey]?.S}`;
  return new NotifierError(
    'store_item_unreadable',
    `item ${key} is not of format ${FORMAT_VERSION} (${why}); it was written by another version, or by hand`,
    { cause },
  );
}
