import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadNotifierConfig } from '#infra/load-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'load-config-'));

afterAll(() => rmSync(folder, { recursive: true }));

test('the config of this repository is the default', async () => {
  expect((await loadNotifierConfig()).stackName).toBe('workforce-notifier');
});

test.each([
  ['is missing', null, 'no such file; create it, or name another one'],
  [
    'exports nothing',
    'export const config = {};',
    'has no default export; write export default defineNotifierConfig({ ... })',
  ],
  ['throws', "throw new Error('boom');", 'boom'],
  ['is wrong', 'export default {};', 'connections: is missing; give a list'],
])('a file that %s is an error that names it and says what to do', async (name, text, message) => {
  const file = join(folder, `${name.replaceAll(' ', '-')}.config.ts`);
  if (text !== null) writeFileSync(file, text);
  await expect(loadNotifierConfig(file)).rejects.toThrow(`${file}: ${message}`);
});
