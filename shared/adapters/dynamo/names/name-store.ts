import { TABLE } from '#shared/config/table.ts';
import { areNamesExpired, computeNamesExpiry, mustRenewNames } from '#shared/core/names/lifetime.ts';
import { type NamedKind, type Names, NO_NAMES } from '#shared/core/names/names.ts';
import type { NameStore } from '#shared/ports/names.ts';
import { ATTRIBUTE, toAttributes } from '../attributes.ts';
import { getItem, putItemIf, queryItems, sortOf } from '../items.ts';
import { directoryChunkKeys, directoryKey, directoryPartition, type Key, keyAttributes } from '../keys.ts';
import { readItems, toMapKey, writeBatches } from '../snapshot/leaves.ts';
import { Table, type TableOptions } from '../table.ts';
import {
  chunkTexts,
  hasContent,
  hashTexts,
  type NamePointer,
  nameGeneration,
  readChunkItem,
  readPointerItem,
  revisionOfChunk,
  toChunkItem,
  toPointerItem,
} from './name-items.ts';

/** Nobody stored names of this kind before. */
const FIRST = `attribute_not_exists(${TABLE.partitionKey})`;
/** Nobody stored names since we read which are the current ones. */
const UNCHANGED = '#revision = :expectedRevision';

/** Looks at names whose chunks were gone: each is a refresh that came in between. */
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

/** Generations as read last, by connection and kind. */
type Cache = Map<string, Generation>;

/**
 * Names in the one table: chunks first, then one write that points to them, then the old ones go. Of two writers at
 * the same time the first one stays. What was read is kept in memory and asked for again only when it is no longer
 * current. Names that are not saved again come to an end. Every method throws as those of `createDynamoSnapshotStore`
 * do.
 */
export function createNameStore(options: NameStoreOptions): NameStore {
  const table = new Table(options);
  const cache: Cache = new Map();
  return {
    load: (connection, kinds) => load({ table, cache, now: options.now() }, connection, kinds),
    save: (connection, kind, names) => save({ table, now: options.now() }, { connection, kind }, names),
  };
}

interface NameReader {
  readonly table: Table;
  readonly cache: Cache;
  readonly now: number;
}

async function load(from: NameReader, connection: string, kinds: readonly NamedKind[]): Promise<Names> {
  for (let reads = 1; ; reads += 1) {
    const found = await loadOnce(from, connection, kinds);
    const torn = [...found.values()].includes(null);
    // Names that stay incomplete were damaged by hand: ids are shown until the next refresh.
    if (!torn || reads >= MAX_READS) {
      const entries = [...found].map(([kind, names]) => [kind, names ?? new Map()] as const);
      return { ...NO_NAMES, ...Object.fromEntries(entries) };
    }
  }
}

/** Current names of each kind; null where chunks were gone when they were read. */
async function loadOnce(
  { table, cache, now }: NameReader,
  connection: string,
  kinds: readonly NamedKind[],
): Promise<Map<NamedKind, ReadonlyMap<string, string> | null>> {
  const keys = kinds.map((kind) => directoryKey(connection, kind));
  const items = await readItems(table, 'loadDirectory', keys);
  const found = new Map<NamedKind, ReadonlyMap<string, string> | null>();
  for (const kind of kinds) {
    const item = items.get(toMapKey(directoryKey(connection, kind)));
    if (item === undefined) continue;
    const { generation, chunks, end } = readPointerItem(item);
    if (end !== null && areNamesExpired(end, now)) continue;
    const place = `${connection} ${kind}`;
    const known = cache.get(place);
    if (known?.generation === generation) {
      found.set(kind, known.names);
      continue;
    }
    const names = await readNames(table, directoryChunkKeys({ connection, kind, generation }, chunks));
    if (names !== null) cache.set(place, { generation, names });
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
  if (before !== null && hasContent(before, contentHash) && isFresh(now, before)) return;
  const end = computeNamesExpiry(now);
  const revision = (before?.revision ?? 0) + 1;
  const generation = nameGeneration(revision, contentHash);
  const keys = directoryChunkKeys({ ...of, generation }, texts.length);
  const chunks = keys.map((key, index) => ({
    PutRequest: { Item: toChunkItem(key, texts[index] ?? '[]', end) },
  }));
  await writeBatches(table, 'saveDirectory', chunks);
  const pointer = { revision, generation, chunks: texts.length, names: names.size, end };
  await writePointer(table, of, { pointer, expectedRevision: before?.revision ?? null });
  await deleteOldChunks(table, of);
}

/** Names that were stored without an end are given one, so that they do not stay for ever. */
function isFresh(now: number, { end }: NamePointer): boolean {
  return end !== null && !mustRenewNames(end, now);
}

async function readPointer(table: Table, { connection, kind }: KindKey): Promise<NamePointer | null> {
  const item = await getItem(table, 'saveDirectory', directoryKey(connection, kind));
  return item === null ? null : readPointerItem(item);
}

/** Makes a generation the current one, unless somebody else made another one current meanwhile. */
async function writePointer(
  table: Table,
  { connection, kind }: KindKey,
  write: { readonly pointer: NamePointer; readonly expectedRevision: number | null },
): Promise<void> {
  const { pointer, expectedRevision } = write;
  await putItemIf(table, 'saveDirectory', {
    item: toPointerItem(directoryKey(connection, kind), pointer),
    condition:
      expectedRevision === null
        ? { ConditionExpression: FIRST }
        : {
            ConditionExpression: UNCHANGED,
            ExpressionAttributeNames: { '#revision': ATTRIBUTE.revision },
            ExpressionAttributeValues: toAttributes({ ':expectedRevision': expectedRevision }),
          },
  });
}

/**
 * Deletes the chunks that can never be pointed to: those of generations up to the current revision but the current
 * one, also what a writer left who was too late or broke off. Later revisions are being written right now.
 */
async function deleteOldChunks(table: Table, of: KindKey): Promise<void> {
  const current = await readPointer(table, of);
  if (current === null) return;
  const partition = directoryPartition(of.connection);
  const start = `${of.kind}#`;
  const items = await queryItems(table, { operation: 'saveDirectory', partition, start });
  const dead = items
    .map(sortOf)
    .filter((sort) => revisionOfChunk(sort) <= current.revision)
    .filter((sort) => !sort.startsWith(`${start}${current.generation}#`));
  const requests = dead.map((sort) => ({ DeleteRequest: { Key: keyAttributes({ partition, sort }) } }));
  await writeBatches(table, 'saveDirectory', requests);
}
