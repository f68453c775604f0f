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

test('a secret is found by its name and by its ARN, a parameter where its name says so', async () => {
  const byName = await clients.secretsManager.send(new GetSecretValueCommand({ SecretId: 'workforce/main' }));
  expect(byName).toMatchObject({ Name: 'workforce/main', SecretString: 'the-token' });
  const byArn = await clients.secretsManager.send(new GetSecretValueCommand({ SecretId: byName.ARN }));
  expect(byArn.SecretString).toBe('the-token');
  const read = createSecretReader({ clients, secretName: PARAMETER, now: Date.now });
  expect(await read({ fresh: true })).toBe('another-token');
});

test('what is unknown, and anything but reading, is the error that the SDK knows', async () => {
  const { secretsManager, ssm } = clients;
  const asked = [
    ssm.send(new GetParameterCommand({ Name: '/secrets/other' })),
    secretsManager.send(new GetSecretValueCommand({ SecretId: 'other' })),
    secretsManager.send(new DescribeSecretCommand({ SecretId: 'workforce/main' })),
  ];
  const names = await Promise.allSettled(asked);
  expect(names.map((each) => each.status === 'rejected' && each.reason.name)).toEqual([
    'ParameterNotFound',
    'ResourceNotFoundException',
    'UnknownOperationException',
  ]);
});
