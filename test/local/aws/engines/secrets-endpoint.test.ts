import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecretsManagerClient } from '#local/aws/engines/clients.ts';
import type { Engine } from '#local/aws/engines/dynamodb-engine.ts';
import { startSecrets } from '#local/aws/local-aws.ts';

let engine: Engine;
let client: SecretsManagerClient;

beforeAll(async () => {
  const accessKeyId = 'key-of-this-run';
  engine = await startSecrets(new Map([['workforce/main', 'the-token']]), accessKeyId);
  client = createSecretsManagerClient({ secretsManager: engine.endpoint, accessKeyId });
});

afterAll(async () => {
  client.destroy();
  await engine.stop();
});

test('a secret is found by its name and by its ARN', async () => {
  const byName = await client.send(new GetSecretValueCommand({ SecretId: 'workforce/main' }));
  expect(byName).toMatchObject({ Name: 'workforce/main', SecretString: 'the-token' });
  const byArn = await client.send(new GetSecretValueCommand({ SecretId: byName.ARN }));
  expect(byArn.SecretString).toBe('the-token');
});

test('an unknown secret is the error that the SDK knows', async () => {
  await expect(client.send(new GetSecretValueCommand({ SecretId: 'other' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test('anything but reading a secret is refused', async () => {
  await expect(client.send(new DescribeSecretCommand({ SecretId: 'workforce/main' }))).rejects.toMatchObject({
    name: 'UnknownOperationException',
  });
});
