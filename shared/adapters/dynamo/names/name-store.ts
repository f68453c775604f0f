import { hash } from 'node:crypto';
import * as z from 'zod';
import { TABLE } from '#shared/config/table.ts';
import type { NameStore } from '#shared/people/flow/refresh-names.ts';
import {
  areNamesExpired,
  computeNamesExpiry,
  mustRenewNames,
  type NamedKind,
  type Names,
  NO_NAMES,
} from '#shared/people/names/names.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from '../attributes.ts';
import { readItems, toMapKey, writeBatches } from '../batches.ts';
import { compressed, decompressed } from '../compression.ts';
import { expectRevision } from '../conditions.ts';
import { getItem, parseBody, putItemIf, readSortKey, toItem } from '../items.ts';
import {
  type Key,
  toDirectoryChunkKeys,
  toDirectoryKey,
  toDirectoryPartition,
  toKeyAttributes,
} from '../keys.ts';
import { queryItems } from '../queries.ts';
import { Table, type TableOptions } from '../table.ts';

/** Reads of names whose chunks were missing: each time a refresh came in between. */
const MAX_READS = 5;

interface KindKey {
  readonly connection: string;
  readonly kind: NamedKind;
}

interface Generation {
  readonly generation: string;
  readonly names: ReadonlyMap<string, string>;
}

export interface NameStoreOptions extends TableOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The generations that were read last, by connection and kind. */
type Cache = Map<string, Generation>;

/**
 * Names in the one table. A save writes the chunks of a new generation, then the pointer to it, then deletes the old
 * chunks; of two concurrent saves the first pointer stays. A load caches names in memory and reads their chunks again
 * only when another generation is current. Throws as `createDynamoSnapshotStore` does.
 */
export function createNameStore(options: NameStoreOptions): NameStore {
  const table = new Table(options);
  const cache: Cache = new Map();
  return {
    listMissing: (connection, kinds) =>
      listMissing(
        table,
        options.now(),
        kinds.map((kind) => ({ connection, kind })),
      ),
    load: (connection, kinds) => load({ table, cache, now: options.now() }, connection, kinds),
    save: (connection, kind, names) => save({ table, now: options.now() }, { connection, kind }, names),
  };
}

async function listMissing(table: Table, now: number, keys: readonly KindKey[]): Promise<NamedKind[]> {
  const missing: NamedKind[] = [];
  for (const key of keys) {
    const pointer = await readPointer(table, key);
    if (pointer === null || areNamesExpired(pointer.end, now)) missing.push(key.kind);
  }
  return missing;
}

interface NameReader {
  readonly table: Table;
  readonly cache: Cache;
  readonly now: number;
}

async function load(reader: NameReader, connection: string, kinds: readonly NamedKind[]): Promise<Names> {
  for (let reads = 1; ; reads += 1) {
    const found = await loadOnce(reader, connection, kinds);
    const torn = [...found.values()].includes(null);
    // Names that stay incomplete were damaged by hand: messages show ids until the next refresh.
    if (!torn || reads >= MAX_READS) {
      const entries = [...found].map(([kind, names]) => [kind, names ?? new Map()] as const);
      return { ...NO_NAMES, ...Object.fromEntries(entries) };
    }
  }
}

/** The current names of each kind; null when chunks of them were missing. */
async function loadOnce(
  { table, cache, now }: NameReader,
  connection: string,
  kinds: readonly NamedKind[],
): Promise<Map<NamedKind, ReadonlyMap<string, string> | null>> {
  const keys = kinds.map((kind) => toDirectoryKey(connection, kind));
  const items = await readItems(table, 'loadDirectory', keys);
  const found = new Map<NamedKind, ReadonlyMap<string, string> | null>();
  for (const kind of kinds) {
    const item = items.get(toMapKey(toDirectoryKey(connection, kind)));
    if (item === undefined) continue;
    const { generation, chunks, end } = readPointerItem(item);
    if (areNamesExpired(end, now)) continue;
    const cacheKey = `${connection} ${kind}`;
    const cached = cache.get(cacheKey);
    if (cached?.generation === generation) {
      found.set(kind, cached.names);
      continue;
    }
    const names = await readNames(table, toDirectoryChunkKeys({ connection, kind, generation }, chunks));
    if (names !== null) cache.set(cacheKey, { generation, names });
    found.set(kind, names);
  }
  return found;
}

async function readNames(table: Table, keys: readonly Key[]): Promise<Map<string, string> | null> {
  const items = await readItems(table, 'loadDirectory', keys);
  const names = new Map<string, string>();
  for (const key of keys) {
    const item = items.get(toMapKey(key));
    if (item === undefined) return null;
    for (const [id, name] of readChunkItem(item)) names.set(id, name);
  }
  return names;
}

async function save(
  { table, now }: Pick<NameReader, 'table' | 'now'>,
  of: KindKey,
  names: ReadonlyMap<string, string>,
): Promise<void> {
  const before = await readPointer(table, of);
  const texts = chunkTexts(names);
  const contentHash = hashTexts(texts);
  if (before !== null && hasContent(before, contentHash) && !mustRenewNames(before.end, now)) return;
  const end = computeNamesExpiry(now);
  const revision = (before?.revision ?? 0) + 1;
  const generation = formatGeneration(revision, contentHash);
  const keys = toDirectoryChunkKeys({ ...of, generation }, texts.length);
  const chunks = keys.map((key, index) => ({
    PutRequest: { Item: toChunkItem(key, texts[index] ?? '[]', end) },
  }));
  await writeBatches(table, 'saveDirectory', chunks);
  const pointer = { revision, generation, chunks: texts.length, names: names.size, end };
  await writePointer(table, of, { pointer, expectedRevision: before?.revision ?? null });
  await deleteOldChunks(table, of);
}

async function readPointer(table: Table, { connection, kind }: KindKey): Promise<NamePointer | null> {
  const item = await getItem(table, 'saveDirectory', toDirectoryKey(connection, kind));
  return item === null ? null : readPointerItem(item);
}

/** Makes a generation the current one, unless another writer made one current meanwhile. */
async function writePointer(
  table: Table,
  { connection, kind }: KindKey,
  write: { readonly pointer: NamePointer; readonly expectedRevision: number | null },
): Promise<void> {
  const { pointer, expectedRevision } = write;
  await putItemIf(table, 'saveDirectory', {
    item: toPointerItem(toDirectoryKey(connection, kind), pointer),
    condition: expectRevision(expectedRevision),
  });
}

/**
 * Deletes the chunks that no pointer can lead to any more: those of every other generation up to the current revision,
 * with what late or interrupted writers left. Later revisions are being written now.
 */
async function deleteOldChunks(table: Table, of: KindKey): Promise<void> {
  const current = await readPointer(table, of);
  if (current === null) return;
  const partition = toDirectoryPartition(of.connection);
  const prefix = `${of.kind}#`;
  const items = await queryItems(table, { operation: 'saveDirectory', partition, prefix });
  const unreachable = items
    .map(readSortKey)
    .filter((sort) => parseChunkRevision(sort) <= current.revision)
    .filter((sort) => !sort.startsWith(`${prefix}${current.generation}#`));
  const requests = unreachable.map((sort) => ({
    DeleteRequest: { Key: toKeyAttributes({ partition, sort }) },
  }));
  await writeBatches(table, 'saveDirectory', requests);
}

/** Before compression. An item holds at most 400 KB, and a chunk that does not compress stays below 300 KB. */
const CHUNK_BYTES = 250_000;
const HASH_DIGITS = 16;
/** Chunks expire later than their pointer, so that a reader of a valid pointer finds them even when its clock is late. */
const CHUNKS_OUTLIVE_MS = 24 * 60 * 60_000;
/** The revision in the sort key of a chunk. */
const REVISION = /^[^#]+#(\d+)-/;

/** The current generation of names of a kind. */
interface NamePointer {
  /** Grows by one with every new generation. */
  readonly revision: number;
  readonly generation: string;
  readonly chunks: number;
  readonly names: number;
  /** When the names expire, in milliseconds since 1970. */
  readonly end: number;
}

type Entry = readonly [id: string, name: string];

const entriesSchema = z.array(z.tuple([z.string(), z.string()]));
const chunkItemSchema = z.object({ [ATTRIBUTE.body]: bytesSchema });
const pointerItemSchema = z.object({
  [ATTRIBUTE.revision]: z.int(),
  [ATTRIBUTE.generation]: z.string(),
  [ATTRIBUTE.leafCount]: z.int(),
  [ATTRIBUTE.recordCount]: z.int(),
  [TABLE.timeToLive]: z.int(),
});

/** Encodes names as texts that each fit an item, in order of their ids: equal names give equal texts. */
function chunkTexts(names: ReadonlyMap<string, string>): string[] {
  const entries = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
  const chunks: string[] = [];
  let open: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const text = JSON.stringify(entry);
    const size = Buffer.byteLength(text) + 1;
    if (bytes + size > CHUNK_BYTES && open.length > 0) {
      chunks.push(`[${open.join(',')}]`);
      open = [];
      bytes = 0;
    }
    open.push(text);
    bytes += size;
  }
  if (open.length > 0) chunks.push(`[${open.join(',')}]`);
  return chunks;
}

function hashTexts(texts: readonly string[]): string {
  return hash('sha256', texts.join('\n'), 'hex').slice(0, HASH_DIGITS);
}

/** Concurrent writers with different names never share a generation: it contains the hash of its contents. */
function formatGeneration(revision: number, contentHash: string): string {
  return `${revision}-${contentHash}`;
}

function hasContent({ generation }: NamePointer, contentHash: string): boolean {
  return generation.endsWith(`-${contentHash}`);
}

/** Parses the revision from the sort key of a chunk; infinite when there is none. */
function parseChunkRevision(sort: string): number {
  return Number(REVISION.exec(sort)?.[1] ?? Number.POSITIVE_INFINITY);
}

/** `end`: when the pointer to the chunk expires, in milliseconds since 1970. */
function toChunkItem(key: Key, text: string, end: number): Item {
  return toItem(key, { [ATTRIBUTE.body]: compressed(text) }, end + CHUNKS_OUTLIVE_MS);
}

function readChunkItem(item: Item): readonly Entry[] {
  const bytes = readItem(chunkItemSchema, item)[ATTRIBUTE.body];
  return parseBody(entriesSchema, item, decompressed(bytes));
}

function toPointerItem(key: Key, pointer: NamePointer): Item {
  const values = {
    [ATTRIBUTE.revision]: pointer.revision,
    [ATTRIBUTE.generation]: pointer.generation,
    [ATTRIBUTE.leafCount]: pointer.chunks,
    [ATTRIBUTE.recordCount]: pointer.names,
  };
  return toItem(key, values, pointer.end);
}

function readPointerItem(item: Item): NamePointer {
  const values = readItem(pointerItemSchema, item);
  return {
    revision: values[ATTRIBUTE.revision],
    generation: values[ATTRIBUTE.generation],
    chunks: values[ATTRIBUTE.leafCount],
    names: values[ATTRIBUTE.recordCount],
    end: values[TABLE.timeToLive] * 1000,
  };
}
