import {
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAlertStore } from '#shared/adapters/dynamo/alerts/alert-store.ts';
import { createDeliveryLedger } from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import type { Capacity } from '#shared/adapters/dynamo/table.ts';
import { CONTRACT_CHANNELS, describeAlertStore, sampleAlert } from '#test/contracts/alert-store.ts';
import { NOON } from '#test/contracts/snapshot-samples.ts';
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
  book: createAlertStore(options()),
  ledger: createDeliveryLedger(options()),
}));

test('what waits goes by itself one day, for a channel may be no more', async () => {
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
      v: { N: '1' },
      d: { S: JSON.stringify(alert) },
      expiresAt: { N: String((NOON + 2_000) / 1000) },
    },
  ]);
});

test('a channel with nothing to do costs three small reads', async () => {
  spent.length = 0;

  await createAlertStore(options()).open('costs', 2_000);

  expect(spent.map(({ operation, kind, units }) => `${operation} ${kind} ${units}`)).toEqual([
    'openChannel read 1',
    'openChannel read 1',
    'openChannel read 1',
  ]);
});

test('a channel that the config does not name is an error that says so', async () => {
  await expect(async () => createAlertStore(options()).add('nobody', [], expiresAt)).rejects.toMatchObject({
    code: 'channel_unknown',
    message: 'there is no channel "nobody"; name it in alerts.channels',
  });
});

test('may die at any request: alerts are in one message, which is found until it is finished', async () => {
  const channels = [...Array(40).keys()].map((index) => `dying-${index}`);
  const target = new Map(channels.map((channel) => [channel, `slack/${channel}`]));
  const deaths = await crashAtEveryCall(async (life) => {
    const channel = channels.pop() ?? '';
    const alerts = Array.from({ length: 30 }, () => sampleAlert());
    const ids = alerts.map(({ id }) => id);
    const sealed = { message: null, alertIds: ids, ownedUntil: NOON };
    const work = async (client: DynamoDBClient) => {
      const book = createAlertStore({ ...options(), client, destinations: target });
      await book.add(channel, alerts.slice(0, 2), expiresAt);
      const { revision, waiting } = await book.open(channel, 100);
      if (waiting.length > 0) await book.seal(channel, revision, [sealed]);
      await book.finish(channel, sealed, { now: NOON, expiresAt });
    };
    await createAlertStore({ ...options(), destinations: target }).add(channel, alerts.slice(2), expiresAt);

    await work(crashable(dynamo.client, life)).catch(() => {});
    await work(dynamo.client);

    const book = createAlertStore({ ...options(), destinations: target });
    expect(await book.open(channel, 100)).toEqual({ revision: 1, waiting: [], sealed: [] });
    expect(await book.add(channel, alerts, expiresAt)).toBe(0);
    return life.dead;
  });
  expect(deaths).toBeGreaterThanOrEqual(24);
});

describe('two that add an alert at the same moment', () => {
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

  test('can both be refused: it is added again until there is a mark of it', async () => {
    mock.on(GetItemCommand).resolves({});
    mock.on(TransactWriteItemsCommand).rejectsOnce(inTheWay).rejectsOnce(inTheWay).resolves({});

    expect(await contested().add('races', [sampleAlert()], expiresAt)).toBe(1);
  });

  test('are not in each other’s way for ever: it comes back later', async () => {
    mock.on(GetItemCommand).resolves({});
    mock.on(TransactWriteItemsCommand).rejects(inTheWay);

    await expect(contested().add('races', [sampleAlert()], expiresAt)).rejects.toMatchObject({
      code: 'store_contended',
      retryable: true,
    });
    expect(mock.commandCalls(TransactWriteItemsCommand)).toHaveLength(5);
  });
});
