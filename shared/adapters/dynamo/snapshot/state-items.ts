import * as z from 'zod';
import type { CommitOutcome, FeedStateWrite } from '#shared/core/commit/commit-step.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { feedStateSchema } from '#shared/core/snapshot/feed-state.ts';
import {
  type WatermarkCheck,
  type WatermarkMemory,
  type WatermarkWrite,
  watermarkMemorySchema,
} from '#shared/core/snapshot/watermark-memory.ts';
import type { StoredFeedState } from '#shared/flow/poll/ports.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem, toAttributes } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { DOES_NOT_EXIST } from '../conditions.ts';
import { getItem, parseBody } from '../items.ts';
import { toKeyAttributes, toStateKey, toWatermarkKey } from '../keys.ts';
import type { Table } from '../table.ts';
import type { TransactionWrite } from '../transactions.ts';
import { buildUpdate, type UpdateInput, updateItem } from '../updates.ts';

const stateItemSchema = z.object({
  [ATTRIBUTE.body]: bytesSchema,
  [ATTRIBUTE.outbox]: z.array(z.string()).optional(),
});

/** Builds the conditional update of a feed's state, which also adds the pointer to its outbox. */
export function buildStateUpdate(
  { feed, state, token, expectedRevision }: FeedStateWrite,
  pointer: string | null,
): UpdateInput {
  return buildUpdate({
    key: toStateKey(feed),
    values: {
      [ATTRIBUTE.revision]: state.revision,
      [ATTRIBUTE.token]: token,
      [ATTRIBUTE.body]: compressed(JSON.stringify(state)),
    },
    pointer,
    expectedRevision,
  });
}

/** Throws `NotifierError` `store_item_unreadable`. */
export function readStateItem(item: Item): StoredFeedState {
  const values = readItem(stateItemSchema, item);
  const state = parseBody(feedStateSchema, item, decompressed(values[ATTRIBUTE.body]));
  return { state, outbox: [...(values[ATTRIBUTE.outbox] ?? [])].sort() };
}

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
