import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fillPermissions } from '#workshop/documents/permissions-table.ts';

test('docs/security.md has the permissions of the template', () => {
  const page = readFileSync('docs/security.md', 'utf8');
  expect(fillPermissions(page), 'run `npm run docs`').toBe(page);
});
