import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLE } from '../../config/table.ts';
import { NotifierError } from '../../core/errors.ts';

/**
 * Names of attributes in version 1 of the format. They are short because every read and write is billed by the bytes of
 * the item. Readers ignore attributes that they do not know, so an addition gets an attribute of its own.
 *
 * | Name | Type | In | Meaning |
 * |---|---|---|---|
 * | `v` | N | all | version of the format, 1 |
 * | `r` | N | head, state | revision, on which writes are conditional |
 * | `p` | SS | head, state | outbox: pointers to committed events that may not be published yet |
 * | `g` | S | head | generation of the leaves |
 * | `l` | N | head | number of leaves |
 * | `n` | N | head | number of records |
 * | `t` | N | head | number of tombstones |
 * | `u` | N | head | number of unsettled records |
 * | `ul` | N | head | number of records that the list leaves out; absent when there are none |
 * | `aw` | N | head | number of rows that await a statement; absent when there are none |
 * | `cl` | S | head | mass changes committed within the last day as JSON; absent when there are none |
 * | `b` | N | head | instant of the first complete scan; absent before it |
 * | `o` | N | head | instant of the last complete scan; absent before it |
 * | `d` | B | head, page | leaf digests, 8 bytes a leaf; in the head while there are at most 96 |
 * | `x` | B | head | XOR of all digests when they are on pages: shows that pages belong to another revision of the head |
 * | `d` | B | leaf | rows, packed |
 * | `q` | B | leaf | tombstones, packed; absent when there are none |
 * | `m` | B | leaf | members of rows and tombstones that the first format lacks, packed; absent when there are none |
 * | `d` | B | events | JSON texts, one per line, compressed |
 * | `d` | B | state | the state in its first format as JSON, compressed |
 * | `m` | B | state | members that the first format lacks as JSON, compressed; absent when there are none |
 * | `d` | S | rates | change rates as JSON with base64 |
 * | `k` | S | state | token of the last write, so that repeating it is not a conflict |
 * | `o` | S | lease | owner |
 * | `e` | N | lease | instant at which it expires |
 * | `d` | S | alert, delivery, disabled, processing, start | the value as JSON |
 * | `d` | B | sealed | the message and the ids of its alerts as JSON, compressed |
 * | `d` | B | thread | the thread as JSON, compressed |
 * | `e` | N | sealed | instant until which one run owns it |
 * | `r` | N | processing, start, thread, revision of a channel | revision, on which writes are conditional |
 * | `r` | N | directory | revision, on which writes are conditional |
 * | `g` | S | directory | generation of the chunks |
 * | `l` | N | directory | number of chunks |
 * | `n` | N | directory | number of names |
 * | `d` | B | names | ids and names as JSON, compressed |
 * | `d` | B | membership | the row as JSON, compressed |
 * | `s` | N | cursor | sequence of the event |
 * | `expiresAt` | N | events, alert, delivery, cursor, directory, membership, names, thread | seconds after which DynamoDB may delete it |
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
  awaitingCount: 'aw',
  confirmedLosses: 'cl',
  recentLosses: 'rl',
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

/** The schema of an item of this format with these attributes. */
export function versioned<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ [ATTRIBUTE.version]: z.literal(FORMAT_VERSION), ...shape });
}

/** Parses an item. Throws `NotifierError` `store_item_unreadable` with the key and the issues, without the contents. */
export function readItem<Schema extends z.ZodType>(schema: Schema, item: Item): z.output<Schema> {
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

export function unreadableItemError(item: Item, why: string, cause?: unknown): NotifierError {
  const key = `${item[TABLE.partitionKey]?.S} / ${item[TABLE.sortKey]?.S}`;
  return new NotifierError(
    'store_item_unreadable',
    `item ${key} is not of format ${FORMAT_VERSION} (${why}); it was written by another version, or edited by hand`,
    { cause },
  );
}
