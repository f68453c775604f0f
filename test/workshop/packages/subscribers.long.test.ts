import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { build, pack } from './foreign-project.ts';

const NAME = 'workforce-change-notifier';
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

it('what subscribers install is the same to the byte when it is built again', () => {
  const digests = ['once', 'again'].map(() => {
    const folder = build(NAME);
    folders.push(folder);
    return pack(join(folder, NAME), folder).integrity;
  });
  expect(new Set(digests).size).toBe(1);
  expect(digests[0]).toMatch(/^sha512-/);
});
