import * as z from 'zod';
import type { LedgerEntry } from '#shared/core/periods/ledger.ts';
import type { LedgerKey } from '#shared/flow/poll/ports.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from './attributes.ts';
import { writeBatches } from './batches.ts';
import { compressed, decompressed } from './compression.ts';
import { parseBody, readSortKey, toItem } from './items.ts';
import { parseLedgerChunk, toLedgerChunkKey, toLedgerPrefix } from './keys.ts';
import { queryItems } from './queries.ts';
import type { Table } from './table.ts';

/** A chunk that does not compress stays far below the 400 KB of an item. */
const MAX_CHUNK_BYTES = 250_000;

/** Attribute with the number of chunks of the ledger. */
const CHUNKS = 'l';

const entrySchema = z.tuple([z.string(), z.number().nullable()], z.number());
const entriesSchema = z.array(entrySchema);
const chunkItemSchema = z.object({
  [ATTRIBUTE.body]: bytesSchema,
  [CHUNKS]: z.int(),
});

export async function saveLedger(
  table: Table,
  key: LedgerKey,
  { ledger, expiresAt }: { readonly ledger: readonly LedgerEntry[]; readonly expiresAt: number },
): Promise<void> {
  const requests = toLedgerItems(key, ledger, expiresAt).map((Item) => ({ PutRequest: { Item } }));
  await writeBatches(table, 'saveLedger', requests);
}

/** Null when a chunk of it is missing. */
export async function loadLedger(table: Table, key: LedgerKey): Promise<readonly LedgerEntry[] | null> {
  const { partition, sort: prefix } = toLedgerPrefix(key);
  return readLedgerItems(await queryItems(table, { operation: 'loadLedger', partition, prefix }));
}

/** The chunks of a ledger, each an item of its own. */
function toLedgerItems(key: LedgerKey, ledger: readonly LedgerEntry[], expiresAt: number): Item[] {
  const texts = chunkEntries(ledger);
  return texts.map((text, chunk) =>
    toItem(
      toLedgerChunkKey(key, chunk),
      { [ATTRIBUTE.body]: compressed(text), [CHUNKS]: texts.length },
      expiresAt,
    ),
  );
}

/** `items`: all that are stored of a ledger. */
function readLedgerItems(items: readonly Item[]): readonly LedgerEntry[] | null {
  const chunks = items.map((item) => ({
    item,
    chunk: parseLedgerChunk(readSortKey(item)),
    values: readItem(chunkItemSchema, item),
  }));
  const [first] = chunks;
  if (first === undefined || first.values[CHUNKS] !== chunks.length) return null;
  return chunks
    .sort((left, right) => left.chunk - right.chunk)
    .flatMap(({ item, values }) => parseBody(entriesSchema, item, decompressed(values[ATTRIBUTE.body])));
}

function chunkEntries(ledger: readonly LedgerEntry[]): string[] {
  const chunks: string[][] = [[]];
  let bytes = 0;
  for (const entry of ledger) {
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
