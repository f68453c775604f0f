import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, test } from 'vitest';
import { toJsonItem } from '#shared/adapters/dynamo/items.ts';
import { toDisabledKey } from '#shared/adapters/dynamo/keys.ts';
import { system } from '#shared/adapters/system/system.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { checkEnabled } from '#shared/operator/deliveries/disabled-webhook.ts';
import type { Target } from '#shared/operator/target.ts';
import { CONNECTION, EVERYTHING } from '#test/infra/synthesized.ts';
import { mockClient } from '#test/support/mock-client.ts';

const CONFIG = parseNotifierConfig({ ...EVERYTHING, connections: [CONNECTION] });
const [{ name, url } = { name: '', url: '' }] = CONFIG.webhooks;
const ELSEWHERE = 'https://another.example/hook';

const dynamoDb = mockClient(DynamoDBClient);

afterEach(() => {
  dynamoDb.reset();
});

test.each([
  [
    'in AWS, when the address of the config said so',
    { url, told: true },
    { redirects: false, refused: true },
  ],
  [
    'not in AWS, when it was the address that the config had before',
    { url: ELSEWHERE, told: true },
    { redirects: false, refused: false },
  ],
  [
    'on one machine, whose address is not that of the config',
    { url: ELSEWHERE, told: true },
    { redirects: true, refused: true },
  ],
  [
    'only once its disabling is published, since events are tried until then',
    { url, told: false },
    { redirects: false, refused: false },
  ],
])('a webhook counts as disabled %s', async (_, noted, { redirects, refused }) => {
  const disabled = { ...noted, at: 0, reason: '410', connection: 'main' };
  dynamoDb.on(GetItemCommand).resolves({ Item: toJsonItem(toDisabledKey(name), disabled) });
  const checked = checkEnabled(name, target(redirects));
  if (refused) await expect(checked).rejects.toMatchObject({ code: 'webhook_disabled' });
  else await expect(checked).resolves.toBeUndefined();
});

test('a webhook that was never disabled is enabled', async () => {
  dynamoDb.on(GetItemCommand).resolves({});
  await expect(checkEnabled(name, target(false))).resolves.toBeUndefined();
});

function target(redirects: boolean): Target {
  const client = new DynamoDBClient({ region: 'ap-southeast-2' });
  return { config: CONFIG, dynamoDb: client, tableName: 'table', system, redirects } as unknown as Target;
}
