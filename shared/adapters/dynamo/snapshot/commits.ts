import {
  type CommitOutcome,
  type CommitStep,
  type EventBatch,
  type FeedStateWrite,
  toBatchPointer,
} from '#shared/core/commit/commit-step.ts';
import { listOutboxEntries } from '#shared/core/commit/outbox.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { Item } from '../attributes.ts';
import type { Table } from '../table.ts';
import { type TransactionWrite, transact } from '../transactions.ts';
import { updateItem } from '../updates.ts';
import { toEventItems } from './event-items.ts';
import { buildHeadUpdate, toPageItems } from './head-items.ts';
import { toLeafItem } from './leaf-items.ts';
import { buildStateUpdate } from './state-items.ts';
import { buildWatermarkCheck, buildWatermarkUpdate } from './watermarks.ts';

/**
 * Executes one step in one transaction (rule 2 of docs/architecture.md): heads under their conditions, digest pages,
 * leaves, events, and the pointers to these in outboxes. Repeating a step that succeeded does nothing.
 */
export async function commitStep(table: Table, step: CommitStep): Promise<CommitOutcome> {
  const { feed, token, heads, leaves, events, eventsExpireAt, watermark } = step;
  const pointers = new Map(listOutboxEntries(step).map(({ slice, pointer }) => [slice, pointer]));
  const items = [
    ...heads.flatMap((write) => toPageItems(feed, write)),
    ...leaves.map((leaf) => toLeafItem(feed, leaf)),
    ...toItems(feed, events, eventsExpireAt),
  ];
  const writes = [
    ...heads.map((write) => ({
      Update: buildHeadUpdate(feed, write, pointers.get(write.head.slice) ?? null),
    })),
    ...items.map(toPut),
    ...(watermark === undefined ? [] : [buildWatermarkCheck(feed, watermark)]),
  ];
  return await transact(table, { operation: 'commit', token, writes });
}

/** Writes the feed's state, in one transaction with its operational events. */
export async function saveFeedState(table: Table, write: FeedStateWrite): Promise<CommitOutcome> {
  const { feed, token, events, eventsExpireAt, watermark } = write;
  const operation = 'saveFeedState';
  if (events === null) return await updateItem(table, operation, buildStateUpdate(write, null));
  const writes = [
    { Update: buildStateUpdate(write, toBatchPointer(events)) },
    ...toItems(feed, events, eventsExpireAt).map(toPut),
    ...(watermark === undefined ? [] : [{ Update: buildWatermarkUpdate(feed, watermark) }]),
  ];
  return await transact(table, { operation, token, writes });
}

function toItems(feed: FeedKey, events: EventBatch | null, expiresAt: number): Item[] {
  return events === null ? [] : toEventItems(feed, events, expiresAt);
}

function toPut(item: Item): TransactionWrite {
  return { Put: { Item: item } };
}
