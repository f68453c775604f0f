import * as z from 'zod';
import type { Json } from '#shared/core/records/fields.ts';
import type { Leaf, LeafRow, Tombstone } from '#shared/core/snapshot/snapshot.ts';
import { statementMemorySchema } from '#shared/core/snapshot/statement-memory.ts';
import { unpackRows } from './packing/column-reader.ts';
import { packRows } from './packing/column-writer.ts';

/**
 * What rows and tombstones hold beyond the first format, in an attribute of its own: a version that does not know it
 * reads the rest of the leaf as ever. One list for each row and then one for each tombstone, in their order: epoch
 * (milliseconds from the origin of the leaf), times asked for by id, and when last (as the epoch), the moment of the last
 * reminder (as the epoch), what a pay period remembers of its statements, as JSON, and the closing of a removed one. Null for none. Trailing columns
 * without a value are left out, and a later version may add some.
 */
const extrasSchema = z.array(z.array(z.custom<Json>()));
type Extra = z.output<typeof extrasSchema>[number];

export type RowExtras = Pick<LeafRow, 'epoch' | 'unlisted' | 'remindedAt' | 'statement'> & {
  /** Of a tombstone. */
  readonly closed?: string;
};

/** Undefined when there is nothing to hold. `origin` is an instant near the moments in the leaf. */
export function packExtras(
  { rows, tombstones }: Pick<Leaf, 'rows' | 'tombstones'>,
  origin: number,
): Uint8Array | undefined {
  const extras = [...rows, ...tombstones].map((each) => toExtra(each, origin));
  const width = Math.max(0, ...extras.map((extra) => extra.findLastIndex((value) => value !== null) + 1));
  if (width === 0) return undefined;
  return packRows(
    extras.map((extra) => extra.slice(0, width)),
    origin,
  );
}

function toExtra(each: LeafRow | Tombstone, origin: number): Extra {
  const { closing }: Pick<Tombstone, 'id' | 'closing'> = each;
  const { epoch, unlisted, remindedAt, statement = closing?.statement }: RowExtras = each;
  const from = (instant: number | undefined) => (instant === undefined ? null : instant - origin);
  const memory = statement === undefined ? null : JSON.stringify(statement);
  return [
    from(epoch),
    unlisted?.asks ?? null,
    from(unlisted?.askedAt),
    from(remindedAt),
    memory,
    closing?.closed ?? null,
  ];
}

/** Per row, and then per tombstone. Throws `NotifierError`, `ZodError` or `RangeError` when bytes cannot be read. */
export function unpackExtras(bytes: Uint8Array, origin: number): RowExtras[] {
  return extrasSchema.parse(unpackRows(bytes, origin)).map((extra) => readExtra(extra, origin));
}

function readExtra([epoch, asks, askedAt, remindedAt, memory, closed]: Extra, origin: number): RowExtras {
  return {
    ...(typeof epoch === 'number' ? { epoch: epoch + origin } : {}),
    ...(typeof asks === 'number' && typeof askedAt === 'number'
      ? { unlisted: { asks, askedAt: askedAt + origin } }
      : {}),
    ...(typeof remindedAt === 'number' ? { remindedAt: remindedAt + origin } : {}),
    ...(typeof memory === 'string' ? { statement: statementMemorySchema.parse(JSON.parse(memory)) } : {}),
    ...(typeof closed === 'string' ? { closed } : {}),
  };
}
