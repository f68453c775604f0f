import { randomBytes } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measureItem } from '#shared/adapters/dynamo/item-size.ts';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import type { Capacity, TableOptions } from '#shared/adapters/dynamo/table.ts';
import { TABLE } from '#shared/config/table.ts';
import type { Commit, Lease, Store } from '#shared/flow/poll/ports.ts';
import { describePeriodStore } from '#test/contracts/period-store.ts';
import { describeStore } from '#test/contracts/store.ts';
import { calmState, EMPTY_COMMIT, fullHead, hostileRow, NOON, SLICE } from '#test/contracts/store-samples.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

const TIME = { clock: NOON, until: NOON + 90_000, expiresAt: NOON + 86_400_000 };

let dynamo: EmbeddedDynamo;
let store: Store;
const spent: Capacity[] = [];

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  store = open({ onCapacity: (capacity) => spent.push(capacity) });
});

afterAll(async () => {
  await dynamo.stop();
});

describeStore('DynamoDB', async () => open());
describePeriodStore('DynamoDB', async () => open());

describe('units', () => {
  test('a state with 60 dates stays below 1 KB, as a commit pays for it twice', async () => {
    const lease = await begin('calm');
    const { token, clock, ...members } = calmState(NOON);
    await store.giveBack(lease, members);
    expect(await store.loadState('calm')).toMatchObject(members);
    expect(measureItem(await itemOf('calm#state', 'state'))).toBeLessThan(1_000);
    spent.length = 0;
    await store.commit(lease, EMPTY_COMMIT, TIME);
    expect(spent).toEqual([{ operation: 'commit', kind: 'write', units: 2 }]);
  });

  test('a poll without news is an update, a query and an update; a lone event two units for each of four items', async () => {
    const rows = Array.from({ length: 64 }, (_, each) => hostileRow(`${each}_1`));
    const write = commitOf({
      heads: [fullHead(SLICE, NOON, 16)],
      buckets: [{ ...SLICE, from: 0, rows }],
      log: [{ topic: 'timesheets', texts: ['{}'] }],
    });
    await store.giveBack(await begin('units'), { topics: {} });
    spent.length = 0;
    const lease = await begin('units');
    await store.loadHeads('units');
    await store.giveBack(lease, { topics: {} });
    const costs = spent.map(({ operation, units }) => `${operation} ${units}`);
    expect(costs).toEqual(['takeLease 1', 'loadHeads 1', 'giveBack 1']);
    spent.length = 0;
    await store.commit(lease, write, TIME);
    expect(spent).toEqual([{ operation: 'commit', kind: 'write', units: 8 }]);
  });

  test('the heads of 700,000 records on 14 dates cost at most 40 read units', async () => {
    const lease = await begin('large');
    const slices = Array.from({ length: 14 }, (_, day) => ({ ...SLICE, slice: `2026-03-${10 + day}` }));
    const heads = slices.map((slice) => ({ ...fullHead(slice, NOON, 800), doubt: null }));
    await store.commit(lease, commitOf({ heads }), TIME);
    spent.length = 0;
    expect(await store.loadHeads('large')).toHaveLength(14);
    expect(spent.reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(40);
  });
});

test('events that do not fit an item are split over several, in their order, up to the last key', async () => {
  const lease = await begin('split');
  const texts = Array.from({ length: 12 }, (_, index) =>
    JSON.stringify({ index, noise: randomBytes(70_000).toString('base64') }),
  );
  const log = [
    { topic: 'timesheets', texts },
    { topic: 'operations', texts: ['{}'] },
  ] as const;
  const [last, next] = await store.commit(lease, commitOf({ log: [...log] }), TIME);
  const items = await Array.fromAsync(store.readLog('split', '', 'timesheets'));
  expect(items.length).toBeGreaterThan(2);
  expect(items.flatMap((item) => item.texts)).toEqual(texts);
  expect(items.at(-1)?.key).toBe(last);
  expect((next ?? '') > (last ?? '')).toBe(true);
  const state = await store.loadState('split');
  expect(state?.topics.timesheets?.logged).toBe(last);
  const item = await itemOf('split#log', last ?? '');
  expect(item[TABLE.timeToLive]).toEqual({ N: String(TIME.expiresAt / 1_000) });
});

test.each([
  ['too many bytes', 10, 300_000],
  ['too large an item', 1, 420_000],
])('%s for a transaction are refused before they are sent', async (_name, buckets, bytes) => {
  const lease = await begin(`bytes-${buckets}`);
  const noise = () => JSON.stringify([randomBytes(bytes).toString('base64')]);
  const write = commitOf({
    buckets: Array.from({ length: buckets * 2 }, (_, from) => ({
      ...{ ...SLICE, from },
      rows: [{ ...hostileRow('1_1'), text: noise() }],
    })),
  });
  await expect(store.commit(lease, write, TIME)).rejects.toMatchObject({
    code: 'store_transaction_too_large',
    message: expect.stringContaining('DynamoDB takes 100 items'),
  });
});

test('an empty bucket and an empty member are no item and no attribute', async () => {
  const lease = await begin('empty');
  const buckets = [{ ...SLICE, from: 0, rows: [] }];
  await store.commit(lease, commitOf({ buckets, state: { failing: {}, troubles: [], pace: null } }), TIME);
  expect(await itemOf('empty#timesheets#2026-03-05', '00000000')).toEqual({});
  expect(Object.keys(await itemOf('empty#state', 'state')).sort()).toEqual(['c', 'e', 'f', 'k', 'pk', 'sk']);
});

test('bytes that would fill all memory are not read', async () => {
  const lease = await begin('bomb');
  await store.commit(lease, commitOf({ buckets: [{ ...SLICE, from: 0, rows: [hostileRow('1_1')] }] }), TIME);
  const bytes = zstdCompressSync(Buffer.alloc(65 * 1024 * 1024));
  await put({ ...(await itemOf('bomb#timesheets#2026-03-05', '00000000')), d: { B: bytes } });
  const error = { code: 'store_item_unreadable', cause: { code: 'ERR_BUFFER_TOO_LARGE' } };
  await expect(store.readBuckets('bomb', [{ ...SLICE, from: 0 }])).rejects.toMatchObject(error);
});

test('the id of the table is read once', async () => {
  spent.length = 0;
  const id = await store.tableId();
  expect(id).toMatch(/\S/);
  expect(await store.tableId()).toBe(id);
  const nowhere = open({ tableName: 'elsewhere' });
  expect(await nowhere.tableId()).toBeNull();
});

function open(options: Partial<TableOptions> = {}): Store {
  return createDynamoStore({ ...dynamo, sleep: async () => {}, random: () => 0, ...options });
}

async function begin(connection: string): Promise<Lease> {
  const state = await store.takeLease(connection, TIME.until, NOON);
  return { connection, token: state?.token ?? 0 };
}

function commitOf(parts: Partial<Commit>): Commit {
  return { ...EMPTY_COMMIT, ...parts };
}

type Item = Awaited<ReturnType<typeof itemOf>>;

async function itemOf(partition: string, sort: string) {
  const Key = { [TABLE.partitionKey]: { S: partition }, [TABLE.sortKey]: { S: sort } };
  const { Item = {} } = await dynamo.client.send(new GetItemCommand({ TableName: dynamo.tableName, Key }));
  return Item;
}

async function put(Item: Item): Promise<void> {
  await dynamo.client.send(new PutItemCommand({ TableName: dynamo.tableName, Item }));
}
