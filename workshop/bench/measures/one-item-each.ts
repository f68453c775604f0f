import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { createCountingDynamo } from '../counting-dynamo/counting-dynamo.ts';
import { sampleTimesheet } from '../sample-records.ts';

const SEED = 12;
/** Deletes the outbox entry after its event is published. */
const DELETE_UNITS = 1;

/** Write units of one change when each timesheet is an item: snapshot, event and outbox in a transaction. */
export async function measureOneItemEach(): Promise<number> {
  const { client, units } = createCountingDynamo();
  const body = { S: JSON.stringify(sampleTimesheet(1, '2026-11-16', createSeededRandom(SEED))) };
  const TransactItems = ['snapshot', 'event', 'outbox'].map((kind) => ({
    Put: {
      TableName: 'other',
      Item: { [TABLE.partitionKey]: { S: kind }, [TABLE.sortKey]: { S: '1' }, body },
    },
  }));
  await client.send(new TransactWriteItemsCommand({ TransactItems }));
  return units.write + DELETE_UNITS;
}
