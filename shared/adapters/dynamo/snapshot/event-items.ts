import * as z from 'zod';
import { TABLE } from '#shared/config/table.ts';
import type { EventBatch } from '#shared/core/commit/commit-step.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { ATTRIBUTE, FORMAT_VERSION, type Item, readItem, toAttributes } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { toEventKeys, toKeyAttributes } from '../keys.ts';

/** Between texts: JSON on one line has none of its own. */
const SEPARATOR = '\n';

const eventItemSchema = z.object({
  [ATTRIBUTE.version]: z.literal(FORMAT_VERSION),
  [ATTRIBUTE.body]: z.instanceof(Uint8Array),
});

/** One item per chunk of a batch; `expiresAt` in milliseconds since 1970. */
export function toEventItems(feed: FeedKey, batch: EventBatch, expiresAt: number): Item[] {
  const keys = toEventKeys(feed, batch.key, batch.chunks.length);
  return keys.map((key, chunk) => ({
    ...toKeyAttributes(key),
    ...toAttributes({
      [ATTRIBUTE.version]: FORMAT_VERSION,
      [ATTRIBUTE.body]: compressed((batch.chunks[chunk] ?? []).join(SEPARATOR)),
      [TABLE.timeToLive]: Math.ceil(expiresAt / 1000),
    }),
  }));
}

export function readEventItem(item: Item): string[] {
  const bytes = readItem(eventItemSchema, item)[ATTRIBUTE.body];
  return decompressed(bytes).split(SEPARATOR);
}
