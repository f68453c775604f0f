import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createDeliveryIndex,
  createDeliveryStore,
} from '#shared/adapters/dynamo/deliveries/delivery-store.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { putItem } from '#shared/adapters/dynamo/items.ts';
import { toDisabledKey, toKeyAttributes } from '#shared/adapters/dynamo/keys.ts';
import { Table } from '#shared/adapters/dynamo/table.ts';
import { describeDeliveryStore } from '#test/contracts/delivery-store.ts';
import { describeWebhookStateStore } from '#test/contracts/webhook-state-store.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';

let dynamo: EmbeddedDynamo;
const options = () => ({ ...dynamo, sleep: async () => {}, random: () => 0 });

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});

afterAll(async () => {
  await dynamo.stop();
});

describeDeliveryStore('DynamoDB', async () => createDeliveryStore(options()));
describeWebhookStateStore('DynamoDB', async () => createWebhookStateStore(options()));

test('deliveries of many events are read at once; those that do not exist are left out', async () => {
  const deliveryStore = createDeliveryStore(options());
  const all = Array.from({ length: 250 }, (_, index) => ({
    eventId: `many-${index}`,
    destination: index % 2 === 0 ? 'webhook/a' : 'webhook/b',
  }));
  const known = all.filter((_, index) => index % 5 === 0);
  for (const each of known) {
    await deliveryStore.save({ ...each, outcome: 'delivered', at: 5, attempts: 1, detail: null }, 1_500);
  }

  const index = createDeliveryIndex(options());
  const found = await index.loadMany(all);
  expect(found.map(({ eventId, destination }) => ({ eventId, destination }))).toEqual(known);
  expect(await index.loadMany([{ eventId: 'many-0', destination: 'webhook/b' }])).toEqual([]);
});

describe('what is stored', () => {
  test('of a delivery is small, has a version, and expires', async () => {
    const delivery = { outcome: 'failed', at: 5, attempts: 3, detail: '500' } as const;
    const whose = { eventId: 'e1', destination: 'webhook/payroll' };
    await createDeliveryStore(options()).save({ ...whose, ...delivery }, 1_500);

    const Key = { pk: { S: 'deliveries#webhook/payroll#e1' }, sk: { S: 'delivery' } };
    const { Item } = await dynamo.client.send(new GetItemCommand({ TableName: dynamo.tableName, Key }));
    const d = { S: JSON.stringify(delivery) };
    expect(Item).toEqual({ ...Key, f: { N: '1' }, d, expiresAt: { N: '2' } });
  });

  test('of another shape is an error that names the key and not the contents', async () => {
    const item = { ...toKeyAttributes(toDisabledKey('old')), f: { N: '1' }, d: { S: '{"url":"canary"' } };
    await putItem(new Table(options()), 'test', item);

    await expect(createWebhookStateStore(options()).loadDisabled('old')).rejects.toMatchObject({
      code: 'store_item_unreadable',
      message: expect.stringMatching(/^item webhook#old \/ disabled cannot be read(?!.*canary)/),
    });
  });
});
