import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createThreadStore } from '#shared/adapters/dynamo/alerts/thread-store.ts';
import type { ThreadStore } from '#shared/threads/flow/thread-heads.ts';
import { startThread, type Thread } from '#shared/threads/thread.ts';
import { compose, tell } from '#test/shared/threads/sample-threads.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { createMemoryThreadStore } from '#test/support/memory-thread-store.ts';

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

describe.each<[string, () => ThreadStore]>([
  ['DynamoDB', () => open('payroll')],
  ['memory', createMemoryThreadStore],
])('the threads of a channel in %s', (_, make) => {
  test('are what was saved last, and of two writers one is refused', async () => {
    const store = make();
    const thread = sampleThread();
    const save = (ts: string, expectedRevision: number | null) =>
      store.save({ ...thread, ts }, { expectedRevision, expiresAt: EXPIRES_AT });
    expect(await store.load(thread.topic)).toBeNull();
    expect(await save('1.1', null)).toBe('committed');
    expect(await save('1.2', null)).toBe('conflict');
    expect(await save('1.3', 1)).toBe('committed');
    expect(await save('1.4', 1)).toBe('conflict');
    expect(await store.load(thread.topic)).toEqual({ thread: { ...thread, ts: '1.3' }, revision: 2 });
  });
});

test('a thread has a partition apart from the alerts, and expires', async () => {
  const thread = sampleThread();
  await open('it').save(thread, { expectedRevision: null, expiresAt: EXPIRES_AT });
  const { Item } = await dynamo.client.send(
    new GetItemCommand({
      TableName: dynamo.tableName,
      Key: { pk: { S: 'alerts#it#threads' }, sk: { S: 'period#main#3_4711' } },
    }),
  );
  expect(Item).toEqual({
    pk: { S: 'alerts#it#threads' },
    sk: { S: 'period#main#3_4711' },
    f: { N: '1' },
    r: { N: '1' },
    d: { B: expect.any(Uint8Array) },
    expiresAt: { N: String(Math.ceil(EXPIRES_AT / 1_000)) },
  });
  expect(await open('payroll-of-others').load(thread.topic)).toBeNull();
});

function sampleThread(): Thread {
  const [message] = compose(tell('pay_period.closed'));
  if (message?.thread === undefined) throw new Error('no thread');
  return startThread(message, message.thread, '1.0');
}
