import { hash } from 'node:crypto';
import * as z from 'zod';
import { TABLE } from '#shared/config/table.ts';
import { ATTRIBUTE, FORMAT_VERSION, type Item, readItem, toAttributes } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { checked } from '../items.ts';
import { type Key, keyAttributes } from '../keys.ts';

/** An item holds at most 400 KB; a chunk of names stays below 300 KB even when it does not compress. */
const CHUNK_BYTES = 250_000;
const HASH_DIGITS = 16;
/**
 * Chunks end so much later than what points to them: whoever has just read a pointer that lives finds its chunks, also
 * when his clock is behind.
 */
const CHUNKS_OUTLIVE_MS = 24 * 60 * 60_000;
/** Revisions of all generations sort and compare as numbers. */
const REVISION = /^[^#]+#(\d+)-/;

/** Which names of a kind are the current ones. */
export interface NamePointer {
  /** Grows by one with every new generation. */
  readonly revision: number;
  readonly generation: string;
  readonly chunks: number;
  readonly names: number;
  /** Instant at which the names are over, in milliseconds since 1970; null when they were written without one. */
  readonly end: number | null;
}

type Entry = readonly [id: string, name: string];

const entriesSchema = z.array(z.tuple([z.string(), z.string()]));
const chunkItemSchema = z.object({
  [ATTRIBUTE.version]: z.literal(FORMAT_VERSION),
  [ATTRIBUTE.body]: z.instanceof(Uint8Array),
});
const pointerItemSchema = z.object({
  [ATTRIBUTE.version]: z.literal(FORMAT_VERSION),
  [ATTRIBUTE.revision]: z.int(),
  [ATTRIBUTE.generation]: z.string(),
  [ATTRIBUTE.leafCount]: z.int(),
  [ATTRIBUTE.recordCount]: z.int(),
  [TABLE.timeToLive]: z.int().optional(),
});

/** Names as texts that each fit an item, in order of their ids: the same names always make the same texts. */
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

/** Name of the generation that a writer makes who found the revision before it. No two writers' contents share one. */
export function nameGeneration(revision: number, contentHash: string): string {
  return `${revision}-${contentHash}`;
}

/** Whether a generation has this content. */
export function hasContent({ generation }: NamePointer, contentHash: string): boolean {
  return generation.endsWith(`-${contentHash}`);
}

/** Revision of the generation to which a chunk belongs, from its sort key. */
export function revisionOfChunk(sort: string): number {
  return Number(REVISION.exec(sort)?.[1] ?? Number.POSITIVE_INFINITY);
}

/** `end`: instant at which what points to the chunk ends. */
export function toChunkItem(key: Key, text: string, end: number): Item {
  return {
    ...keyAttributes(key),
    ...toAttributes({
      [ATTRIBUTE.version]: FORMAT_VERSION,
      [ATTRIBUTE.body]: compressed(text),
      [TABLE.timeToLive]: toSeconds(end + CHUNKS_OUTLIVE_MS),
    }),
  };
}

export function readChunkItem(item: Item): readonly Entry[] {
  const bytes = readItem(chunkItemSchema, item)[ATTRIBUTE.body];
  return checked(entriesSchema, item, decompressed(bytes));
}

export function toPointerItem(key: Key, pointer: NamePointer): Item {
  return {
    ...keyAttributes(key),
    ...toAttributes({
      [ATTRIBUTE.version]: FORMAT_VERSION,
      [ATTRIBUTE.revision]: pointer.revision,
      [ATTRIBUTE.generation]: pointer.generation,
      [ATTRIBUTE.leafCount]: pointer.chunks,
      [ATTRIBUTE.recordCount]: pointer.names,
      [TABLE.timeToLive]: pointer.end === null ? undefined : toSeconds(pointer.end),
    }),
  };
}

export function readPointerItem(item: Item): NamePointer {
  const values = readItem(pointerItemSchema, item);
  const end = values[TABLE.timeToLive];
  return {
    revision: values[ATTRIBUTE.revision],
    generation: values[ATTRIBUTE.generation],
    chunks: values[ATTRIBUTE.leafCount],
    names: values[ATTRIBUTE.recordCount],
    end: end === undefined ? null : end * 1000,
  };
}

function toSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
