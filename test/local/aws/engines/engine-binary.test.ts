import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findEngineBinary } from '#local/aws/engines/dynamodb-engine.ts';

const found = (path: string) => `/modules/${path}`;
const notFound = () => {
  throw new Error('Cannot find module');
};

test.each([
  ['darwin', 'arm64', '@dynoxide/darwin-arm64/dynoxide'],
  ['darwin', 'x64', '@dynoxide/darwin-x64/dynoxide'],
  ['linux', 'arm64', '@dynoxide/linux-arm64/dynoxide'],
  ['linux', 'x64', '@dynoxide/linux-x64/dynoxide'],
  ['win32', 'x64', '@dynoxide/win32-x64/dynoxide.exe'],
] as const)('%s on %s has an embedded DynamoDB, which npm installs there', (platform, arch, path) => {
  expect(findEngineBinary({ platform, arch }, found)).toBe(`/modules/${path}`);
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(optionalDependencies).toHaveProperty([path.split('/').slice(0, 2).join('/')]);
});

test('another platform is told to bring a DynamoDB of its own', () => {
  expect(() => findEngineBinary({ platform: 'freebsd', arch: 'x64' }, found)).toThrow(
    'there is no embedded DynamoDB for freebsd-x64; start another one, such as DynamoDB Local, and set AWS_ENDPOINT_URL_DYNAMODB to its address',
  );
});

test('an installation without optional packages is told so', () => {
  expect(() => findEngineBinary({ platform: 'darwin', arch: 'arm64' }, notFound)).toThrow(
    'the embedded DynamoDB for darwin-arm64 is not installed: run npm install without --omit=optional',
  );
});
