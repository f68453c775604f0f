import { statSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DataFolder, openDataFolder } from '#local/aws/engines/data-folder.ts';
import { openSigningSecrets, SIGNING_SECRETS_FILE } from '#local/run/session/signing-secrets.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';

const GIVEN = { secret: 'whsec_given', origin: 'given' };

let folder: DataFolder;

beforeEach(async () => {
  folder = await openDataFolder(createTemporaryFolder('secrets'));
});

afterEach(() => {
  folder.release();
});

test('secrets of a data folder are generated once, distinct, private to the user and long enough', () => {
  const first = openSigningSecrets(folder);
  const [one, two] = [first('one'), first('two')];
  const second = openSigningSecrets(folder);
  expect([second('one'), second('two'), first('one')]).toEqual([one, two, one]);
  expect(one.secret).not.toBe(two.secret);
  expect(one).toEqual({ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), origin: 'made' });
  expect(statSync(folder.file(SIGNING_SECRETS_FILE)).mode & 0o777).toBe(0o600);
});

test('a secret given by the user is that of every webhook, and stored as given', () => {
  openSigningSecrets(folder)('one');
  const given = openSigningSecrets(folder, 'whsec_given');
  expect([given('one'), given('two')]).toEqual([GIVEN, GIVEN]);
  const later = openSigningSecrets(folder);
  expect([later('one'), later('two')]).toEqual([GIVEN, GIVEN]);
});

test('a generated secret that the user gives counts as given from then on', () => {
  const { secret } = openSigningSecrets(folder)('one');
  openSigningSecrets(folder, secret)('one');
  expect(openSigningSecrets(folder)('one')).toEqual({ secret, origin: 'given' });
});
