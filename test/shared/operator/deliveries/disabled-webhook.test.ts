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
  ['in AWS, when the address of the config said so', { url, told: true }, false, true],
  ['not in AWS, when it was the address before', { url: ELSEWHERE, told: true }, false, false],
  ['on one machine, whose address is not that of the config', { url: ELSEWHERE, told: true }, true, true],
  ['only once that is published, since events are tried until then', { url, told: false }, false, false],
  ['never before it was', null, false, false],
])('a webhook counts as disabled %s', async (_, noted, redirects, refused) => {
  const disabled = { ...noted, at: 0, reason: '410', connection: 'main' };
  const answer = noted === null ? {} : { Item: toJsonItem(toDisabledKey(name), disabled) };
  dynamoDb.on(GetItemCommand).resolves(answer);
  const checked = checkEnabled(name, target(redirects));
  if (refused) await expect(checked).rejects.toMatchObject({ code: 'webhook_disabled' });
  else await expect(checked).resolves.toBeUndefined();
});

function target(redirects: boolean): Target {
  const client = new DynamoDBClient({ region: 'ap-southeast-2' });
  return { config: CONFIG, dynamoDb: client, tableName: 'table', system, redirects } as unknown as Target;
}
