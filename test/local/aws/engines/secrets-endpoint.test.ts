import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '#local/aws/engines/dynamodb-engine.ts';
import { startSecrets } from '#local/aws/engines/secrets-endpoint.ts';

let engine: Engine;
let client: SecretsManagerClient;

beforeAll(async () => {
  engine = await startSecrets(new Map([['workforce/main', 'the-token']]));
  client = new SecretsManagerClient({
    endpoint: engine.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
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

test.each([
  ['none', '/'],
  ['another', `/${'A'.repeat(43)}/`],
  ['a longer', null],
])('with %s token in the address nothing is answered', async (_, path) => {
  const { origin } = new URL(engine.endpoint);
  const response = await fetch(path === null ? `${engine.endpoint}A/` : `${origin}${path}`, {
    method: 'POST',
    headers: { 'x-amz-target': 'secretsmanager.GetSecretValue' },
    body: JSON.stringify({ SecretId: 'workforce/main' }),
  });
  expect([response.status, await response.text()]).toEqual([
    400,
    JSON.stringify({ __type: 'AccessDeniedException', message: 'the address lacks the token of this run' }),
  ]);
});

test('every run has a token of its own', async () => {
  const other = await startSecrets(new Map());
  expect(new URL(other.endpoint).pathname).toMatch(/^\/[\w-]{43}$/);
  expect(new URL(other.endpoint).pathname).not.toBe(new URL(engine.endpoint).pathname);
  await other.stop();
});

test('anything but reading a secret is refused', async () => {
  const response = await fetch(engine.endpoint, {
    method: 'POST',
    headers: { 'x-amz-target': 'secretsmanager.DeleteSecret' },
    body: 'no json',
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ __type: 'UnknownOperationException' });
});
