import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listModules, listReachable } from '#test/support/modules.ts';

const { Statement } = JSON.parse(readFileSync('examples/console-policy.json', 'utf8')) as {
  readonly Statement: readonly { readonly Action: string | string[] }[];
};
const ACTIONS = Statement.flatMap(({ Action }) => Action);

/** Only polls ask for the id of the table, and only `doctor` reads secrets: the console says that they are there. */
const LEFT_OUT = ['DescribeTable', 'GetParameter', 'GetSecretValue'];

test('the policy of the console lets it read all that it asks for but secrets, and write nothing', () => {
  const modules = listModules(['bin', 'console', 'shared']);
  const own = modules.map(({ path }) => path).filter((path) => path.startsWith('console/'));
  const texts = listReachable(modules, [...own, 'bin/open-target.ts']).map(({ text }) => text);
  const asked = texts.flatMap((text) =>
    [...text.matchAll(/\bnew (\w+)Command\(|\bpaginate(\w+)\(/g)].map(
      ([, command, pages]) => command ?? pages ?? '',
    ),
  );
  const reads = asked.filter((name) => /^(?:BatchGet|Describe|Get|List|Query)/.test(name));
  const wanted = [...new Set(reads)].filter((name) => !LEFT_OUT.includes(name));
  // What is read may be encrypted.
  expect(ACTIONS.map((action) => action.split(':')[1]).sort()).toEqual([...wanted, 'Decrypt'].sort());
});
