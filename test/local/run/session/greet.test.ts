import { expect, test } from 'vitest';
import type { DataFolder } from '#local/aws/engines/data-folder.ts';
import { type RunOptions, readOptions } from '#local/run/options.ts';
import { greet } from '#local/run/run.ts';
import type { Machine } from '#local/run/session/machine.ts';

test.each([
  [[], []],
  [['north', 'south'], ['polls main alone, not north, south']],
])('connections that a run leaves out are named: %j', async (leftOut, expected) => {
  const options = await readOptions(['--once'], {});
  if (options === null) throw new Error('no options');
  const polling = { request: { connection: { name: 'main' } }, leftOut };
  expect(saidBy({ polling }, options)).toEqual(expected);
});

test.each([
  [
    'a real source',
    ['--base-url', 'https://a.example', '--once'],
    'every user can read',
    ['open to others: every user can read'],
  ],
  ['a real source, behind closed doors', ['--base-url', 'https://a.example', '--once'], null, []],
  ['the sample company', ['--once'], 'every user can read', []],
])('a run on %s says what is left open', async (...[, args, exposure, expected]) => {
  const options = await readOptions(args, { WORKFORCE_API_TOKEN: 'a-token' });
  if (options === null) throw new Error('no options');
  const polling = { request: { connection: { name: 'main' } }, leftOut: [] };
  expect(saidBy({ polling, aws: { exposure } }, options)).toEqual(expected);
});

function saidBy(parts: object, options: RunOptions): string[] {
  const fixed = { source: { baseUrl: 'http://127.0.0.1:1' }, webhooks: [], aws: { exposure: null } };
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const greeting = { options, folder: { fresh: false } as DataFolder, notes: { say, progress: say } };
  greet({ ...fixed, ...parts } as unknown as Machine, greeting);
  return said;
}
