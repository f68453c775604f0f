import * as z from 'zod';
import type { EventBatch } from '#shared/core/commit/commit-step.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { toItem } from '../items.ts';
import { toEventKeys } from '../keys.ts';

/** Between texts: JSON on one line has none of its own. */
const SEPARATOR = '\n';

const eventItemSchema = z.object({ [ATTRIBUTE.body]: bytesSchema });

/** One item per chunk of a batch; `expiresAt` in milliseconds since 1970. */
export function toEventItems(feed: FeedKey, batch: EventBatch, expiresAt: number): Item[] {
  const keys = toEventKeys(feed, batch.key, batch.chunks.length);
  return keys.map((key, chunk) => {
    const body = compressed((batch.chunks[chunk] ?? []).join(SEPARATOR));
    return toItem(key, { [ATTRIBUTE.body]: body }, expiresAt);
  });
}

export function readEventItem(item: Item): string[] {
  const bytes = readItem(eventItemSchema, item)[ATTRIBUTE.body];
  return decompressed(bytes).split(SEPARATOR);
}
