import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { ListTopicsCommand } from '@aws-sdk/client-sns';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createDynamoDbClient,
  createSecretClients,
  createSnsClient,
  createSqsClient,
} from '#local/aws/engines/clients.ts';
import { type DataFolder, openDataFolder } from '#local/aws/engines/data-folder.ts';
import { createAccessKey, openDoor, SERVICES } from '#local/aws/engines/door.ts';
import { type Engine, startDynamoDb } from '#local/aws/engines/dynamodb-engine.ts';
import { startMessaging } from '#local/aws/engines/messaging-engine.ts';
import { startSecrets } from '#local/aws/local-aws.ts';
import { applyQueue } from '#local/aws/template/apply.ts';
import type { Endpoints } from '#local/aws/template/local-account.ts';
import { ask } from '#test/local/ask.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';

const AWS_JSON = 'application/x-amz-json-1.0';

const REFUSED = {
  name: 'UnrecognizedClientException',
  message: 'the request lacks the access key of this run',
};

const accessKeyId = createAccessKey();
let folder: DataFolder;
let engines: Record<'dynamoDb' | 'messaging' | 'secretsManager', Engine>;
let endpoints: Endpoints;

beforeAll(async () => {
  folder = await openDataFolder(createTemporaryFolder('data'));
  engines = {
    dynamoDb: await startDynamoDb(folder, { environment: {}, accessKeyId }),
    messaging: await startMessaging(folder, accessKeyId),
    secretsManager: await startSecrets(
      new Map([
        ['name', 'canary'],
        ['ssm:/secrets/name', 'canary'],
      ]),
      accessKeyId,
    ),
  };
  const { dynamoDb, messaging, secretsManager } = engines;
  endpoints = {
    dynamoDb: dynamoDb.endpoint,
    messaging: messaging.endpoint,
    secretsManager: secretsManager.endpoint,
    accessKeyId,
  };
  const sqs = createSqsClient(endpoints);
  await applyQueue(sqs, 'canary', {});
  sqs.destroy();
});

afterAll(async () => {
  for (const engine of Object.values(engines)) await engine.stop();
  folder.release();
});

test('with the key of the run every engine answers the SDK', async () => {
  const dynamoDb = createDynamoDbClient(endpoints);
  expect((await dynamoDb.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  const sns = createSnsClient(endpoints);
  expect((await sns.send(new ListTopicsCommand({}))).Topics ?? []).toEqual([]);
  const sqs = createSqsClient(endpoints);
  expect((await sqs.send(new ListQueuesCommand({}))).QueueUrls).toEqual([expect.stringContaining('canary')]);
  const { secretsManager: secrets, ssm } = createSecretClients(endpoints);
  const { SecretString } = await secrets.send(new GetSecretValueCommand({ SecretId: 'name' }));
  expect(SecretString).toBe('canary');
  const { Parameter } = await ssm.send(new GetParameterCommand({ Name: '/secrets/name' }));
  expect(Parameter?.Value).toBe('canary');
  for (const client of [dynamoDb, sns, sqs, secrets, ssm]) client.destroy();
});

test('every run has a key of its own', () => {
  expect(createAccessKey()).toMatch(/^[\w-]{32}$/);
  expect(createAccessKey()).not.toBe(createAccessKey());
});

test.each(['local', 'x', 'A'.repeat(32)])(
  'the SDK is told that the key %j is wrong, by each engine',
  async (key) => {
    const wrong = { ...endpoints, accessKeyId: key };
    const dynamoDb = createDynamoDbClient(wrong);
    await expect(dynamoDb.send(new ListTablesCommand({}))).rejects.toMatchObject(REFUSED);
    const sns = createSnsClient(wrong);
    await expect(sns.send(new ListTopicsCommand({}))).rejects.toThrow(REFUSED.message);
    const sqs = createSqsClient(wrong);
    await expect(sqs.send(new ListQueuesCommand({}))).rejects.toMatchObject(REFUSED);
    const { secretsManager: secrets, ssm } = createSecretClients(wrong);
    await expect(secrets.send(new GetSecretValueCommand({ SecretId: 'name' }))).rejects.toMatchObject(
      REFUSED,
    );
    await expect(ssm.send(new GetParameterCommand({ Name: '/secrets/name' }))).rejects.toMatchObject(REFUSED);
    for (const client of [dynamoDb, sns, sqs, secrets, ssm]) client.destroy();
  },
);

describe.each([
  [
    'dynamoDb',
    'dynamodb',
    { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': AWS_JSON },
    '{}',
  ],
  ['messaging', 'sqs', { 'x-amz-target': 'AmazonSQS.ListQueues', 'content-type': AWS_JSON }, '{}'],
  ['messaging', 'sns', { 'content-type': 'application/x-www-form-urlencoded' }, 'Action=ListTopics'],
  [
    'secretsManager',
    'secretsmanager',
    { 'x-amz-target': 'secretsmanager.GetSecretValue', 'content-type': 'application/x-amz-json-1.1' },
    '{"SecretId":"name"}',
  ],
] as const)('%s, asked by hand for %s', (...[name, service, headers, body]) => {
  const send = (more: Record<string, string>, how: { path?: string; method?: string } = {}) =>
    ask(engines[name].endpoint, { method: 'POST', ...how, headers: { ...headers, ...more }, body });
  const signed = (as: string = service) => ({
    authorization: credential(as),
    'x-amz-date': '20260101T000000Z',
  });

  test('answers with the key', async () => {
    const { status, headers: answered } = await send(signed());
    expect(status).toBe(200);
    expect(Object.keys(answered).filter((each) => each.startsWith('access-control-'))).toEqual([]);
  });

  test.each([
    ['nobody', {}],
    ['a web page that has the key', { ...signed(), origin: 'https://page.example' }],
    ['a page of this machine that has the key', { ...signed(), origin: 'null' }],
    ['a name that was pointed at this machine', { ...signed(), host: 'page.example' }],
    ['a key for another service', signed('s3')],
  ])('refuses %s without content', async (_, more) => {
    expect(await send(more)).toMatchObject({ status: 403, isTelling: false });
  });

  test.each([
    ['GET', '/'],
    ['OPTIONS', '/'],
    ['GET', '/_fauxqs/queues'],
    ['GET', '/health'],
    ['PUT', '/bucket'],
    ['POST', '/000000000000/canary'],
  ])('%s %s answers nobody, even with the key', async (method, path) => {
    expect(await send(signed(), { method, path })).toMatchObject({ status: 403, isTelling: false });
  });
});

test('what an engine behind a door answers to web pages does not leave', async () => {
  const engine = createServer((_, response) => {
    response.writeHead(200, { 'access-control-allow-origin': '*', 'x-other': 'kept' }).end('{}');
  });
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  const { port } = engine.address() as AddressInfo;
  const rules = { accessKeyId: () => accessKeyId, services: SERVICES.dynamoDb };
  const door = await openDoor({ endpoint: `http://127.0.0.1:${port}` }, rules);
  const headers = { authorization: credential('dynamodb') };
  const answer = await ask(door.endpoint, { method: 'POST', headers });
  expect(answer.headers).toMatchObject({ 'x-other': 'kept' });
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  await door.stop();
  engine.closeAllConnections();
  engine.close();
});

function credential(service: string): string {
  return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=x`;
}
