import * as z from 'zod';
import { periodMemorySchema } from '../../core/periods/period-memory.ts';
import type { BadMark, RowMemory, StoredRow } from '../../core/snapshot/row.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from './attributes.ts';
import { compressed, decompressed } from './compression.ts';
import { parseBody, toItem } from './items.ts';
import type { Key } from './keys.ts';

const instant = z.number();
const memorySchema = z.object({
  missing: z.object({ clockIn: instant.exactOptional(), clockOut: instant.exactOptional() }).exactOptional(),
  closedBetween: z.object({ after: instant.nullable(), by: instant }).exactOptional(),
  period: periodMemorySchema.exactOptional(),
  remindedAt: instant.exactOptional(),
} satisfies Readonly<Record<keyof RowMemory, z.ZodType>>);
const badSchema = z.object({
  text: z.string(),
  issues: z.array(z.string()),
  isOld: z.literal(true).exactOptional(),
} satisfies Readonly<Record<keyof BadMark, z.ZodType>>);

/** Id, epoch, sequence, sequences of facts; of some, what they remember and why they cannot be read. */
const rowSchema = z.tuple(
  [
    z.string(),
    instant,
    z.int(),
    z.record(z.string(), z.int()),
    memorySchema.nullable().optional(),
    badSchema.optional(),
  ],
  // Of a later version.
  z.unknown(),
);
const rowsSchema = z.array(rowSchema);
const bucketItemSchema = z.object({ [ATTRIBUTE.body]: bytesSchema });

/** Between texts: JSON on one line has none of its own. */
const SEPARATOR = '\n';
const NO_TEXT = 'null';

/**
 * The rows of a bucket, compressed: on the first line what is known of each, on the following ones their watched values,
 * which are compared as texts and need not be parsed.
 */
export function toBucketItem(key: Key, rows: readonly StoredRow[]): Item {
  const lines = [JSON.stringify(rows.map(writeRow)), ...rows.map(({ text }) => text ?? NO_TEXT)];
  return toItem(key, { [ATTRIBUTE.body]: compressed(lines.join(SEPARATOR)) });
}

/** Throws `NotifierError` `store_format_unknown` or `store_item_unreadable`. */
export function readBucketItem(item: Item): StoredRow[] {
  const { [ATTRIBUTE.body]: bytes } = readItem(bucketItemSchema, item);
  const [known = '', ...texts] = decompressed(bytes).split(SEPARATOR);
  return parseBody(rowsSchema, item, known).map((row, index) => readRow(row, texts[index] ?? NO_TEXT));
}

function writeRow({ id, epoch, sequence, sent, memory, bad }: StoredRow): unknown[] {
  if (bad !== undefined) return [id, epoch, sequence, sent, memory ?? null, bad];
  return memory === undefined ? [id, epoch, sequence, sent] : [id, epoch, sequence, sent, memory];
}

function readRow(
  [id, epoch, sequence, sent, memory, bad]: z.output<typeof rowSchema>,
  text: string,
): StoredRow {
  return {
    ...{ id, epoch, sequence, sent },
    text: text === NO_TEXT ? null : text,
    ...(memory == null ? {} : { memory }),
    ...(bad === undefined ? {} : { bad }),
  };
}
