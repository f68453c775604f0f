import * as z from 'zod';
import type { CommitOutcome } from '#shared/core/commit/commit-step.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import {
  type WatermarkCheck,
  type WatermarkMemory,
  type WatermarkWrite,
  watermarkMemorySchema,
} from '#shared/core/snapshot/watermark-memory.ts';
import { ATTRIBUTE, bytesSchema, readItem, toAttributes } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { DOES_NOT_EXIST } from '../conditions.ts';
import { getItem, parseBody } from '../items.ts';
import { toKeyAttributes, toWatermarkKey } from '../keys.ts';
import type { Table } from '../table.ts';
import type { TransactionWrite } from '../transactions.ts';
import { buildUpdate, type UpdateInput, updateItem } from '../updates.ts';

const watermarkItemSchema = z.object({ [ATTRIBUTE.body]: bytesSchema });

/** What a feed remembers of its watermarks; null before the first. */
export async function loadWatermark(table: Table, feed: FeedKey): Promise<WatermarkMemory | null> {
  const item = await getItem(table, 'loadWatermark', toWatermarkKey(feed));
  if (item === null) return null;
  const { [ATTRIBUTE.body]: body } = readItem(watermarkItemSchema, item);
  return parseBody(watermarkMemorySchema, item, decompressed(body));
}

export async function saveWatermark(
  table: Table,
  feed: FeedKey,
  write: WatermarkWrite,
): Promise<CommitOutcome> {
  return await updateItem(table, 'saveWatermark', buildWatermarkUpdate(feed, write));
}

/** The fence stands beside the body, for the condition of commits. */
export function buildWatermarkUpdate(
  feed: FeedKey,
  { memory, expectedRevision }: WatermarkWrite,
): UpdateInput {
  return buildUpdate({
    key: toWatermarkKey(feed),
    values: {
      [ATTRIBUTE.revision]: memory.revision,
      [ATTRIBUTE.hotFence]: memory.fence.hot,
      [ATTRIBUTE.fence]: memory.fence.all,
      [ATTRIBUTE.body]: compressed(JSON.stringify(memory)),
    },
    pointer: null,
    expectedRevision,
  });
}

/** As `passesFence`. */
export function buildWatermarkCheck(feed: FeedKey, { hot, all, ahead }: WatermarkCheck): TransactionWrite {
  const isPassed = (name: string) => `(#${name} < :${name} OR #${name} > :ahead)`;
  return {
    ConditionCheck: {
      Key: toKeyAttributes(toWatermarkKey(feed)),
      ConditionExpression: `${DOES_NOT_EXIST} OR (${isPassed(ATTRIBUTE.hotFence)} AND ${isPassed(ATTRIBUTE.fence)})`,
      ExpressionAttributeNames: {
        [`#${ATTRIBUTE.hotFence}`]: ATTRIBUTE.hotFence,
        [`#${ATTRIBUTE.fence}`]: ATTRIBUTE.fence,
      },
      ExpressionAttributeValues: toAttributes({
        [`:${ATTRIBUTE.hotFence}`]: hot,
        [`:${ATTRIBUTE.fence}`]: all,
        ':ahead': ahead,
      }),
    },
  };
}
