import { hash } from 'node:crypto';
import * as z from 'zod';
import { TABLE } from '#shared/config/table.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { toItem } from '../items.ts';
import { parseBody } from '../json-items.ts';
import type { Key } from '../keys.ts';

/** Before compression. An item holds at most 400 KB, and a chunk that does not compress stays below 300 KB. */
const CHUNK_BYTES = 250_000;
const HASH_DIGITS = 16;
/** Chunks expire later than their pointer, so that a reader of a valid pointer finds them even when its clock is late. */
const CHUNKS_OUTLIVE_MS = 24 * 60 * 60_000;
/** The revision in the sort key of a chunk. */
const REVISION = /^[^#]+#(\d+)-/;

/** The current generation of names of a kind. */
export interface NamePointer {
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
export function chunkTexts(names: ReadonlyMap<string, string>): string[] {
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

export function hashTexts(texts: readonly string[]): string {
  return hash('sha256', texts.join('\n'), 'hex').slice(0, HASH_DIGITS);
}

/** Concurrent writers with different names never share a generation: it contains the hash of its contents. */
export function formatGeneration(revision: number, contentHash: string): string {
  return `${revision}-${contentHash}`;
}

export function hasContent({ generation }: NamePointer, contentHash: string): boolean {
  return generation.endsWith(`-${contentHash}`);
}

/** Parses the revision from the sort key of a chunk; infinite when there is none. */
export function parseChunkRevision(sort: string): number {
  return Number(REVISION.exec(sort)?.[1] ?? Number.POSITIVE_INFINITY);
}

/** `end`: when the pointer to the chunk expires, in milliseconds since 1970. */
export function toChunkItem(key: Key, text: string, end: number): Item {
  return toItem(key, { [ATTRIBUTE.body]: compressed(text) }, end + CHUNKS_OUTLIVE_MS);
}

export function readChunkItem(item: Item): readonly Entry[] {
  const bytes = readItem(chunkItemSchema, item)[ATTRIBUTE.body];
  return parseBody(entriesSchema, item, decompressed(bytes));
}

export function toPointerItem(key: Key, pointer: NamePointer): Item {
  const values = {
    [ATTRIBUTE.revision]: pointer.revision,
    [ATTRIBUTE.generation]: pointer.generation,
    [ATTRIBUTE.leafCount]: pointer.chunks,
    [ATTRIBUTE.recordCount]: pointer.names,
  };
  return toItem(key, values, pointer.end);
}

export function readPointerItem(item: Item): NamePointer {
  const values = readItem(pointerItemSchema, item);
  return {
    revision: values[ATTRIBUTE.revision],
    generation: values[ATTRIBUTE.generation],
    chunks: values[ATTRIBUTE.leafCount],
    names: values[ATTRIBUTE.recordCount],
    end: values[TABLE.timeToLive] * 1000,
  };
}
