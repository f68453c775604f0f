import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { beforeEach, describe, expect, test } from 'vitest';
import { createSecretReader } from '#shared/adapters/secrets/secret-reader.ts';
import { mockClient } from '#test/support/mock-client.ts';

const clients = {
  secretsManager: new SecretsManagerClient({ region: 'eu-west-1' }),
  ssm: new SSMClient({ region: 'eu-west-1' }),
};
const manager = mockClient(clients.secretsManager);
const store = mockClient(clients.ssm);
const SECRET = 'acme/hook';
const PARAMETER = 'ssm:/secrets/acme/hook';
let now = 0;

beforeEach(() => {
  manager.reset();
  store.reset();
  now = 0;
});

test.each([{ SecretString: 'abc' }, { SecretBinary: Buffer.from('abc') }])(
  'a secret is asked for by its name, binary or not: %j',
  async (answer) => {
    manager.on(GetSecretValueCommand, { SecretId: 'acme/hook' }).resolves(answer);
    expect(await reader(SECRET)({ fresh: false })).toBe('abc');
    expect(store.calls()).toEqual([]);
  },
);

test('a parameter is asked for decrypted, where the name of the secret says that it is one', async () => {
  store
    .on(GetParameterCommand, { Name: '/secrets/acme/hook', WithDecryption: true })
    .resolves({ Parameter: { Type: 'SecureString', Value: 'abc' } });
  expect(await reader(PARAMETER)({ fresh: false })).toBe('abc');
  expect(manager.calls()).toEqual([]);
});

test.each([
  [SECRET, undefined, 300_000],
  [SECRET, 60_000, 60_000],
  [PARAMETER, undefined, 300_000],
])('what %s holds is kept for %j ms, or %d, unless it must be fresh', async (name, keptMs, kept) => {
  manager.on(GetSecretValueCommand).resolves({ SecretString: 'abc' });
  store.on(GetParameterCommand).resolves({ Parameter: { Type: 'SecureString', Value: 'abc' } });
  const read = reader(name, keptMs);
  const callsAfter = async (at: number, fresh: boolean) => {
    now = at;
    expect(await read({ fresh })).toBe('abc');
    return manager.calls().length + store.calls().length;
  };

  expect(await callsAfter(0, false)).toBe(1);
  expect(await callsAfter(kept - 1, false)).toBe(1);
  expect(await callsAfter(kept - 1, true)).toBe(2);
  expect(await callsAfter(kept, false)).toBe(2);
  expect(await callsAfter(2 * kept, false)).toBe(3);
});

test('a failure is not kept', async () => {
  manager.on(GetSecretValueCommand).rejectsOnce(new Error('no')).resolves({ SecretString: 'abc' });
  const read = reader(SECRET);
  await expect(read({ fresh: false })).rejects.toThrow();
  expect(await read({ fresh: false })).toBe('abc');
});

describe('a failure', () => {
  const create = 'create it, and allow the role of this function to read it';
  const again = 'it is read again at the next try';
  test.each([
    [SECRET, 'ResourceNotFoundException', create],
    [SECRET, 'AccessDeniedException', create],
    [SECRET, 'InvalidRequestException', create],
    [PARAMETER, 'ParameterNotFound', create],
    [PARAMETER, 'AccessDeniedException', create],
    [PARAMETER, 'InvalidKeyId', create],
    [SECRET, 'InternalServiceError', again],
    [SECRET, 'ThrottlingException', again],
    [PARAMETER, 'InternalServerError', again],
    [PARAMETER, 'TimeoutError', again],
  ])('to read %s (%s) says what to do: %s', async (secret, name, mend) => {
    const failure = Object.assign(new Error('no'), { name });
    manager.on(GetSecretValueCommand).rejects(failure);
    store.on(GetParameterCommand).rejects(failure);
    await expect(reader(secret)({ fresh: false })).rejects.toMatchObject({
      code: 'secret_unreadable',
      retryable: mend === again,
      message: `the secret "${secret}" cannot be read (${name}); ${mend}`,
    });
  });

  test.each(['String', 'StringList'] as const)(
    'is a parameter that is a %s: whoever may list it reads it',
    async (Type) => {
      store.on(GetParameterCommand).resolves({ Parameter: { Type, Value: 'canary' } });
      await expect(reader(PARAMETER)({ fresh: false })).rejects.toMatchObject({
        code: 'secret_unreadable',
        retryable: false,
        message: `the secret "${PARAMETER}" cannot be read (ParameterNotEncrypted); delete it, make a new secret where it comes from, and put that as a SecureString`,
      });
    },
  );
});

function reader(secretName: string, keptMs?: number) {
  const kept = keptMs === undefined ? {} : { keptMs };
  return createSecretReader({ clients, secretName, now: () => now, ...kept });
}
