import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { sampleTimesheet } from '../sample-records.ts';

const SEED = 12;
/** Deletes the outbox entry after its event is published. */
const DELETE_UNITS = 1;

/** Write units of one change when each timesheet is an item: snapshot, event and outbox in a transaction. */
export async function measureOneItemEach(): Promise<number> {
  const dynamo = await startEmbeddedDynamo();
  try {
    return await measureOneItemEachOn(dynamo);
  } finally {
    await dynamo.stop();
  }
}

/** The same on a table that is there. */
export async function measureOneItemEachOn({ client, tableName }: EmbeddedDynamo): Promise<number> {
  const body = { S: JSON.stringify(sampleTimesheet(1, '2026-11-16', createSeededRandom(SEED))) };
  const TransactItems = ['snapshot', 'event', 'outbox'].map((kind) => ({
    Put: {
      TableName: tableName,
      Item: { [TABLE.partitionKey]: { S: kind }, [TABLE.sortKey]: { S: '1' }, body },
    },
  }));
  const { ConsumedCapacity } = await client.send(
    new TransactWriteItemsCommand({ TransactItems, ReturnConsumedCapacity: 'TOTAL' }),
  );
  return (ConsumedCapacity?.[0]?.CapacityUnits ?? Number.NaN) + DELETE_UNITS;
}
