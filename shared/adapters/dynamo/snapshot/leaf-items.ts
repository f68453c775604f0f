import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { Json } from '#shared/core/records/fields.ts';
import type { Leaf, LeafRef, LeafRow, Tombstone } from '#shared/core/snapshot/snapshot.ts';
import {
  ATTRIBUTE,
  FORMAT_VERSION,
  type Item,
  readItem,
  toAttributes,
  unreadableItemError,
} from '../attributes.ts';
import { toKeyAttributes, toLeafItemKey } from '../keys.ts';
import { packExtras, type RowExtras, unpackExtras } from './leaf-extras.ts';
import { unpackRows } from './packing/column-reader.ts';
import { packRows } from './packing/column-writer.ts';

const leafItemSchema = z.object({
  [ATTRIBUTE.version]: z.literal(FORMAT_VERSION),
  [ATTRIBUTE.body]: z.instanceof(Uint8Array),
  [ATTRIBUTE.tombstones]: z.instanceof(Uint8Array).optional(),
  [ATTRIBUTE.additions]: z.instanceof(Uint8Array).optional(),
});

/** Id, sequence, what was sent, seenAt, whether untold, number of watched values, and these: the first format. */
const packedRowSchema = z.tuple(
  [
    z.string(),
    z.int(),
    z.array(z.tuple([z.string(), z.int()])),
    z.number().nullable(),
    z.boolean(),
    z.int().min(0),
  ],
  z.custom<Json>(),
);
const packedRowsSchema = z.array(packedRowSchema);
const packedTombstonesSchema = z.array(z.tuple([z.string(), z.int(), z.number()]));

/** Moments in a leaf lie near its slice's date, and are packed by their distance from it. */
function computeOrigin(slice: string): number {
  const instant = Date.parse(slice);
  return Number.isNaN(instant) ? 0 : instant;
}

export function toLeafItem(feed: FeedKey, leaf: Leaf): Item {
  const origin = computeOrigin(leaf.slice);
  const { rows, tombstones } = leaf;
  // Rows of an older version are shorter; columns need rows of one length.
  const width = Math.max(0, ...rows.map(({ state }) => state.length));
  return {
    ...toKeyAttributes(toLeafItemKey(feed, leaf)),
    ...toAttributes({
      [ATTRIBUTE.version]: FORMAT_VERSION,
      [ATTRIBUTE.body]: packRows(
        rows.map((row) => toPackedRow(row, width)),
        origin,
      ),
      [ATTRIBUTE.tombstones]:
        tombstones.length === 0
          ? undefined
          : packRows(
              tombstones.map(({ id, sequence, removedAt }) => [id, sequence, removedAt]),
              origin,
            ),
      [ATTRIBUTE.additions]: packExtras(leaf, origin),
    }),
  };
}

function toPackedRow({ id, sequence, sent, seenAt, untold, state }: LeafRow, width: number): Json[] {
  const padding = new Array<null>(width - state.length).fill(null);
  return [
    id,
    sequence,
    Object.entries(sent),
    seenAt ?? null,
    untold ?? false,
    state.length,
    ...state,
    ...padding,
  ];
}

/** A leaf from its item. Throws `NotifierError` `store_item_unreadable`. */
export function readLeafItem(item: Item, { slice, generation, index }: LeafRef): Leaf {
  const values = readItem(leafItemSchema, item);
  const origin = computeOrigin(slice);
  const packedTombstones = values[ATTRIBUTE.tombstones];
  const additions = values[ATTRIBUTE.additions];
  try {
    const rows = packedRowsSchema.parse(unpackRows(values[ATTRIBUTE.body], origin));
    const tombstones = packedTombstonesSchema.parse(
      packedTombstones === undefined ? [] : unpackRows(packedTombstones, origin),
    );
    const extras = additions === undefined ? [] : unpackExtras(additions, origin);
    return {
      slice,
      generation,
      index,
      rows: rows.map((row, place) => readRow(row, extras[place])),
      tombstones: tombstones.map((each, place) => readTombstone(each, extras[rows.length + place])),
    };
  } catch (cause) {
    if (!(cause instanceof NotifierError || cause instanceof z.ZodError || cause instanceof RangeError)) {
      throw cause;
    }
    throw unreadableItemError(item, 'its packed rows cannot be read', cause);
  }
}

function readRow(packed: z.output<typeof packedRowSchema>, extras: RowExtras = {}): LeafRow {
  const [id, sequence, sent, seenAt, untold, length, ...state] = packed;
  return {
    id,
    state: state.length === length ? state : state.slice(0, length),
    sequence,
    sent: Object.fromEntries(sent),
    ...(seenAt === null ? {} : { seenAt }),
    ...(untold ? { untold } : {}),
    ...extras,
  };
}

function readTombstone(
  [id, sequence, removedAt]: readonly [string, number, number],
  { epoch, closed, statement }: RowExtras = {},
): Tombstone {
  const closing =
    closed === undefined ? {} : { closing: { closed, ...(statement === undefined ? {} : { statement }) } };
  return { id, sequence, removedAt, ...(epoch === undefined ? {} : { epoch }), ...closing };
}
