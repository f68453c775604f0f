import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  QueryCommand,
  ResourceNotFoundException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { toBucketItem } from '#shared/adapters/dynamo/bucket-items.ts';
import { toHeadItem } from '#shared/adapters/dynamo/head-items.ts';
import { toBucketKey } from '#shared/adapters/dynamo/keys.ts';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { createHead } from '#shared/core/snapshot/head.ts';
import { EMPTY_COMMIT, hostileRow, NOON, SLICE } from '#test/contracts/store-samples.ts';
import { mockClient } from '#test/support/mock-client.ts';

const dynamo = mockClient(DynamoDBClient);
const metadata = { $metadata: {}, message: 'refused' };
const lease = { connection: 'acme', token: 1 };
const waits: number[] = [];
const store = createDynamoStore({
  client: new DynamoDBClient({ region: 'local' }),
  tableName: 'notifier',
  sleep: async (milliseconds) => void waits.push(milliseconds),
  random: () => 0.5,
});

beforeEach(() => {
  dynamo.reset();
  waits.length = 0;
});

describe('a commit', () => {
  test.each(['None', 'ThrottlingError'])(
    'whose condition does not hold lost its lease, at once: %s',
    async (code) => {
      dynamo.on(TransactWriteItemsCommand).rejects(cancelled('ConditionalCheckFailed', code));
      await expect(commit()).rejects.toMatchObject({ code: 'lease_lost' });
      expect(waits).toEqual([]);
    },
  );

  test.each([
    ['throttled', cancelled('None', 'ThrottlingError')],
    ['beyond the capacity of the table', cancelled('ProvisionedThroughputExceeded')],
    ['in the way of a poll that asks for the lease', cancelled('TransactionConflict', 'None')],
    ['still in progress', new TransactionInProgressException(metadata)],
  ])('that is %s is tried again as the same request', async (_name, error) => {
    dynamo.on(TransactWriteItemsCommand).rejectsOnce(error).rejectsOnce(error).resolves({});
    await commit();
    expect(waits).toEqual([25, 50]);
    const calls = dynamo.commandCalls(TransactWriteItemsCommand);
    const tokens = new Set(calls.map(({ args }) => args[0].input.ClientRequestToken));
    expect([...tokens]).toEqual([expect.stringMatching(/\S/)]);
  });

  test.each([
    [cancelled('None', 'ThrottlingError'), { code: 'store_throttled', retryable: true }, 7],
    [cancelled('None', 'ItemCollectionSizeLimitExceeded'), { code: 'store_rejected', retryable: false }, 0],
    [new Error('hang up'), { code: 'store_unreachable', retryable: true }, 0],
  ])('that fails for good is an error (%#)', async (cause, error, tries) => {
    dynamo.on(TransactWriteItemsCommand).rejects(cause);
    await expect(commit()).rejects.toMatchObject(error);
    expect(waits).toEqual([25, 50, 100, 200, 400, 800, 1000].slice(0, tries));
  });
});

test.each([
  ['is lost', new ConditionalCheckFailedException(metadata), null],
  ['is not judged while a commit goes on', new TransactionConflictException(metadata), 25],
])('a lease %s', async (_name, error, wait) => {
  dynamo.on(UpdateItemCommand).rejectsOnce(error).resolves({});
  const renewed = store.renewLease(lease, NOON);
  if (wait === null) await expect(renewed).rejects.toMatchObject({ code: 'lease_lost' });
  else await renewed;
  expect(waits).toEqual(wait === null ? [] : [wait]);
});

describe('an error for a person to fix', () => {
  test('a table that does not exist', async () => {
    dynamo.on(GetItemCommand).rejects(new ResourceNotFoundException(metadata));
    await expect(store.loadState('acme')).rejects.toMatchObject({
      code: 'store_table_missing',
      retryable: false,
      message: 'there is no table "notifier"; deploy the stack that creates it, or correct TABLE_NAME',
    });
  });

  test.each([
    ['ValidationException', 'check the keys of the table and the size of the items'],
    ['AccessDeniedException', 'grant its role access to the table'],
  ])('%s', async (name, mend) => {
    dynamo.on(QueryCommand).rejects(new DynamoDBServiceException({ name, $fault: 'client', $metadata: {} }));
    await expect(store.loadHeads('acme')).rejects.toMatchObject({
      code: 'store_rejected',
      message: `DynamoDB rejected a request to table "notifier" (${name}); ${mend}`,
    });
  });
});

test('a table that does not answer is a retryable error', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { name: 'TimeoutError' });
  dynamo.on(GetItemCommand).rejects(cause);
  const expected = { code: 'store_unreachable', retryable: true, cause };
  await expect(store.loadState('acme')).rejects.toMatchObject(expected);
});

describe('batches', () => {
  const buckets = Array.from({ length: 130 }, (_, from) => ({
    ...SLICE,
    from,
    rows: [hostileRow(`${from}_1`)],
  }));
  const rows = buckets.map((bucket) => bucket.rows);
  const items = new Map(
    buckets.map((bucket) => {
      const key = toBucketKey('acme', bucket);
      return [key.sort, toBucketItem(key, bucket.rows)];
    }),
  );

  test('buckets that were not read are read again, 100 at a time, each once', async () => {
    dynamo.on(BatchGetItemCommand).callsFake(({ RequestItems }) => {
      const keys: readonly { sk: { S: string } }[] = RequestItems.notifier.Keys;
      const read = keys.slice(0, 60).map(({ sk }) => items.get(sk.S));
      const rest = keys.slice(60);
      return {
        Responses: { notifier: read },
        UnprocessedKeys: rest.length > 0 ? { notifier: { Keys: rest } } : {},
      };
    });
    expect(await store.readBuckets('acme', [...buckets, ...buckets])).toEqual([...rows, ...rows]);
    const sizes = dynamo
      .commandCalls(BatchGetItemCommand)
      .map(({ args }) => args[0].input.RequestItems?.notifier?.Keys?.length);
    expect(sizes.sort()).toEqual([100, 30, 40]);
    expect(waits).toEqual([25]);
  });

  test('buckets that cannot be read are an error, not empty', async () => {
    dynamo.on(BatchGetItemCommand).callsFake(({ RequestItems }) => ({ UnprocessedKeys: RequestItems }));
    await expect(store.readBuckets('acme', buckets)).rejects.toMatchObject({ code: 'store_throttled' });
  });

  test('chunks of a count that were not written are written again', async () => {
    const written = new Set<string>();
    dynamo.on(BatchWriteItemCommand).callsFake(({ RequestItems }) => {
      const requests: readonly object[] = RequestItems.notifier;
      for (const request of requests.slice(0, 1)) written.add(JSON.stringify(request));
      return requests.length > 1 ? { UnprocessedItems: { notifier: requests.slice(1) } } : {};
    });
    const hours = Array.from({ length: 40_000 }, (_, each) => [`10_${each}`, each] as const);
    await store.saveCount({ connection: 'acme', payPeriodId: '9_7', name: 'a' }, hours, NOON);
    expect(written.size).toBe(3);
  });
});

test('heads are read to the last page of the query', async () => {
  const heads = ['2026-03-05', '2026-03-06'].map((slice) => createHead({ ...SLICE, slice }));
  const [first, second] = heads.map((head) => [toHeadItem('acme', head)]);
  const LastEvaluatedKey = { pk: { S: 'a' }, sk: { S: 'b' } };
  dynamo
    .on(QueryCommand)
    .resolvesOnce({ Items: first ?? [], LastEvaluatedKey })
    .resolves({ Items: second ?? [] });
  expect(await store.loadHeads('acme')).toEqual(heads);
  expect(dynamo.commandCalls(QueryCommand)[1]?.args[0].input.ExclusiveStartKey).toEqual(LastEvaluatedKey);
});

async function commit(): Promise<void> {
  await store.commit(lease, EMPTY_COMMIT, { clock: NOON, until: NOON, expiresAt: NOON });
}

function cancelled(...codes: readonly string[]): TransactionCanceledException {
  return new TransactionCanceledException({
    ...metadata,
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}
