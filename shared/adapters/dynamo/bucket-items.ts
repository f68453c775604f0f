import * as z from 'zod';
import { statementMemorySchema } from '../../core/periods/statement-memory.ts';
import type { BadMark, RowMemory, StoredRow } from '../../core/snapshot/row.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from './attributes.ts';
import { compressed, decompressed } from './compression.ts';
import { parseBody, toItem } from './items.ts';
import type { Key } from './keys.ts';

const instant = z.number();
const memorySchema = z.object({
  missing: z.object({ clockIn: instant.exactOptional(), clockOut: instant.exactOptional() }).exactOptional(),
  closedBetween: z.object({ after: instant.nullable(), by: instant }).exactOptional(),
  statement: statementMemorySchema.exactOptional(),
  remindedAt: instant.exactOptional(),
} satisfies Readonly<Record<keyof RowMemory, z.ZodType>>);
const badSchema = z.object({
  text: z.string(),
  issues: z.array(z.string()),
  isOld: z.literal(true).exactOptional(),
} satisfies Readonly<Record<keyof BadMark, z.ZodType>>);

/** Id, epoch, sequence, sequences of facts, watched values; of some, what they remember and why they cannot be read. */
const rowSchema = z.tuple([
  z.string(),
  instant,
  z.int(),
  z.record(z.string(), z.int()),
  z.unknown(),
  memorySchema.nullable().optional(),
  badSchema.optional(),
]);
const rowsSchema = z.array(rowSchema);
const bucketItemSchema = z.object({ [ATTRIBUTE.body]: bytesSchema });

/** The rows of a bucket as compressed JSON. */
export function toBucketItem(key: Key, rows: readonly StoredRow[]): Item {
  return toItem(key, { [ATTRIBUTE.body]: compressed(`[${rows.map(writeRow).join(',\n')}]`) });
}

/** Throws `NotifierError` `store_format_unknown` or `store_item_unreadable`. */
export function readBucketItem(item: Item): StoredRow[] {
  const { [ATTRIBUTE.body]: bytes } = readItem(bucketItemSchema, item);
  return parseBody(rowsSchema, item, decompressed(bytes)).map(readRow);
}

/** Watched values stand as they are: JSON inside JSON would double each quote. */
function writeRow({ id, epoch, sequence, sent, text, memory, bad }: StoredRow): string {
  const members = [JSON.stringify(id), epoch, sequence, JSON.stringify(sent), text];
  if (memory !== undefined || bad !== undefined) members.push(JSON.stringify(memory ?? null));
  if (bad !== undefined) members.push(JSON.stringify(bad));
  return `[${members.map(String).join(',')}]`;
}

function readRow([id, epoch, sequence, sent, values, memory, bad]: z.output<typeof rowSchema>): StoredRow {
  return {
    ...{ id, epoch, sequence, sent },
    text: values === null ? null : JSON.stringify(values),
    ...(memory == null ? {} : { memory }),
    ...(bad === undefined ? {} : { bad }),
  };
}
