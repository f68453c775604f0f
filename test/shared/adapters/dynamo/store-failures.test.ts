import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  IdempotentParameterMismatchException,
  QueryCommand,
  ResourceNotFoundException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Item } from '#shared/adapters/dynamo/attributes.ts';
import { toLeafItem } from '#shared/adapters/dynamo/snapshot/leaf-items.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import {
  creation,
  sampleBatch,
  sampleDigests,
  sampleHead,
  sampleLeaf,
  sampleStateWrite,
  sampleStep,
} from '#test/contracts/snapshot-samples.ts';
import { mockClient } from '#test/support/mock-client.ts';

const dynamo = mockClient(DynamoDBClient);
const feed: FeedKey = { connection: 'acme', feed: 'timesheets' };
const metadata = { $metadata: {}, message: 'refused' };
const waits: number[] = [];

let store: SnapshotStore;

beforeEach(() => {
  dynamo.reset();
  waits.length = 0;
  store = createDynamoSnapshotStore({
    client: new DynamoDBClient({ region: 'local' }),
    tableName: 'notifier',
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
    },
    random: () => 0.5,
  });
});

describe('a cancelled transaction', () => {
  test.each([
    ['a condition that does not hold', ['ConditionalCheckFailed', 'None']],
    ['a concurrent transaction on an item', ['None', 'TransactionConflict']],
    ['both a condition and throttling', ['ThrottlingError', 'ConditionalCheckFailed']],
  ])('for %s is a conflict, at once', async (_name, codes) => {
    dynamo.on(TransactWriteItemsCommand).rejects(cancelled(codes));

    expect(await commit()).toBe('conflict');
    expect(waits).toEqual([]);
  });

  test.each(['ThrottlingError', 'ProvisionedThroughputExceeded'])(
    'for %s is tried again with the same token',
    async (code) => {
      dynamo
        .on(TransactWriteItemsCommand)
        .rejectsOnce(cancelled([code, 'None']))
        .rejectsOnce(cancelled(['None', code]))
        .resolves({});

      expect(await commit()).toBe('committed');
      expect(waits).toEqual([25, 50]);
      const tokens = dynamo
        .commandCalls(TransactWriteItemsCommand)
        .map(({ args }) => args[0].input.ClientRequestToken);
      expect(new Set(tokens).size).toBe(1);
    },
  );

  test('that stays throttled is a retryable error', async () => {
    dynamo.on(TransactWriteItemsCommand).rejects(cancelled(['ThrottlingError']));

    await expect(commit()).rejects.toMatchObject({ code: 'store_throttled', retryable: true });
    expect(waits).toEqual([25, 50, 100, 200, 400, 800, 1000]);
  });

  test('for any other reason is an error with that reason, and not retryable', async () => {
    dynamo.on(TransactWriteItemsCommand).rejects(cancelled(['None', 'ItemCollectionSizeLimitExceeded']));

    await expect(commit()).rejects.toMatchObject({
      code: 'store_rejected',
      retryable: false,
      message: expect.stringContaining('table "notifier" (TransactionCanceledException: ItemCollection'),
    });
  });
});

describe('a commit whose token was used', () => {
  test('and still in progress is waited for', async () => {
    dynamo
      .on(TransactWriteItemsCommand)
      .rejectsOnce(new TransactionInProgressException(metadata))
      .resolves({});

    expect(await commit()).toBe('committed');
    expect(waits).toEqual([25]);
  });

  test('from another write is a conflict: that revision exists', async () => {
    dynamo.on(TransactWriteItemsCommand).rejects(new IdempotentParameterMismatchException(metadata));

    expect(await commit()).toBe('conflict');
  });
});

describe('an error for a person to fix', () => {
  test('a table that does not exist', async () => {
    dynamo.on(GetItemCommand).rejects(new ResourceNotFoundException(metadata));

    await expect(store.loadFeedState(feed)).rejects.toMatchObject({
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

    await expect(store.loadHeads(feed, '')).rejects.toMatchObject({
      code: 'store_rejected',
      message: `DynamoDB rejected a request to table "notifier" (${name}); ${mend}`,
    });
  });
});

test('a table that does not answer is a retryable error', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { name: 'TimeoutError' });
  dynamo.on(GetItemCommand).rejects(cause);

  await expect(store.loadFeedState(feed)).rejects.toMatchObject({
    code: 'store_unreachable',
    retryable: true,
    cause,
  });
});

describe('state of a feed', () => {
  test('a concurrent transaction is a conflict', async () => {
    dynamo.on(UpdateItemCommand).rejects(new TransactionConflictException(metadata));

    expect(await store.saveFeedState(sampleStateWrite(feed, 2))).toBe('conflict');
  });

  test('a throttled write is retried', async () => {
    const throttling = new DynamoDBServiceException({
      name: 'ThrottlingException',
      $fault: 'client',
      $metadata: {},
    });
    dynamo.on(UpdateItemCommand).rejectsOnce(throttling).resolves({});

    expect(await store.saveFeedState(sampleStateWrite(feed, 2))).toBe('committed');
    expect(waits).toEqual([25]);
  });
});

describe('outbox', () => {
  const entry = { slice: '2026-03-05', pointer: 'a/1' };

  test('waits for a concurrent transaction: otherwise the events would be published again', async () => {
    dynamo.on(UpdateItemCommand).rejectsOnce(new TransactionConflictException(metadata)).resolves({});

    await store.clearOutbox(feed, [entry]);
    expect(dynamo.commandCalls(UpdateItemCommand)).toHaveLength(2);
  });

  test('ignores items that do not exist', async () => {
    dynamo.on(UpdateItemCommand).rejects(new ConditionalCheckFailedException(metadata));

    await store.clearOutbox(feed, [entry, { slice: null, pointer: 'b/1' }]);
    expect(dynamo.commandCalls(UpdateItemCommand)).toHaveLength(2);
  });
});

describe('batches', () => {
  const leaves = Array.from({ length: 130 }, (_, index) => sampleLeaf({ index }));

  test('leaves that were not read are read again, 100 at a time', async () => {
    dynamo.on(BatchGetItemCommand).callsFake(({ RequestItems }) => {
      const { Keys } = RequestItems.notifier;
      const read = Keys.slice(0, 60).map(({ sk }: Item) => itemOf(Number(sk?.S?.split('#')[1])));
      return {
        Responses: { notifier: read },
        UnprocessedKeys: Keys.length > 60 ? { notifier: { Keys: Keys.slice(60) } } : {},
      };
    });

    expect(await store.readLeaves(feed, [...leaves, ...leaves])).toEqual([...leaves, ...leaves]);
    const sizes = dynamo
      .commandCalls(BatchGetItemCommand)
      .map(({ args }) => args[0].input.RequestItems?.notifier?.Keys?.length);
    expect(sizes.sort()).toEqual([100, 30, 40]);
    expect(waits).toEqual([25]);
  });

  test('leaves that cannot be read are an error, not empty leaves', async () => {
    dynamo.on(BatchGetItemCommand).callsFake(({ RequestItems }) => ({ UnprocessedKeys: RequestItems }));

    await expect(store.readLeaves(feed, leaves)).rejects.toMatchObject({ code: 'store_throttled' });
  });

  test.each(['writeGeneration', 'deleteLeaves'] as const)(
    '%s retries what was not written, 25 at a time',
    async (method) => {
      const done = new Map<string, number>();
      dynamo.on(BatchWriteItemCommand).callsFake(({ RequestItems }) => {
        const requests = RequestItems.notifier;
        for (const request of requests.slice(0, 20)) done.set(JSON.stringify(request), 1);
        return requests.length > 20 ? { UnprocessedItems: { notifier: requests.slice(20) } } : {};
      });

      await store[method](feed, leaves);

      expect(done.size).toBe(130);
      expect(dynamo.commandCalls(BatchWriteItemCommand)).toHaveLength(6 + 5);
    },
  );

  function itemOf(index: number): Item {
    return toLeafItem(feed, sampleLeaf({ index }));
  }
});

describe('heads', () => {
  test('are read to the last page of the query', async () => {
    const write = await written(creation());
    const second = await written(creation({ slice: '2026-03-06' }));
    dynamo
      .on(QueryCommand)
      .resolvesOnce({ Items: write, LastEvaluatedKey: { pk: { S: 'a' }, sk: { S: 'b' } } })
      .resolves({ Items: second });

    const heads = await store.loadHeads(feed, '2026-03-05');

    expect(heads.map(({ slice }) => slice)).toEqual(['2026-03-05', '2026-03-06']);
    expect(dynamo.commandCalls(QueryCommand)[1]?.args[0].input.ExclusiveStartKey).toEqual({
      pk: { S: 'a' },
      sk: { S: 'b' },
    });
  });

  test('whose pages are of another revision are read again', async () => {
    const before = await written(creation({ leafCount: 200 }));
    const after = await written(creation({ leafCount: 200, revision: 2, digests: sampleDigests(200, 9) }));
    const [, firstPage, secondPage] = before;
    const torn = [after[0], firstPage, secondPage].filter((item) => item !== undefined);
    dynamo.on(QueryCommand).resolvesOnce({ Items: torn }).resolves({ Items: after });

    expect(await store.loadHeads(feed, '2026-03-05')).toEqual([
      sampleHead({ leafCount: 200, revision: 2, digests: sampleDigests(200, 9) }),
    ]);
  });

  test.each([
    ['of another revision', 3],
    ['missing', 2],
  ])('whose pages stay %s are an error: mixed digests would hide changes', async (_name, count) => {
    const before = await written(creation({ leafCount: 200 }));
    const after = await written(creation({ leafCount: 200, revision: 2, digests: sampleDigests(200, 9) }));
    const torn = [...after.slice(0, 1), ...before.slice(1, count)];
    dynamo.on(QueryCommand).resolves({ Items: torn });

    await expect(store.loadHeads(feed, '2026-03-05')).rejects.toMatchObject({
      code: 'store_head_torn',
      retryable: true,
    });
  });

  test('of another shape are an error that names the item and not its contents', async () => {
    const [item] = await written(creation());
    dynamo.on(QueryCommand).resolves({ Items: [{ ...item, r: { S: 'secret' } }] });

    await expect(store.loadHeads(feed, '')).rejects.toMatchObject({
      code: 'store_item_unreadable',
      message: expect.stringMatching(/^item acme#timesheets#heads \/ 2026-03-05 (?!.*secret)/),
    });
  });

  /** The items that a write of a head creates. */
  async function written(write: ReturnType<typeof creation>): Promise<Item[]> {
    dynamo.on(TransactWriteItemsCommand).resolves({});
    await store.commit(sampleStep(feed, [write]));
    const calls = dynamo.commandCalls(TransactWriteItemsCommand);
    const items = calls.at(-1)?.args[0].input.TransactItems ?? [];
    return items.map(({ Update, Put }) => {
      if (Put?.Item !== undefined) return Put.Item;
      const values = Object.entries(Update?.ExpressionAttributeValues ?? {});
      return { ...Update?.Key, ...Object.fromEntries(values.map(([name, value]) => [name.slice(1), value])) };
    });
  }
});

async function commit() {
  const events = sampleBatch(['{}']);
  return await store.commit(sampleStep(feed, [creation()], { leaves: [sampleLeaf()], events }));
}

function cancelled(codes: readonly string[]): TransactionCanceledException {
  return new TransactionCanceledException({
    ...metadata,
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}
