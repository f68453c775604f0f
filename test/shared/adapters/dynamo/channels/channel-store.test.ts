import {
  DynamoDBClient,
  GetItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createChannelStore } from '#shared/adapters/dynamo/channels/channel-store.ts';
import { createDeliveryStore } from '#shared/adapters/dynamo/deliveries/delivery-store.ts';
import type { Capacity } from '#shared/adapters/dynamo/table.ts';
import { CONTRACT_CHANNELS, describeChannelStore, sampleEvent } from '#test/contracts/channel-store.ts';

import { NOON } from '#test/contracts/store-samples.ts';
import { crashAtEveryCall, crashable } from '#test/support/crashable.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { mockClient } from '#test/support/mock-client.ts';

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

describeChannelStore('DynamoDB', async () => ({
  channelStore: createChannelStore(options()),
  deliveryStore: createDeliveryStore(options()),
}));

test('a waiting event expires, because its channel may be removed from the config', async () => {
  const event = sampleEvent({ id: 'f00', at: 5, urgent: true });
  await createChannelStore(options()).add('old', [event], expiresAt);
  const Key = { pk: { S: 'alerts#old' }, sk: { S: 'waiting#0#000000000000005#f00' } };
  const { Item } = await dynamo.client.send(new GetItemCommand({ TableName: dynamo.tableName, Key }));
  const expiry = { N: String((NOON + 2_000) / 1000) };
  expect(Item).toEqual({ ...Key, f: { N: '1' }, d: { S: JSON.stringify(event) }, expiresAt: expiry });
});

test('opening an empty channel costs three small reads', async () => {
  spent.length = 0;

  await createChannelStore(options()).open('costs', 2_000);

  const units = spent.map(({ operation, kind, units: spentUnits }) => `${operation} ${kind} ${spentUnits}`);
  expect(units).toEqual(Array(3).fill('openChannel read 1'));
});

test('a channel that the config does not name is an error', async () => {
  await expect(async () => createChannelStore(options()).add('nobody', [], expiresAt)).rejects.toMatchObject({
    code: 'channel_unknown',
    message: 'there is no channel "nobody"; name it in people.channels',
  });
});

test('after a crash at any request, its events are in one message until that is finished', async () => {
  const channels = [...Array(40).keys()].map((index) => `crashing-${index}`);
  const target = new Map(channels.map((channel) => [channel, `slack/${channel}`]));
  const crashes = await crashAtEveryCall(async (plan) => {
    const channel = channels.pop() ?? '';
    const events = Array.from({ length: 30 }, () => sampleEvent());
    const ids = events.map(({ id }) => id);
    const sealed = { message: null, eventIds: ids, ownedUntil: NOON };
    const work = async (client: DynamoDBClient) => {
      const channelStore = createChannelStore({ ...options(), client, destinations: target });
      await channelStore.add(channel, events.slice(0, 2), expiresAt);
      const { revision, waiting } = await channelStore.open(channel, 100);
      if (waiting.length > 0) await channelStore.seal(channel, revision, [sealed]);
      await channelStore.finish(channel, sealed, { now: NOON, expiresAt });
    };
    await createChannelStore({ ...options(), destinations: target }).add(channel, events.slice(2), expiresAt);

    await work(crashable(dynamo.client, plan)).catch(() => {});
    await work(dynamo.client);

    const channelStore = createChannelStore({ ...options(), destinations: target });
    expect(await channelStore.open(channel, 100)).toEqual({ revision: 1, waiting: [], sealed: [] });
    expect(await channelStore.add(channel, events, expiresAt)).toBe(0);
    return plan.crashed;
  });
  expect(crashes).toBeGreaterThanOrEqual(24);
});

describe('two runs that add an event at the same time', () => {
  const client = new DynamoDBClient({ region: 'local' });
  const mock = mockClient(client);
  const contested = () => createChannelStore({ ...options(), client });
  const inTheWay = new TransactionCanceledException({
    $metadata: {},
    message: 'cancelled',
    CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
  });

  beforeEach(() => {
    mock.reset();
  });

  test('can both be refused: the event is added again until its mark exists', async () => {
    mock.on(GetItemCommand).resolves({});
    mock.on(TransactWriteItemsCommand).rejectsOnce(inTheWay).rejectsOnce(inTheWay).resolves({});

    expect(await contested().add('races', [sampleEvent()], expiresAt)).toBe(1);
  });

  test('do not hold each other up for ever: the event comes back later', async () => {
    mock.on(GetItemCommand).resolves({});
    mock.on(TransactWriteItemsCommand).rejects(inTheWay);

    await expect(contested().add('races', [sampleEvent()], expiresAt)).rejects.toMatchObject({
      code: 'store_contended',
      retryable: true,
    });
    expect(mock.commandCalls(TransactWriteItemsCommand)).toHaveLength(5);
  });
});
