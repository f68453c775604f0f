import {
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAlertStore, createRevertedHours } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createDeliveryLedger } from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import type { Capacity } from '#shared/adapters/dynamo/table.ts';
import { CONTRACT_CHANNELS, describeAlertStore, sampleAlert } from '#test/contracts/alert-store.ts';

import { NOON } from '#test/contracts/store-samples.ts';
import { crashAtEveryCall, crashable } from '#test/support/crashable.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

const expiresAt = NOON + 1_500;
const destinations = new Map(
  [...CONTRACT_CHANNELS, 'costs', 'races', 'old'].map((channel) => [channel, `slack/${channel}`]),
);

let dynamo: EmbeddedDynamo;
const spent: Capacity[] = [];
const options = () => ({
  ...dynamo,
  sleep: async () => {},
  random: () => 0,
  onCapacity: (capacity: Capacity) => spent.push(capacity),
  destinations,
});

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(async () => {
  await dynamo.stop();
});

describeAlertStore('DynamoDB', async () => ({
  alertStore: createAlertStore(options()),
  ledger: createDeliveryLedger(options()),
}));

test('hours of a reversal are known by the id of its event', async () => {
  const hours = createRevertedHours(options());
  await hours.save('f'.repeat(32), { hours: 7.25, isExact: true }, expiresAt);
  expect(await hours.load('f'.repeat(32))).toEqual({ hours: 7.25, isExact: true });
  expect(await hours.load('e'.repeat(32))).toBeNull();
});

test('a waiting alert expires, because its channel may be removed from the config', async () => {
  const alert = sampleAlert({ id: 'f00', at: 5, urgent: true });
  await createAlertStore(options()).add('old', [alert], expiresAt);

  const { Items } = await dynamo.client.send(
    new QueryCommand({
      TableName: dynamo.tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: 'alerts#old' } },
    }),
  );

  expect(Items).toEqual([
    {
      pk: { S: 'alerts#old' },
      sk: { S: 'waiting#0#000000000000005#000000000#f00' },
      f: { N: '1' },
      d: { S: JSON.stringify(alert) },
      expiresAt: { N: String((NOON + 2_000) / 1000) },
    },
  ]);
});

test('opening an empty channel costs three small reads', async () => {
  spent.length = 0;

  await createAlertStore(options()).open('costs', 2_000);

  expect(spent.map(({ operation, kind, units }) => `${operation} ${kind} ${units}`)).toEqual([
    'openChannel read 1',
    'openChannel read 1',
    'openChannel read 1',
  ]);
});

test('a channel that the config does not name is an error', async () => {
  await expect(async () => createAlertStore(options()).add('nobody', [], expiresAt)).rejects.toMatchObject({
    code: 'channel_unknown',
    message: 'there is no channel "nobody"; name it in people.channels',
  });
});

test('after a crash at any request, its alerts are in one message until that is finished', async () => {
  const channels = [...Array(40).keys()].map((index) => `crashing-${index}`);
  const target = new Map(channels.map((channel) => [channel, `slack/${channel}`]));
  const crashes = await crashAtEveryCall(async (plan) => {
    const channel = channels.pop() ?? '';
    const alerts = Array.from({ length: 30 }, () => sampleAlert());
    const ids = alerts.map(({ id }) => id);
    const sealed = { message: null, alertIds: ids, ownedUntil: NOON };
    const work = async (client: DynamoDBClient) => {
      const alertStore = createAlertStore({ ...options(), client, destinations: target });
      await alertStore.add(channel, alerts.slice(0, 2), expiresAt);
      const { revision, waiting } = await alertStore.open(channel, 100);
      if (waiting.length > 0) await alertStore.seal(channel, revision, [sealed]);
      await alertStore.finish(channel, sealed, { now: NOON, expiresAt });
    };
    await createAlertStore({ ...options(), destinations: target }).add(channel, alerts.slice(2), expiresAt);

    await work(crashable(dynamo.client, plan)).catch(() => {});
    await work(dynamo.client);

    const alertStore = createAlertStore({ ...options(), destinations: target });
    expect(await alertStore.open(channel, 100)).toEqual({ revision: 1, waiting: [], sealed: [] });
    expect(await alertStore.add(channel, alerts, expiresAt)).toBe(0);
    return plan.crashed;
  });
  expect(crashes).toBeGreaterThanOrEqual(24);
});

describe('two runs that add an alert at the same time', () => {
  const client = new DynamoDBClient({ region: 'local' });
  const mock = mockClient(client);
  const contested = () => createAlertStore({ ...options(), client });
  const inTheWay = new TransactionCanceledException({
    $metadata: {},
    message: 'cancelled',
    CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
  });

  beforeEach(() => {
    mock.reset();
  });

  test('can both be refused: the alert is added again until its mark exists', async () => {
    mock.on(GetItemCommand).resolves({});
    mock.on(TransactWriteItemsCommand).rejectsOnce(inTheWay).rejectsOnce(inTheWay).resolves({});

    expect(await contested().add('races', [sampleAlert()], expiresAt)).toBe(1);
  });

  test('do not hold each other up for ever: the alert comes back later', async () => {
    mock.on(GetItemCommand).resolves({});
    mock.on(TransactWriteItemsCommand).rejects(inTheWay);

    await expect(contested().add('races', [sampleAlert()], expiresAt)).rejects.toMatchObject({
      code: 'store_contended',
      retryable: true,
    });
    expect(mock.commandCalls(TransactWriteItemsCommand)).toHaveLength(5);
  });
});
