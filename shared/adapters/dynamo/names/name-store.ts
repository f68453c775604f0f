import type { NameStore } from '#shared/names/flow/refresh-names.ts';
import { areNamesExpired, computeNamesExpiry, mustRenewNames } from '#shared/names/lifetime.ts';
import { type NamedKind, type Names, NO_NAMES } from '#shared/names/names.ts';
import { readItems, toMapKey, writeBatches } from '../batches.ts';
import { expectRevision } from '../conditions.ts';
import { getItem, putItemIf, readSortKey } from '../items.ts';
import {
  type Key,
  toDirectoryChunkKeys,
  toDirectoryKey,
  toDirectoryPartition,
  toKeyAttributes,
} from '../keys.ts';
import { queryItems } from '../queries.ts';
import { Table, type TableOptions } from '../table.ts';
import {
  chunkTexts,
  formatGeneration,
  hasContent,
  hashTexts,
  type NamePointer,
  parseChunkRevision,
  readChunkItem,
  readPointerItem,
  toChunkItem,
  toPointerItem,
} from './name-items.ts';

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
