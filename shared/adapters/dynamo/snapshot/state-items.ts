import type { Update } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { FeedStateWrite } from '#shared/core/commit/commit-step.ts';
import { EMPTY_FEED_STATE, feedStateSchema } from '#shared/core/snapshot/feed-state.ts';
import type { StoredFeedState } from '#shared/ports/poll.ts';
import { ATTRIBUTE, FORMAT_VERSION, type Item, readItem, unreadableItemError } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { stateKey } from '../keys.ts';
import { buildUpdate } from '../update.ts';
import { readState, writeState } from './state-format.ts';

const stateItemSchema = z.object({
  [ATTRIBUTE.version]: z.literal(FORMAT_VERSION),
  [ATTRIBUTE.body]: z.instanceof(Uint8Array),
  [ATTRIBUTE.additions]: z.instanceof(Uint8Array).optional(),
  [ATTRIBUTE.outbox]: z.array(z.string()).optional(),
});

export function buildStateUpdate(
  { feed, state, token, expectedRevision }: FeedStateWrite,
  pointer: string | null,
): Omit<Update, 'TableName'> & { UpdateExpression: string } {
  const { body, additions } = writeState(state);
  return buildUpdate({
    key: stateKey(feed),
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

export function readStateItem(item: Item): StoredFeedState {
  const values = readItem(stateItemSchema, item);
  const additions = values[ATTRIBUTE.additions];
  const { members, isOutdated } = readState({
    body: decompressed(values[ATTRIBUTE.body]),
    additions: additions === undefined ? null : decompressed(additions),
  });
  // A state of an older version lacks what was added since: it begins empty.
  const state = feedStateSchema.safeParse({ ...EMPTY_FEED_STATE, ...members });
  if (!state.success) throw unreadableItemError(item, 'its state has another shape', state.error);
  const outbox = [...(values[ATTRIBUTE.outbox] ?? [])].sort();
  return { state: state.data, outbox, ...(isOutdated ? { epochsLost: true } : {}) };
}
