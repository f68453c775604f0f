import { expect, test } from 'vitest';
import type { DataFolder } from '#local/aws/engines/data-folder.ts';
import { readOptions } from '#local/run/options.ts';
import { greet } from '#local/run/session/greet.ts';
import type { Machine } from '#local/run/session/machine.ts';

test.each([
  [[], []],
  [
    ['north'],
    ['polls main alone, not north; to poll north: npm start -- --connection north --data .data-north'],
  ],
  [
    ['north', 'south'],
    ['polls main alone, not north, south; to poll north: npm start -- --connection north --data .data-north'],
  ],
])('connections that a run leaves out are named: %j', (leftOut, expected) => {
  const options = readOptions(['--once'], {});
  if (options === null) throw new Error('no options');
  const polling = { connection: { name: 'main' }, leftOut };
  const machine = { source: { baseUrl: 'http://127.0.0.1:1' }, webhooks: [], polling } as unknown as Machine;
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  greet(machine, { options, folder: { fresh: false } as DataFolder, notes: { say, progress: say } });
  expect(said).toEqual(expected);
});
