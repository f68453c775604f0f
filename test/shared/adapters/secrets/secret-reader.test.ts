import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { createSecretReader } from '#shared/adapters/secrets/secret-reader.ts';

const client = new SecretsManagerClient({ region: 'eu-west-1' });
const manager = mockClient(client);
const ssm = new SSMClient({ region: 'eu-west-1' });
const store = mockClient(ssm);
let now = 0;

beforeEach(() => {
  manager.reset();
  store.reset();
  now = 0;
});

describe('reading a secret', () => {
  test('asks for it by name', async () => {
    manager.on(GetSecretValueCommand, { SecretId: 'acme/hook' }).resolves({ SecretString: 'abc' });

    expect(await reader()({ fresh: false })).toBe('abc');
  });

  test('reads a binary one as UTF-8', async () => {
    manager.on(GetSecretValueCommand).resolves({ SecretBinary: Buffer.from('abc') });

    expect(await reader()({ fresh: false })).toBe('abc');
  });

  test.each([
    [undefined, 300_000],
    [60_000, 60_000],
  ])(
    'keeps it as long as configured, five minutes by default, unless it must be fresh',
    async (keptMs, kept) => {
      manager.on(GetSecretValueCommand).resolves({ SecretString: 'abc' });
      const read = reader(keptMs);
      const callsAfter = async (at: number, fresh: boolean) => {
        now = at;
        await read({ fresh });
        return manager.calls().length;
      };

      expect(await callsAfter(0, false)).toBe(1);
      expect(await callsAfter(kept - 1, false)).toBe(1);
      expect(await callsAfter(kept - 1, true)).toBe(2);
      expect(await callsAfter(kept, false)).toBe(2);
      expect(await callsAfter(2 * kept, false)).toBe(3);
    },
  );

  test.each(['ResourceNotFoundException', 'AccessDeniedException', 'InvalidRequestException'])(
    '%s is for a person to mend',
    async (name) => {
      manager.on(GetSecretValueCommand).rejects(Object.assign(new Error('no'), { name }));

      await expect(reader()({ fresh: false })).rejects.toMatchObject({
        code: 'secret_unreadable',
        retryable: false,
        message: `the secret "acme/hook" cannot be read (${name}); create it, and allow the role of this function to read it`,
      });
    },
  );

  test.each(['InternalServiceError', 'ThrottlingException', 'TimeoutError'])('%s may pass', async (name) => {
    manager.on(GetSecretValueCommand).rejects(Object.assign(new Error('no'), { name }));

    await expect(reader()({ fresh: false })).rejects.toMatchObject({
      code: 'secret_unreadable',
      retryable: true,
      message: `the secret "acme/hook" cannot be read (${name}); it is read again at the next try`,
    });
  });

  test('a failure is not kept', async () => {
    manager.on(GetSecretValueCommand).rejectsOnce(new Error('no')).resolves({ SecretString: 'abc' });
    const read = reader();

    await expect(read({ fresh: false })).rejects.toThrow();
    expect(await read({ fresh: false })).toBe('abc');
  });
});

describe('reading a parameter, where the name of the secret says that it is one', () => {
  const parameter = 'ssm:/secrets/acme/hook';

  test('asks for it decrypted, keeps it, and notices a rotation as of a secret', async () => {
    store
      .on(GetParameterCommand, { Name: '/secrets/acme/hook', WithDecryption: true })
      .resolvesOnce({ Parameter: { Type: 'SecureString', Value: 'abc' } })
      .resolves({ Parameter: { Type: 'SecureString', Value: 'def' } });
    const read = reader(undefined, parameter);

    expect([await read({ fresh: false }), await read({ fresh: false })]).toEqual(['abc', 'abc']);
    expect(await read({ fresh: true })).toBe('def');
    now = 300_000;
    await read({ fresh: false });
    expect(store.calls().length).toBe(3);
    expect(manager.calls()).toEqual([]);
  });

  test.each(['String', 'StringList'] as const)(
    'one that is a %s is refused: whoever may list it reads it',
    async (Type) => {
      store.on(GetParameterCommand).resolves({ Parameter: { Type, Value: 'canary' } });

      await expect(reader(undefined, parameter)({ fresh: false })).rejects.toMatchObject({
        code: 'secret_unreadable',
        retryable: false,
        message:
          'the secret "ssm:/secrets/acme/hook" cannot be read (ParameterNotEncrypted); delete it, make a new secret where it comes from, and put that as a SecureString',
      });
    },
  );

  test.each(['ParameterNotFound', 'AccessDeniedException', 'InvalidKeyId'])(
    '%s is for a person to mend',
    async (name) => {
      store.on(GetParameterCommand).rejects(Object.assign(new Error('no'), { name }));

      await expect(reader(undefined, parameter)({ fresh: false })).rejects.toMatchObject({
        code: 'secret_unreadable',
        retryable: false,
        message: `the secret "ssm:/secrets/acme/hook" cannot be read (${name}); create it, and allow the role of this function to read it`,
      });
    },
  );

  test.each(['InternalServerError', 'ThrottlingException', 'TimeoutError'])('%s may pass', async (name) => {
    store.on(GetParameterCommand).rejects(Object.assign(new Error('no'), { name }));

    await expect(reader(undefined, parameter)({ fresh: false })).rejects.toMatchObject({ retryable: true });
  });
});

function reader(keptMs?: number, secretName = 'acme/hook') {
  return createSecretReader({
    clients: { secretsManager: client, ssm },
    secretName,
    now: () => now,
    ...(keptMs === undefined ? {} : { keptMs }),
  });
}
