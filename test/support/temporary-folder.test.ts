import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { setup } from './temporary-folder.ts';

test('what a run leaves is in a folder of its own, which ends with it', () => {
  expect(basename(tmpdir())).toMatch(/^notifier-tests-/);
  vi.stubEnv('TMPDIR', tmpdir());
  const end = setup();
  const folder = tmpdir();
  writeFileSync(join(folder, 'left'), '');
  end();
  expect(existsSync(folder)).toBe(false);
});
