import { type DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteExpired, startExpiry } from '#local/aws/local-aws.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { type EmbeddedDynamo, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { eventually } from '#test/support/eventually.ts';

const NOW = Date.parse('2026-03-05T10:00:00Z');
const DAY_MS = 86_400_000;

let embedded: EmbeddedDynamo;
beforeAll(async () => {
  embedded = await startEmbeddedDynamo();
});
afterAll(() => embedded.stop());

test('what is over by the time of the run is deleted, and nothing else', async () => {
  await put('over', NOW - 1_000);
  await put('over long ago', NOW - 40 * DAY_MS);
  await put('over now', NOW);
  await put('over later', NOW + DAY_MS);
  await put('never over', null);
  await deleteExpired(embedded.client, { tableName: embedded.tableName, now: NOW });
  expect(await list()).toEqual(['never over', 'over later', 'over now']);
  await deleteExpired(embedded.client, { tableName: embedded.tableName, now: NOW + 2 * DAY_MS });
  expect(await list()).toEqual(['never over']);
});

test('an item that is given another time between the scan and its deletion stays', async () => {
  await put('renewed', NOW - 1_000);
  const client = Object.create(embedded.client) as DynamoDBClient;
  client.send = (async (command: Parameters<DynamoDBClient['send']>[0]) => {
    const answer = await embedded.client.send(command);
    if (command instanceof ScanCommand) await put('renewed', NOW + DAY_MS);
    return answer;
  }) as DynamoDBClient['send'];
  await deleteExpired(client, { tableName: embedded.tableName, now: NOW });
  expect(await list()).toContain('renewed');
});

test.each([
  ['its own clock, which may be months ahead', 60, ['over in 90 days']],
  ['the time of this machine', null, ['over in 30 days', 'over in 90 days']],
])('a run deletes by %s', async (_, aheadDays, left) => {
  const anchorMs = Date.now();
  await put('over since an hour', anchorMs - 3_600_000);
  await put('over in 30 days', anchorMs + 30 * DAY_MS);
  await put('over in 90 days', anchorMs + 90 * DAY_MS);
  const clock =
    aheadDays === null ? null : { anchorMs, startsAtMs: anchorMs + aheadDays * DAY_MS, speed: 600 };
  const expiry = startExpiry(await machine(), clock);
  await eventually(async () =>
    expect((await list()).filter((name) => name?.startsWith('over'))).toEqual(left),
  );
  await expiry.stop();
});

/** As far as it is asked here. */
async function machine(): Promise<Parameters<typeof startExpiry>[0]> {
  const { protocol = '', hostname = '', port } = (await embedded.client.config.endpoint?.()) ?? {};
  const environment = { [ENVIRONMENT.tableName]: embedded.tableName };
  const endpoints = { dynamoDb: `${protocol}//${hostname}:${port}`, accessKeyId: 'local' };
  return { deployment: { functions: [{ environment }] }, endpoints } as never;
}

async function put(name: string, expiresAt: number | null): Promise<void> {
  const over = expiresAt === null ? {} : { expiresAt: { N: String(expiresAt / 1_000) } };
  const Item = { pk: { S: name }, sk: { S: 'x' }, ...over };
  await embedded.client.send(new PutItemCommand({ TableName: embedded.tableName, Item }));
}

async function list(): Promise<(string | undefined)[]> {
  const { Items = [] } = await embedded.client.send(new ScanCommand({ TableName: embedded.tableName }));
  return Items.map(({ pk }) => pk?.S).sort();
}
