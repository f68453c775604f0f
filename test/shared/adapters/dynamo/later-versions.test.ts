import {
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAlertStore } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createDeliveryLedger } from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import { toJsonItem } from '#shared/adapters/dynamo/items.ts';
import { toDeliveryKey, toKeyAttributes, toStateKey } from '#shared/adapters/dynamo/keys.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { buildStateUpdate, readStateItem } from '#shared/adapters/dynamo/snapshot/state-items.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import { sampleAlert } from '#test/contracts/alert-store.ts';
import { freshFeed, NOON, sampleStateWrite } from '#test/contracts/snapshot-samples.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

const FEED = { connection: 'main', feed: 'timesheets' } as const;

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(() => dynamo.stop());

describe('a state with members that this version does not know', () => {
  const later = {
    ...EMPTY_FEED_STATE,
    revision: 4,
    lastRoundAt: 1,
    coverage: { '2026-03-05': { at: 1, revision: 1, pages: 3 } },
  };

  test('is read, and written back with them', () => {
    const { state } = readStateItem(stateItem(later));

    expect(state).toMatchObject({ revision: 4, coverage: later.coverage, lastRoundAt: 1 });
    expect(readStateItem(stateItem({ ...state, revision: 5 })).state).toEqual({ ...later, revision: 5 });
  });
});

describe('an alert of a type that a later version added', () => {
  test('waits, and delays no other', async () => {
    const alertStore = createAlertStore({
      ...tableOf(),
      destinations: new Map([['payroll', 'slack/payroll']]),
    });
    const known = [sampleAlert(), sampleAlert()];
    await alertStore.add('payroll', known, NOON);
    for (let index = 0; index < 5; index += 1) {
      const alert = { ...sampleAlert({ urgent: true }), type: 'workforce.employee.created' };
      const key = { partition: 'alerts#payroll', sort: `waiting#0#${index}#0#later-${index}` };
      await dynamo.client.send(
        new PutItemCommand({ TableName: dynamo.tableName, Item: toJsonItem(key, alert) }),
      );
    }

    expect((await alertStore.open('payroll', 2)).waiting).toEqual(known);
    await alertStore.seal('payroll', null, [
      { message: null, alertIds: known.map(({ id }) => id), ownedUntil: 1 },
    ]);
    const { sealed } = await alertStore.open('payroll', 2);
    for (const each of sealed) await alertStore.finish('payroll', each, { now: NOON, expiresAt: NOON });
    expect(await alertStore.open('payroll', 2)).toMatchObject({ waiting: [], sealed: [] });
  });
});

test('an outcome of a delivery that a later version added is read as `waiting`', async () => {
  const item = toJsonItem(toDeliveryKey('e-1', 'webhook/a'), {
    outcome: 'paused',
    at: 1,
    attempts: 0,
    detail: null,
  });
  await dynamo.client.send(new PutItemCommand({ TableName: dynamo.tableName, Item: item }));

  expect(await createDeliveryLedger(tableOf()).load('e-1', 'webhook/a')).toMatchObject({
    outcome: 'waiting',
  });
});

describe('the id of the table', () => {
  test('differs between tables', async () => {
    const other = await startEmbeddedDynamo();
    try {
      const [here, there] = [storeOver(dynamo.client), storeOver(other.client)];
      expect(await here.tableId()).toBe(await storeOver(dynamo.client).tableId());
      expect(await here.tableId()).not.toBe(await there.tableId());
    } finally {
      await other.stop();
    }
  });

  test('is read once, and again after the table was missing, because it may be a restored one', async () => {
    const client = new DynamoDBClient({});
    const mock = mockClient(client);
    mock.on(DescribeTableCommand).resolves({ Table: { TableId: 'first' } });
    const store = storeOver(client);
    expect([await store.tableId(), await store.tableId()]).toEqual(['first', 'first']);
    expect(mock.commandCalls(DescribeTableCommand)).toHaveLength(1);

    mock.onAnyCommand().rejects(new ResourceNotFoundException({ message: 'gone', $metadata: {} }));
    await expect(store.loadHeads(freshFeed(), '')).rejects.toMatchObject({ code: 'store_table_missing' });
    mock.on(DescribeTableCommand).resolves({ Table: { TableId: 'second' } });
    expect(await store.tableId()).toBe('second');
  });

  test('is null when it cannot be read', async () => {
    const client = new DynamoDBClient({});
    const mock = mockClient(client);
    mock.on(DescribeTableCommand).rejects(new Error('no way'));
    const store = storeOver(client);
    expect(await store.tableId()).toBeNull();

    mock.on(DescribeTableCommand).resolves({ Table: { TableId: 'first' } });
    expect(await store.tableId()).toBe('first');
  });
});

/** A state as the table holds it. */
function stateItem(state: FeedState) {
  const { ExpressionAttributeValues: values = {} } = buildStateUpdate(
    sampleStateWrite(FEED, 1, { state }),
    null,
  );
  const attributes = Object.entries(values).map(([name, value]) => [name.slice(1), value]);
  return { ...toKeyAttributes(toStateKey(FEED)), ...Object.fromEntries(attributes) };
}

function tableOf() {
  return { client: dynamo.client, tableName: dynamo.tableName, sleep: async () => {}, random: () => 0 };
}

function storeOver(client: DynamoDBClient) {
  return createDynamoSnapshotStore({ ...tableOf(), client });
}
