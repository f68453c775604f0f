import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { ListTopicsCommand } from '@aws-sdk/client-sns';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

/** What each engine answers with the key. */
const CALLS = [
  ['dynamoDb', 'dynamodb', { 'x-amz-target': 'DynamoDB_20120810.ListTables' }, '{}'],
  ['messaging', 'sqs', { 'x-amz-target': 'AmazonSQS.ListQueues' }, '{}'],
  ['messaging', 'sns', { 'content-type': 'application/x-www-form-urlencoded' }, 'Action=ListTopics'],
  [
    'secretsManager',
    'secretsmanager',
    { 'x-amz-target': 'secretsmanager.GetSecretValue' },
    '{"SecretId":"name"}',
  ],
] as const;

test.each(CALLS)('%s, asked by hand for %s, answers who has the key, and nobody else', async (...call) => {
  const [name, service, headers, body] = call;
  const send = (more: Record<string, string>, how: { path?: string; method?: string } = {}) => {
    const all = { 'content-type': AWS_JSON, ...headers, ...more };
    return ask(engines[name].endpoint, { method: 'POST', ...how, headers: all, body });
  };
  const key = { authorization: credential(service), 'x-amz-date': '20260101T000000Z' };
  const answered = await send(key);
  expect(answered.status).toBe(200);
  expect(Object.keys(answered.headers).filter((each) => each.startsWith('access-control-'))).toEqual([]);
  const refused = [
    send({}),
    send({ ...key, origin: 'https://page.example' }),
    send({ ...key, origin: 'null' }),
    send({ ...key, host: 'page.example' }),
    send({ ...key, authorization: credential('s3') }),
    send(key, { method: 'GET', path: '/' }),
    send(key, { method: 'OPTIONS', path: '/' }),
    send(key, { method: 'GET', path: '/_fauxqs/queues' }),
    send(key, { method: 'PUT', path: '/bucket' }),
    send(key, { method: 'POST', path: '/000000000000/canary' }),
  ];
  for (const answer of await Promise.all(refused))
    expect(answer).toMatchObject({ status: 403, isTelling: false });
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
