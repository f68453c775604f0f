import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { NotifierError } from '../../core/errors.ts';
import type { Table } from './table.ts';

/**
 * Creates a reader of the id that DynamoDB gave the table when it was created. A restored table has another one, even
 * under the same name. The id is read once, and again after the table was missing. Null when it cannot be read now.
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
