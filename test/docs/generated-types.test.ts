import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SHORT_EVENT_TYPES, toEventType } from '#shared/core/event-types.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import type { JsonSchema } from '#workshop/documents/json-schema.ts';
import { nameEvent } from '#workshop/documents/schema-names.ts';

/** Types that a generator makes of the published schema, compiled and used as a subscriber would. */

const COMPILER = resolve('node_modules/typescript/bin/tsc');
const STRICT = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--target', 'es2024'];
const SCHEMA = JSON.parse(readFileSync('docs/schemas/workforce-event.json', 'utf8'));
const SAMPLES = SHORT_EVENT_TYPES.map(
  (type) =>
    `export const of${nameEvent(type)}: types.${nameEvent(type)} = ${JSON.stringify(exampleEvent(toEventType(type)))};`,
);
const USE = `
export function hoursOf(event: types.WorkforceEvent): number | undefined {
  switch (event.type) {
    case 'workforce.timesheet.approved':
      return event.data.current?.hoursToPay;
    case 'workforce.pay_period.closed':
      return event.data.account?.ready.hours;
    default:
      return undefined;
  }
}`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'generated-types-'));
  const { $defs, ...any } = SCHEMA as JsonSchema & { readonly $defs: Readonly<Record<string, JsonSchema>> };
  const declared = Object.entries({ ...$defs, [String(any.title)]: any }).map(declareType);
  writeFileSync(join(folder, 'types.ts'), declared.join('\n'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

it('have names, hold every example, and are told apart by the type', async () => {
  expect(SAMPLES.length).toBeGreaterThan(30);
  expect(await compile([...SAMPLES, USE].join('\n'))).toBe('');
});

it.each([
  ['a sequence that is a text', SAMPLES[0]?.replace('"sequence":1', '"sequence":"1"')],
  ['a missing member', SAMPLES[0]?.replace('"specversion":"1.0",', '')],
  ['data of another type', USE.replace('hoursToPay', 'calendar.length')],
  [
    'what only one type has',
    USE.replace("case 'workforce.pay_period.closed'", "case 'workforce.pay_period.created'"),
  ],
])('refuse %s', async (_, code = '') => {
  expect(await compile(code)).toMatch(/^use\.ts\(\d+,\d+\): error TS2(?:322|339|741)/);
});

async function compile(code: string): Promise<string> {
  const file = join(folder, 'use.ts');
  writeFileSync(file, `import type * as types from './types.ts';\n${code}\n`);
  const args = [COMPILER, ...STRICT, '--allowImportingTsExtensions', file];
  return await promisify(execFile)(process.execPath, args, { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout,
  );
}

function declareType([name, schema]: readonly [string, JsonSchema]): string {
  return `export type ${name} = ${toType(schema)};`;
}

/** The TypeScript of a schema, as far as the published ones go. Throws for anything else. */
function toType(schema: JsonSchema): string {
  const { $ref, type, items, properties } = schema;
  const choice = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (typeof $ref === 'string') return $ref.replace('#/$defs/', '');
  if (choice !== undefined) return choice.map(toType).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(type)) return type.map((each: string) => toType({ ...schema, type: each })).join(' | ');
  if (type === 'array') return `readonly (${toType(items as JsonSchema)})[]`;
  if (type === 'integer') return 'number';
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type;
  if (type !== 'object') throw new Error(`no type for ${JSON.stringify(schema)}`);
  const required = new Set((schema.required ?? []) as string[]);
  const members = Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(
    ([member, value]) => `readonly ${member}${required.has(member) ? '' : '?'}: ${toType(value)};`,
  );
  return `{ ${members.join(' ')} }`;
}
