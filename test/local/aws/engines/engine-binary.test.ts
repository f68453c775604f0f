import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findEngineBinary } from '#local/aws/engines/dynamodb-engine.ts';

test.each([
  ['darwin', 'arm64', '@dynoxide/darwin-arm64/dynoxide'],
  ['darwin', 'x64', '@dynoxide/darwin-x64/dynoxide'],
  ['linux', 'arm64', '@dynoxide/linux-arm64/dynoxide'],
  ['linux', 'x64', '@dynoxide/linux-x64/dynoxide'],
  ['win32', 'x64', '@dynoxide/win32-x64/dynoxide.exe'],
] as const)('%s on %s has an embedded DynamoDB, which npm installs there', (platform, arch, path) => {
  expect(findEngineBinary({ platform, arch }, (found) => `/modules/${found}`)).toBe(`/modules/${path}`);
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(optionalDependencies).toHaveProperty([path.split('/').slice(0, 2).join('/')]);
});

test('where it is missing, or there is none, it is said how to get one', () => {
  const notFound = () => {
    throw new Error('Cannot find module');
  };
  expect(() => findEngineBinary({ platform: 'freebsd', arch: 'x64' }, notFound)).toThrow(
    'the embedded DynamoDB for freebsd-x64 is not installed: run npm install without --omit=optional; where there is none, start another one, such as DynamoDB Local, and set AWS_ENDPOINT_URL_DYNAMODB to its address',
  );
});
