import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createThreadStore } from '#shared/adapters/dynamo/channels/thread-store.ts';
import type { ThreadStore } from '#shared/people/flow/post-in-threads.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createMemoryThreadStore } from '#test/support/memory-thread-store.ts';

const THREAD = 'main#3_4711';
const EXPIRES_AT = Date.parse('2027-02-15T00:00:00.500Z');
let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(async () => {
  await dynamo.stop();
});

const open = (channel: string) =>
  createThreadStore({ ...dynamo, channel, sleep: async () => {}, random: () => 0 });

test.each<[string, () => ThreadStore]>([
  ['DynamoDB', () => open('payroll')],
  ['memory', createMemoryThreadStore],
])('a thread of a channel in %s begins where was saved last', async (_, make) => {
  const store = make();
  expect(await store.load(THREAD)).toBeNull();
  await store.save(THREAD, '1.1', EXPIRES_AT);
  await store.save(THREAD, '1.2', EXPIRES_AT);
  expect(await store.load(THREAD)).toBe('1.2');
  expect(await store.load('main#4_4711')).toBeNull();
});

test('a thread has a partition apart from the alerts, and expires', async () => {
  await open('it').save(THREAD, '1.1', EXPIRES_AT);
  const Key = { pk: { S: 'alerts#it#threads' }, sk: { S: THREAD } };
  const { Item } = await dynamo.client.send(new GetItemCommand({ TableName: dynamo.tableName, Key }));
  expect(Item).toEqual({
    ...Key,
    f: { N: '1' },
    d: { S: '{"ts":"1.1"}' },
    expiresAt: { N: String(Math.ceil(EXPIRES_AT / 1_000)) },
  });
  expect(await open('payroll-of-others').load(THREAD)).toBeNull();
});
