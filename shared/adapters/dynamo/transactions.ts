import { randomUUID } from 'node:crypto';
import {
  type Delete,
  type Put,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { NotifierError } from '../../core/errors.ts';
import { measureItem } from './item-size.ts';
import type { Table, TableRequest } from './table.ts';
import type { UpdateInput } from './updates.ts';

/** Bounds that DynamoDB sets. */
const MAX_WRITES = 100;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_ITEM_BYTES = 400 * 1024;

/** The writes of a transaction, without the name of the table. */
export type TransactionWrite =
  | { readonly Put: Omit<Put, 'TableName'> }
  | { readonly Delete: Omit<Delete, 'TableName'> }
  | { readonly Update: UpdateInput };

export interface Transaction extends Pick<TableRequest<never>, 'retryOnContention'> {
  readonly operation: string;
  readonly writes: readonly TransactionWrite[];
}

/**
 * Executes all writes or none. All tries, those of the client included, have one request token: where the answer of one
 * was lost, the next does nothing more. Throws `store_transaction_too_large` for what DynamoDB would refuse.
 */
export async function transact(
  table: Table,
  { operation, writes, ...options }: Transaction,
): Promise<'committed' | 'conflict'> {
  requireSize(writes);
  const { TableName, ReturnConsumedCapacity } = table.settings;
  const TransactItems = writes.map((write): TransactWriteItem => {
    if ('Put' in write) return { Put: { TableName, ...write.Put } };
    if ('Delete' in write) return { Delete: { TableName, ...write.Delete } };
    return { Update: { TableName, ...write.Update } };
  });
  const ClientRequestToken = randomUUID();
  const { outcome } = await table.attempt({
    operation,
    kind: 'write',
    ...options,
    send: (client) =>
      client.send(
        new TransactWriteItemsCommand({ ReturnConsumedCapacity, ClientRequestToken, TransactItems }),
      ),
  });
  return outcome === 'done' ? 'committed' : 'conflict';
}

function requireSize(writes: readonly TransactionWrite[]): void {
  const sizes = writes.map(measureWrite);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const largest = Math.max(0, ...sizes);
  if (writes.length <= MAX_WRITES && bytes <= MAX_BYTES && largest <= MAX_ITEM_BYTES) return;
  throw new NotifierError(
    'store_transaction_too_large',
    `a transaction of ${writes.length} items and ${bytes} bytes, the largest of ${largest}, is too large; DynamoDB takes ${MAX_WRITES} items, ${MAX_BYTES} bytes and ${MAX_ITEM_BYTES} an item`,
  );
}

function measureWrite(write: TransactionWrite): number {
  if ('Put' in write) return measureItem(write.Put.Item ?? {});
  return 'Update' in write ? measureItem(write.Update.ExpressionAttributeValues ?? {}) : 0;
}
