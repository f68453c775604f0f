import { afterAll, beforeAll } from 'vitest';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { describeMembership } from '#test/contracts/membership.ts';
import { describeSnapshotStore, describeWatermarkStore } from '#test/contracts/snapshot-store.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(async () => {
  await dynamo.stop();
});

const make = async () => createDynamoSnapshotStore({ ...dynamo, sleep: async () => {}, random: () => 0 });

describeSnapshotStore('DynamoDB', make);
describeMembership('DynamoDB', make);
describeWatermarkStore('DynamoDB', make);
