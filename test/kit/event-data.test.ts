import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { EXAMPLE_EVENTS } from 'workforce-change-notifier/testing';

const COMPILER = resolve('node_modules/typescript/bin/tsc');
const STRICT = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2024', '--types', ''];
const EXAMPLES = Object.values(EXAMPLE_EVENTS);

const folder = mkdtempSync(join(tmpdir(), 'event-data-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('the types hold every event that is published, and want what each type promises', () => {
  const declare = (name: string, type: string, event: object) =>
    `export const ${name}: EventEnvelope<'${type}'> = ${JSON.stringify(event)};`;
  const right = EXAMPLES.map((event, place) => declare(`right${place}`, event.type, event));
  const wrong = EXAMPLES.flatMap((event, place) => {
    const [, ...members] = Object.entries(event.data);
    const spoilt = declare(`wrong${place}`, event.type, { ...event, data: Object.fromEntries(members) });
    return ['// @ts-expect-error its first member is missing', spoilt];
  });
  const head = `import type { EventEnvelope } from '${resolve('kit/event-data.ts')}';`;
  writeFileSync(join(folder, 'use.ts'), [head, ...right, ...wrong].join('\n'));
  const args = [COMPILER, ...STRICT, '--allowImportingTsExtensions', 'use.ts'];
  expect(right.length).toBeGreaterThan(30);
  expect(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })).toBe('');
});
