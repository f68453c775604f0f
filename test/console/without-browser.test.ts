import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listWithoutBrowser } from '#test/support/without-browser.ts';

test('on Linux x64 every test with a browser runs', () => {
  const said: string[] = [];
  expect(listWithoutBrowser({ platform: 'linux', arch: 'x64' }, (line) => said.push(line))).toEqual([]);
  expect(said).toEqual([]);
});

test.each([
  { platform: 'linux', arch: 'arm64' },
  { platform: 'darwin', arch: 'arm64' },
  { platform: 'win32', arch: 'x64' },
] as const)('on $platform $arch each of them is left out, in one line that names them', (machine) => {
  const said: string[] = [];
  const leftOut = listWithoutBrowser(machine, (line) => said.push(line));
  expect(leftOut).toEqual(listTestsWithBrowser());
  expect(said).toEqual([expect.stringContaining(leftOut.join(', '))]);
});

function listTestsWithBrowser(): string[] {
  const files = readdirSync('test/console').filter((file) => file.endsWith('.test.ts'));
  return files
    .map((file) => `test/console/${file}`)
    .filter((path) => /\blaunchBrowser\(\)/.test(readFileSync(path, 'utf8')));
}
