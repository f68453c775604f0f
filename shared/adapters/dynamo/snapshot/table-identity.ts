import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { NotifierError } from '#shared/core/errors.ts';
import type { Table } from '../table.ts';

/**
 * The id that DynamoDB gave the table when it was made; a restored one, also under the same name, has another. Asked
 * for once, and again after the table was missing. Null when it cannot be had now: that stops nothing.
 */
export function createTableIdReader(table: Table): () => Promise<string | null> {
  let known: { readonly id: string; readonly timesMissing: number } | null = null;
  return async () => {
    if (known?.timesMissing === table.timesMissing) return known.id;
    const id = await fetchTableId(table);
    known = id === null ? null : { id, timesMissing: table.timesMissing };
    return id;
  };
}

async function fetchTableId(table: Table): Promise<string | null> {
  try {
    const { id } = await table.send({
      operation: 'tableId',
      kind: 'read',
      send: async (client) => {
        const answer = await client.send(new DescribeTableCommand({ TableName: table.name }));
        return { id: answer.Table?.TableId, ConsumedCapacity: undefined };
      },
    });
    return id ?? null;
  } catch (error) {
    if (!(error instanceof NotifierError)) throw error;
    return null;
  }
}
