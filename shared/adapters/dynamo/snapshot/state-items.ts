import * as z from 'zod';
import type { FeedStateWrite } from '#shared/core/commit/commit-step.ts';
import { feedStateSchema } from '#shared/core/snapshot/feed-state.ts';
import type { StoredFeedState } from '#shared/flow/poll/ports.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { parseBody } from '../items.ts';
import { toStateKey } from '../keys.ts';
import { buildUpdate, type UpdateInput } from '../updates.ts';

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
