import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FILE = 'examples/console-policy.json';

test('the policy of the console lets nobody write', () => {
  const { Statement } = JSON.parse(readFileSync(FILE, 'utf8')) as {
    Statement: { Effect: string; Action: string | string[] }[];
  };
  const actions = Statement.flatMap(({ Action }) => Action);
  expect(actions.length).toBeGreaterThan(5);
  for (const action of actions) expect(action).toMatch(/:(?:Get|BatchGet|Query|List|Describe|Decrypt)\w*$/);
  // Whoever reads a secret can sign as the notifier does, and ask the source.
  expect(actions.filter((action) => /Secret/.test(action))).toEqual(['secretsmanager:DescribeSecret']);
});
