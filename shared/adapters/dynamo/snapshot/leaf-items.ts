import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { statementMemorySchema } from '#shared/core/periods/statement-memory.ts';
import type { StateRow } from '#shared/core/records/feed-definition.ts';
import type { Json } from '#shared/core/records/fields.ts';
import type { Leaf, LeafRef, LeafRow, Tombstone } from '#shared/core/snapshot/snapshot.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem, unreadableItemError } from '../attributes.ts';
import { toItem } from '../items.ts';
import { toLeafItemKey } from '../keys.ts';
import { packColumn, unpackColumn } from './columns.ts';
import { LEAF_DICTIONARY } from './leaf-dictionary.ts';

const leafItemSchema = z.object({ [ATTRIBUTE.body]: bytesSchema });

/** Number and column of rows, then of tombstones. A later version may add members; so it may to each row. */
const textSchema = z.tuple([z.int().min(0), z.unknown(), z.int().min(0), z.unknown()], z.unknown());

const rowSchema = z.tuple(
  [
    z.string(),
    z.custom<StateRow>(Array.isArray),
    z.int(),
    z.array(z.tuple([z.string(), z.int()])),
    z.number().nullable(),
    z.boolean(),
    z.number(),
    z.int().nullable(),
    z.number().nullable(),
    z.number().nullable(),
    statementMemorySchema.nullable(),
  ],
  z.unknown(),
);

const tombstoneSchema = z.tuple(
  [z.string(), z.int(), z.number(), z.number(), z.string().nullable(), statementMemorySchema.nullable()],
  z.unknown(),
);

/** Moments in a leaf lie near its slice's date, and are stored by their distance from it. */
function computeOrigin(slice: string): number {
  const instant = Date.parse(slice);
  return Number.isNaN(instant) ? 0 : instant;
}

export function toLeafItem(feed: FeedKey, leaf: Leaf): Item {
  const { rows, tombstones } = leaf;
  const origin = computeOrigin(leaf.slice);
  const text = JSON.stringify([
    rows.length,
    packColumn(rows.map(toStoredRow), origin),
    tombstones.length,
    packColumn(tombstones.map(toStoredTombstone), origin),
  ]);
  return toItem(toLeafItemKey(feed, leaf), { [ATTRIBUTE.body]: compressLeaf(text) });
}

function toStoredRow(row: LeafRow): Json[] {
  const { id, state, sequence, sent, seenAt, untold, epoch, unlisted, remindedAt, statement } = row;
  return [
    id,
    state,
    sequence,
    Object.entries(sent),
    seenAt ?? null,
    untold ?? false,
    epoch,
    unlisted?.asks ?? null,
    unlisted?.askedAt ?? null,
    remindedAt ?? null,
    (statement as Json) ?? null,
  ];
}

function toStoredTombstone({ id, sequence, removedAt, epoch, closing }: Tombstone): Json[] {
  return [id, sequence, removedAt, epoch, closing?.closed ?? null, (closing?.statement as Json) ?? null];
}

/** A leaf from its item. Throws `NotifierError` `store_item_unreadable`. */
export function readLeafItem(item: Item, { slice, generation, index }: LeafRef): Leaf {
  const values = readItem(leafItemSchema, item);
  const origin = computeOrigin(slice);
  try {
    const [rowCount, rows, tombstoneCount, tombstones] = textSchema.parse(
      JSON.parse(decompressLeaf(values[ATTRIBUTE.body])),
    );
    return {
      slice,
      generation,
      index,
      rows: unpackColumn(rows, rowCount, origin).map((row) => readRow(rowSchema.parse(row))),
      tombstones: unpackColumn(tombstones, tombstoneCount, origin).map((tombstone) =>
        readTombstone(tombstoneSchema.parse(tombstone)),
      ),
    };
  } catch (cause) {
    if (UNREADABLE.some((type) => cause instanceof type))
      throw unreadableItemError(item, 'its rows cannot be read', cause);
    throw cause;
  }
}

/** What bytes that no leaf was written as end in: `RangeError` for a date that is none, or too deep a list. */
const UNREADABLE = [NotifierError, z.ZodError, SyntaxError, RangeError];

function readRow(values: z.output<typeof rowSchema>): LeafRow {
  const [id, state, sequence, sent, seenAt, untold, epoch, asks, askedAt, remindedAt, statement] = values;
  return {
    id,
    state,
    sequence,
    sent: Object.fromEntries(sent),
    ...(seenAt === null ? {} : { seenAt }),
    ...(untold ? { untold } : {}),
    epoch,
    ...(asks === null || askedAt === null ? {} : { unlisted: { asks, askedAt } }),
    ...(remindedAt === null ? {} : { remindedAt }),
    ...(statement === null ? {} : { statement }),
  };
}

function readTombstone(values: z.output<typeof tombstoneSchema>): Tombstone {
  const [id, sequence, removedAt, epoch, closed, statement] = values;
  const closing = closed === null ? null : { closed, ...(statement === null ? {} : { statement }) };
  return {
    id,
    sequence,
    removedAt,
    epoch,
    ...(closing === null ? {} : { closing }),
  };
}

/** Higher levels save 2 % of the bytes and take up to twice the time (ADR 31). */
const LEVEL = 9;
/** Leaves of the largest rows take a tenth of it; bytes that announce more are not ours. */
const MAX_TEXT_BYTES = 8 * 2 ** 20;
/** Of a window of `MAX_TEXT_BYTES`, as a power of two. */
const MAX_WINDOW = 23;

const WRITING = {
  params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_dictIDFlag]: 0 },
  dictionary: LEAF_DICTIONARY,
};
const READING = {
  params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW },
  dictionary: LEAF_DICTIONARY,
  maxOutputLength: MAX_TEXT_BYTES,
};

export function compressLeaf(text: string): Uint8Array {
  return zstdCompressSync(text, WRITING);
}

/** Throws `NotifierError` `store_item_unreadable` when `compressLeaf` did not make the bytes. */
function decompressLeaf(bytes: Uint8Array): string {
  try {
    return zstdDecompressSync(bytes, READING).toString();
  } catch (cause) {
    throw new NotifierError('store_item_unreadable', 'compressed bytes of a leaf cannot be read', { cause });
  }
}
