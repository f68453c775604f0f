import { afterAll, beforeAll } from 'vitest';
import { createStartStore } from '#shared/adapters/dynamo/deliveries/start-store.ts';
import { describeStartStore } from '#test/contracts/start-store.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(() => dynamo.stop());

const open = () => createStartStore({ ...dynamo, sleep: async () => {}, random: () => 0 });

describeStartStore('DynamoDB as a store of starts', open);
