import { afterAll, beforeAll } from 'vitest';
import { createEventLog, type EventLogOptions } from '#shared/adapters/dynamo/snapshot/event-log.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { describeEventLog } from '#test/contracts/event-log.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(async () => {
  await dynamo.stop();
});

describeEventLog('DynamoDB', async () => createStores({}));

describeEventLog('DynamoDB, asked for some dates ahead', async () => createStores({ datesAhead: 3 }));

function createStores(values: Pick<EventLogOptions, 'datesAhead'>) {
  const options = { ...dynamo, sleep: async () => {}, random: () => 0 };
  return { log: createEventLog({ ...options, ...values }), store: createDynamoSnapshotStore(options) };
}
