import {
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
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
import { toEventItems } from './event-items.ts';
import { buildHeadUpdate, toPageItems } from './head-items.ts';
import { toLeafItem } from './leaf-items.ts';
import { buildStateUpdate } from './state-items.ts';

/**
 * Executes one step in one transaction (rule 2): heads under their conditions, digest pages, leaves, events, and the
 * pointers to these in outboxes. A step that succeeded before does nothing.
 */
export async function commitStep(table: Table, step: CommitStep): Promise<CommitOutcome> {
  const { feed, token, heads, leaves, events, eventsExpireAt } = step;
  const pointers = new Map(listOutboxEntries(step).map(({ slice, pointer }) => [slice, pointer]));
  const updates = heads.map((write) => buildHeadUpdate(feed, write, pointers.get(write.head.slice) ?? null));
  const items = [
    ...heads.flatMap((write) => toPageItems(feed, write)),
    ...leaves.map((leaf) => toLeafItem(feed, leaf)),
    ...toItems(feed, events, eventsExpireAt),
  ];
  return await transact(table, { operation: 'commit', token, updates, items });
}

/** Writes the feed's state, with the operational events that go with it in one transaction. */
export async function saveFeedState(table: Table, write: FeedStateWrite): Promise<CommitOutcome> {
  const { feed, token, events, eventsExpireAt } = write;
  if (events === null) return await updateState(table, write);
  return await transact(table, {
    operation: 'saveFeedState',
    token,
    updates: [buildStateUpdate(write, toBatchPointer(events))],
    items: toItems(feed, events, eventsExpireAt),
  });
}

/** Without events one item is written, which costs half of a transaction. */
async function updateState(table: Table, write: FeedStateWrite): Promise<CommitOutcome> {
  const { outcome } = await table.attempt({
    operation: 'saveFeedState',
    kind: 'write',
    send: (client) =>
      client.send(new UpdateItemCommand({ ...table.settings, ...buildStateUpdate(write, null) })),
  });
  return outcome === 'done' ? 'committed' : 'conflict';
}

function toItems(feed: FeedKey, events: EventBatch | null, expiresAt: number): Item[] {
  return events === null ? [] : toEventItems(feed, events, expiresAt);
}

interface Transaction {
  readonly operation: string;
  readonly token: string;
  readonly updates: readonly ReturnType<typeof buildHeadUpdate>[];
  readonly items: readonly Item[];
}

async function transact(
  table: Table,
  { operation, token, updates, items }: Transaction,
): Promise<CommitOutcome> {
  const { TableName, ReturnConsumedCapacity } = table.settings;
  const TransactItems: TransactWriteItem[] = [
    ...updates.map((update) => ({ Update: { TableName, ...update } })),
    ...items.map((Item) => ({ Put: { TableName, Item } })),
  ];
  const { outcome } = await table.attempt({
    operation,
    kind: 'write',
    send: (client) =>
      client.send(
        new TransactWriteItemsCommand({ ReturnConsumedCapacity, ClientRequestToken: token, TransactItems }),
      ),
  });
  return outcome === 'done' ? 'committed' : 'conflict';
}
