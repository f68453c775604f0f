import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDeliveryLedger } from '#shared/adapters/dynamo/deliveries/delivery-ledger.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { putItem } from '#shared/adapters/dynamo/items.ts';
import { toDeliveryKey, toDisabledKey, toKeyAttributes } from '#shared/adapters/dynamo/keys.ts';
import { Table } from '#shared/adapters/dynamo/table.ts';
import { describeDeliveryLedger } from '#test/contracts/delivery-ledger.ts';
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

describeDeliveryLedger('DynamoDB', async () => createDeliveryLedger(options()));
describeWebhookStateStore('DynamoDB', async () => createWebhookStateStore(options()));

describe('what is stored', () => {
  test('of a delivery is small, has a version, and expires', async () => {
    const delivery = {
      eventId: 'e1',
      destination: 'webhook/payroll',
      outcome: 'failed',
      at: 5,
      attempts: 3,
      detail: '500',
    } as const;
    await createDeliveryLedger(options()).save(delivery, 1_500);

    const key = toDeliveryKey('e1', 'webhook/payroll');
    const { Item } = await dynamo.client.send(
      new GetItemCommand({ TableName: dynamo.tableName, Key: toKeyAttributes(key) }),
    );

    expect(Item).toEqual({
      pk: { S: 'deliveries#e1' },
      sk: { S: 'webhook/payroll' },
      v: { N: '1' },
      d: { S: '{"outcome":"failed","at":5,"attempts":3,"detail":"500"}' },
      expiresAt: { N: '2' },
    });
  });

  test('in another format is an error that names the key and not the contents', async () => {
    const item = { ...toKeyAttributes(toDisabledKey('old')), v: { N: '1' }, d: { S: '{"url":"canary"' } };
    await putItem(new Table(options()), 'test', item);

    const error = await createWebhookStateStore(options())
      .loadDisabled('old')
      .catch((reason: unknown) => reason);

    expect(error).toMatchObject({
      code: 'store_item_unreadable',
      message: expect.stringContaining('item webhook#old / disabled is not of format 1'),
    });
    expect(String(error)).not.toContain('canary');
  });
});
