import { expect, test } from 'vitest';
import { toSourceSecretReader } from '#shared/adapters/credential/credential.ts';
import { NotifierError } from '#shared/core/errors.ts';

test('the secret of a source is what was read, as fresh as it was asked for', async () => {
  const read = toSourceSecretReader(async ({ fresh }) => `abc ${fresh}`);
  expect([await read({ fresh: false }), await read({ fresh: true })]).toEqual(['abc false', 'abc true']);
});

test.each([
  ['is for a person to mend', false, 'source_unauthorised'],
  ['may pass', true, 'source_unreachable'],
])('a secret that cannot be read counts as a failure of the source: %s', async (_, retryable, code) => {
  const failure = new NotifierError('secret_unreadable', 'says how to mend it', { retryable });
  const read = toSourceSecretReader(() => Promise.reject(failure));
  const expected = { code, retryable, message: 'says how to mend it', cause: failure };
  await expect(read({ fresh: false })).rejects.toMatchObject(expected);
});

test('a fault of the program is none of the source', async () => {
  const fault = new TypeError('no');
  await expect(toSourceSecretReader(() => Promise.reject(fault))({ fresh: false })).rejects.toBe(fault);
});
