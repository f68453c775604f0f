import { DescribeSecretCommand, GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecretClients } from '#local/aws/engines/clients.ts';
import type { Engine } from '#local/aws/engines/dynamodb-engine.ts';
import { startSecrets } from '#local/aws/local-aws.ts';
import { createSecretReader, type SecretClients } from '#shared/adapters/secrets/secret-reader.ts';

const PARAMETER = 'ssm:/secrets/workforce/main';

let engine: Engine;
let clients: SecretClients;

beforeAll(async () => {
  const accessKeyId = 'key-of-this-run';
  const secrets = new Map([
    ['workforce/main', 'the-token'],
    [PARAMETER, 'another-token'],
  ]);
  engine = await startSecrets(secrets, accessKeyId);
  clients = createSecretClients({ secretsManager: engine.endpoint, accessKeyId });
});

afterAll(async () => {
  for (const client of Object.values(clients)) client.destroy();
  await engine.stop();
});

test('a secret is found by its name and by its ARN', async () => {
  const byName = await clients.secretsManager.send(new GetSecretValueCommand({ SecretId: 'workforce/main' }));
  expect(byName).toMatchObject({ Name: 'workforce/main', SecretString: 'the-token' });
  const byArn = await clients.secretsManager.send(new GetSecretValueCommand({ SecretId: byName.ARN }));
  expect(byArn.SecretString).toBe('the-token');
});

test('a parameter is found where the name of a secret says so', async () => {
  const read = createSecretReader({ clients, secretName: PARAMETER, now: Date.now });
  expect(await read({ fresh: true })).toBe('another-token');
});

test('an unknown parameter is the error that the SDK knows', async () => {
  const unknown = new GetParameterCommand({ Name: '/secrets/other' });
  await expect(clients.ssm.send(unknown)).rejects.toMatchObject({ name: 'ParameterNotFound' });
});

test('an unknown secret is the error that the SDK knows', async () => {
  await expect(
    clients.secretsManager.send(new GetSecretValueCommand({ SecretId: 'other' })),
  ).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test('anything but reading a secret is refused', async () => {
  await expect(
    clients.secretsManager.send(new DescribeSecretCommand({ SecretId: 'workforce/main' })),
  ).rejects.toMatchObject({
    name: 'UnknownOperationException',
  });
});
