import {
  type ConditionCheck,
  type Put,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { CommitOutcome } from '../../core/commit/commit-step.ts';
import type { Table } from './table.ts';
import type { UpdateInput } from './updates.ts';

/** The writes of a transaction, without the name of the table. */
export type TransactionWrite =
  | { readonly Put: Omit<Put, 'TableName'> }
  | { readonly Update: UpdateInput }
  | { readonly ConditionCheck: Omit<ConditionCheck, 'TableName'> };

export interface Transaction {
  readonly operation: string;
  /** Client request token: a transaction that succeeded under it before does nothing. */
  readonly token?: string;
  readonly writes: readonly TransactionWrite[];
}

/** Executes all writes or none. */
export async function transact(
  table: Table,
  { operation, token, writes }: Transaction,
): Promise<CommitOutcome> {
  const { TableName, ReturnConsumedCapacity } = table.settings;
  const TransactItems = writes.map((write): TransactWriteItem => {
    if ('Put' in write) return { Put: { TableName, ...write.Put } };
    if ('Update' in write) return { Update: { TableName, ...write.Update } };
    return { ConditionCheck: { TableName, ...write.ConditionCheck } };
  });
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
