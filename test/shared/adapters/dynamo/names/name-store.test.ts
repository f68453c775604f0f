import {
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBClient,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createNameStore } from '#shared/adapters/dynamo/names/name-store.ts';
import type { Capacity, TableOptions } from '#shared/adapters/dynamo/table.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { DAY_MS, describeNameStore, freshConnection, MORNING, people } from '#test/contracts/name-store.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

let dynamo: EmbeddedDynamo;
const spent: Capacity[] = [];
let now = MORNING;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(async () => {
  await dynamo.stop();
});

beforeEach(() => {
  spent.length = 0;
  now = MORNING;
});

describeNameStore('DynamoDB', async (clock) => createNameStore({ ...storeOptions(), now: clock }));

describe('what is stored', () => {
  test('is below 300 KB per item, also when names do not compress', async () => {
    const connection = freshConnection();
    const names = new Map([...people(12_000, '')].map(([id]) => [id, noise(Number.parseInt(id, 10))]));

    await makeStore().save(connection, 'employees', names);

    const sizes = (await itemsOf(connection)).map(({ d }) => d?.B?.length ?? 0);
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThan(300_000);
    expect((await makeStore().load(connection, ['employees'])).employees).toEqual(names);
  });

  test('is one generation of chunks and the pointer to it', async () => {
    const connection = freshConnection();
    const store = makeStore();
    for (const name of ['Ana', 'Bo', 'Cy']) await store.save(connection, 'employees', people(20_000, name));
    await store.save(connection, 'departments', people(2, 'Department'));

    const sorts = (await itemsOf(connection)).map(({ sk }) => sk?.S ?? '');

    expect(sorts.map((sort) => sort.replace(/[0-9a-f]{16}/, 'hash'))).toEqual([
      'departments',
      'departments#1-hash#0',
      'employees',
      'employees#3-hash#0',
      'employees#3-hash#1',
    ]);
  });

  test('is not written again when nothing changed', async () => {
    const connection = freshConnection();
    await makeStore().save(connection, 'employees', people(500, 'Ana'));
    const before = await itemsOf(connection);
    spent.length = 0;

    await makeStore().save(connection, 'employees', new Map([...people(500, 'Ana')].reverse()));

    expect(await itemsOf(connection)).toEqual(before);
    expect(spent.filter(({ kind }) => kind === 'write')).toEqual([]);
  });

  test('expires, the pointer before the chunks', async () => {
    const connection = freshConnection();
    await makeStore().save(connection, 'employees', people(20, 'Ana'));

    expect((await itemsOf(connection)).map(({ sk, expiresAt }) => [sk?.S, daysUntil(expiresAt)])).toEqual([
      ['employees', 14],
      [expect.stringMatching(/^employees#.*#0$/), 15],
    ]);
  });

  test('is written on one day in five while nothing changes, and leaves no old chunks', async () => {
    const connection = freshConnection();
    const written: number[] = [];
    for (let day = 0; day < 20; day += 1) {
      spent.length = 0;
      await makeStore().save(connection, 'employees', people(500, 'Ana'));
      if (spent.some(({ kind }) => kind === 'write')) written.push(day);
      now += DAY_MS;
    }

    expect(written).toEqual([0, 5, 10, 15]);
    expect(await itemsOf(connection)).toHaveLength(2);
  });

  test('loses the chunks of an interrupted writer with the next save', async () => {
    const connection = freshConnection();
    const store = makeStore();
    await store.save(connection, 'employees', people(5, 'Ana'));
    await expect(brokenStore().save(connection, 'employees', people(5, 'Lost'))).rejects.toThrow(
      /does not answer/,
    );
    expect(await itemsOf(connection)).toHaveLength(3);
    expect((await makeStore().load(connection, ['employees'])).employees).toEqual(people(5, 'Ana'));

    await store.save(connection, 'employees', people(5, 'Bo'));

    expect(await itemsOf(connection)).toHaveLength(2);
    expect((await store.load(connection, ['employees'])).employees).toEqual(people(5, 'Bo'));
  });
});

describe('what is read', () => {
  test('is cached: the next load costs one small read', async () => {
    const connection = freshConnection();
    await makeStore().save(connection, 'employees', people(50_000, 'Ana'));
    const store = makeStore();
    const first = await store.load(connection, ['employees']);
    spent.length = 0;

    const again = await store.load(connection, ['employees']);

    expect(again.employees).toBe(first.employees);
    expect(spent).toEqual([{ operation: 'loadDirectory', kind: 'read', units: 1 }]);
  });

  test('is read again after another save', async () => {
    const connection = freshConnection();
    const [store, other] = [makeStore(), makeStore()];
    await store.save(connection, 'employees', people(2, 'Ana'));
    await store.load(connection, ['employees']);

    await other.save(connection, 'employees', people(2, 'Bo'));

    expect((await store.load(connection, ['employees'])).employees).toEqual(people(2, 'Bo'));
  });

  test('is read again when names are replaced during the load', async () => {
    const connection = freshConnection();
    await makeStore().save(connection, 'employees', people(2, 'Ana'));
    let replaced = 0;
    const store = interruptedStore(async () => {
      replaced += 1;
      if (replaced === 2) await makeStore().save(connection, 'employees', people(2, 'Bo'));
    });

    expect((await store.load(connection, ['employees'])).employees).toEqual(people(2, 'Bo'));
    expect(replaced).toBe(4);
  });

  test('is nothing, for one small read, when DynamoDB deleted the chunks before the pointer', async () => {
    const connection = freshConnection();
    await makeStore().save(connection, 'employees', people(2, 'Ana'));
    await deleteChunks(connection);
    now += 16 * DAY_MS;
    spent.length = 0;

    expect(await makeStore().load(connection, ['employees'])).toEqual(NO_NAMES);
    expect(spent).toEqual([{ operation: 'loadDirectory', kind: 'read', units: 1 }]);

    await makeStore().save(connection, 'employees', people(2, 'Ana'));

    expect((await makeStore().load(connection, ['employees'])).employees).toEqual(people(2, 'Ana'));
  });

  test('is nothing of a kind of which chunks were deleted by hand', async () => {
    const connection = freshConnection();
    await makeStore().save(connection, 'employees', people(2, 'Ana'));
    await makeStore().save(connection, 'activities', people(2, 'Activity'));
    await deleteChunks(connection);

    expect(await makeStore().load(connection, ['employees', 'activities'])).toEqual({
      ...NO_NAMES,
      activities: people(2, 'Activity'),
    });
  });
});

function makeStore(client: DynamoDBClient = dynamo.client) {
  return createNameStore({ ...storeOptions(client), now: () => now });
}

function storeOptions(client: DynamoDBClient = dynamo.client): TableOptions {
  return {
    client,
    tableName: dynamo.tableName,
    sleep: async () => {},
    random: () => 0,
    onCapacity: (capacity) => spent.push(capacity),
  };
}

/** A store that loses its connection before names become current. */
function brokenStore() {
  return interruptedStore(async (command) => {
    if (command.constructor.name === 'PutItemCommand') throw new Error('connection lost');
  });
}

/** A store that waits for `before` before each of its requests. */
function interruptedStore(before: (command: object) => Promise<void>) {
  const client = new DynamoDBClient({ region: 'local' });
  mockClient(client).send.callsFake(async (command) => {
    await before(command);
    return await dynamo.client.send(command);
  });
  return makeStore(client);
}

async function itemsOf(connection: string): Promise<Record<string, AttributeValue>[]> {
  const { Items = [] } = await dynamo.client.send(
    new QueryCommand({
      TableName: dynamo.tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: `${connection}#directory` } },
    }),
  );
  return Items;
}

async function deleteChunks(connection: string): Promise<void> {
  for (const { pk, sk } of await itemsOf(connection)) {
    if (pk === undefined || !sk?.S?.startsWith('employees#')) continue;
    await dynamo.client.send(new DeleteItemCommand({ TableName: dynamo.tableName, Key: { pk, sk } }));
  }
}

function daysUntil(expiresAt: AttributeValue | undefined): number {
  return (Number(expiresAt?.N) * 1000 - now) / DAY_MS;
}

/** 80 characters without a pattern, other ones for each seed. */
function noise(seed: number): string {
  let state = seed + 1;
  return Array.from({ length: 80 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return String.fromCodePoint(0x4e00 + ((state >>> 8) % 20_000));
  }).join('');
}
