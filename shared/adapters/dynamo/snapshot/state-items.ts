import * as z from 'zod';
import type { FeedStateWrite } from '#shared/core/commit/commit-step.ts';
import { EMPTY_FEED_STATE, feedStateSchema } from '#shared/core/snapshot/feed-state.ts';
import type { StoredFeedState } from '#shared/flow/poll/ports.ts';
import {
  ATTRIBUTE,
  bytesSchema,
  FORMAT_VERSION,
  type Item,
  readItem,
  unreadableItemError,
  versioned,
} from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { toStateKey } from '../keys.ts';
import { buildUpdate, type UpdateInput } from '../updates.ts';
import { readState, writeState } from './state-format.ts';

const stateItemSchema = versioned({
  [ATTRIBUTE.body]: bytesSchema,
  [ATTRIBUTE.additions]: bytesSchema.optional(),
  [ATTRIBUTE.outbox]: z.array(z.string()).optional(),
});

/** Builds the conditional update of a feed's state, which also adds the pointer to its outbox. */
export function buildStateUpdate(
  { feed, state, token, expectedRevision }: FeedStateWrite,
  pointer: string | null,
): UpdateInput {
  const { body, additions } = writeState(state);
  return buildUpdate({
    key: toStateKey(feed),
    values: {
      [ATTRIBUTE.version]: FORMAT_VERSION,
      [ATTRIBUTE.revision]: state.revision,
      [ATTRIBUTE.token]: token,
      [ATTRIBUTE.body]: compressed(body),
      [ATTRIBUTE.additions]: additions === null ? undefined : compressed(additions),
    },
    pointer,
    expectedRevision,
  });
}

/** Throws `NotifierError` `store_item_unreadable`. */
export function readStateItem(item: Item): StoredFeedState {
  const values = readItem(stateItemSchema, item);
  const additions = values[ATTRIBUTE.additions];
  const { members, isOutdated } = readState({
    body: decompressed(values[ATTRIBUTE.body]),
    additions: additions === undefined ? null : decompressed(additions),
  });
  // A member that an older version did not write has its initial value.
  const state = feedStateSchema.safeParse({ ...EMPTY_FEED_STATE, ...members });
  if (!state.success) throw unreadableItemError(item, 'its state has another shape', state.error);
  const outbox = [...(values[ATTRIBUTE.outbox] ?? [])].sort();
  return { state: state.data, outbox, ...(isOutdated ? { epochsLost: true } : {}) };
}
