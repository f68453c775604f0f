import type { Update } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { FeedStateWrite } from '../../core/commit-step.ts';
import { EMPTY_FEED_STATE, feedStateSchema } from '../../core/feed-state.ts';
import type { StoredFeedState } from '../../ports.ts';
import { ATTRIBUTE, FORMAT_VERSION, type Item, readItem, unreadable } from './attributes.ts';
import { compressed, decompressed } from './compression.ts';
import { stateKey } from './keys.ts';
import { updateOf } from './update.ts';

const stateItemSchema = z.object({
  [ATTRIBUTE.version]: z.literal(FORMAT_VERSION),
  [ATTRIBUTE.body]: z.instanceof(Uint8Array),
  [ATTRIBUTE.outbox]: z.array(z.string()).optional(),
});

export function stateUpdate(
  { feed, state, token, expectedRevision }: FeedStateWrite,
  pointer: string | null,
): Omit<Update, 'TableName'> & { UpdateExpression: string } {
  return updateOf({
    key: stateKey(feed),
    values: {
      [ATTRIBUTE.version]: FORMAT_VERSION,
      [ATTRIBUTE.revision]: state.revision,
      [ATTRIBUTE.token]: token,
      [ATTRIBUTE.body]: compressed(JSON.stringify(state)),
    },
    pointer,
    expectedRevision,
  });
}

export function readStateItem(item: Item): StoredFeedState {
  const values = readItem(stateItemSchema, item);
  // A state of an older version lacks what was added since: it begins empty.
  const state = feedStateSchema.safeParse({
    ...EMPTY_FEED_STATE,
    ...JSON.parse(decompressed(values[ATTRIBUTE.body])),
  });
  if (!state.success) throw unreadable(item, 'its state has another shape', state.error);
  return { state: state.data, outbox: [...(values[ATTRIBUTE.outbox] ?? [])].sort() };
}
