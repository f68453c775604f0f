import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { createSecretReader } from '#shared/adapters/secrets/secret-reader.ts';

const client = new SecretsManagerClient({ region: 'eu-west-1' });
const manager = mockClient(client);
let now = 0;

beforeEach(() => {
  manager.reset();
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

function reader(keptMs?: number) {
  return createSecretReader({
    client,
    secretName: 'acme/hook',
    now: () => now,
    ...(keptMs === undefined ? {} : { keptMs }),
  });
}
