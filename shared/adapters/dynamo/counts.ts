import * as z from 'zod';
import type { CountedHours } from '#shared/core/periods/counted-hours.ts';
import type { CountKey } from '#shared/flow/poll/ports.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from './attributes.ts';
import { writeBatches } from './batches.ts';
import { compressed, decompressed } from './compression.ts';
import { parseBody, readSortKey, toItem } from './items.ts';
import { parseCountChunk, toCountChunkKey, toCountPrefix } from './keys.ts';
import { queryItems } from './queries.ts';
import type { Table } from './table.ts';

/** A chunk that does not compress stays far below the 400 KB of an item. */
const MAX_CHUNK_BYTES = 250_000;

/** Attribute with the number of chunks of the count. */
const CHUNKS = 'l';

const entrySchema = z.tuple([z.string(), z.number().nullable()]);
const entriesSchema = z.array(entrySchema);
const chunkItemSchema = z.object({
  [ATTRIBUTE.body]: bytesSchema,
  [CHUNKS]: z.int(),
});

export async function saveCount(
  table: Table,
  key: CountKey,
  { hours, expiresAt }: { readonly hours: readonly CountedHours[]; readonly expiresAt: number },
): Promise<void> {
  const requests = toCountItems(key, hours, expiresAt).map((Item) => ({ PutRequest: { Item } }));
  await writeBatches(table, 'saveCount', requests);
}

/** Null when a chunk of it is missing. */
export async function loadCount(table: Table, key: CountKey): Promise<readonly CountedHours[] | null> {
  const { partition, sort: prefix } = toCountPrefix(key);
  return readCountItems(await queryItems(table, { operation: 'loadCount', partition, prefix }));
}

/** The chunks of a count, each an item of its own. */
function toCountItems(key: CountKey, hours: readonly CountedHours[], expiresAt: number): Item[] {
  const texts = chunkEntries(hours);
  return texts.map((text, chunk) =>
    toItem(
      toCountChunkKey(key, chunk),
      { [ATTRIBUTE.body]: compressed(text), [CHUNKS]: texts.length },
      expiresAt,
    ),
  );
}

/** `items`: all that are stored of a count. */
function readCountItems(items: readonly Item[]): readonly CountedHours[] | null {
  const chunks = items.map((item) => ({
    item,
    chunk: parseCountChunk(readSortKey(item)),
    values: readItem(chunkItemSchema, item),
  }));
  const [first] = chunks;
  if (first === undefined || first.values[CHUNKS] !== chunks.length) return null;
  return chunks
    .sort((left, right) => left.chunk - right.chunk)
    .flatMap(({ item, values }) => parseBody(entriesSchema, item, decompressed(values[ATTRIBUTE.body])));
}

function chunkEntries(hours: readonly CountedHours[]): string[] {
  const chunks: string[][] = [[]];
  let bytes = 0;
  for (const entry of hours) {
    const text = JSON.stringify(entry);
    const size = Buffer.byteLength(text) + 1;
    if (bytes + size > MAX_CHUNK_BYTES && bytes > 0) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(text);
    bytes += size;
  }
  return chunks.map((texts) => `[${texts.join(',')}]`);
}
