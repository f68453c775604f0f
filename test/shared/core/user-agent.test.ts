import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { USER_AGENT } from '#shared/core/user-agent.ts';

test('requests name the program, the version of package.json, and where it is explained', () => {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(USER_AGENT).toBe(`${name}/${version} (+https://www.npmjs.com/package/${name})`);
});
