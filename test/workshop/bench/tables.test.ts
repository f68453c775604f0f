import { expect, test } from 'vitest';
import { buildCountRow, buildTables } from '#workshop/bench/row.ts';

test('tables come in the order of the topics, each with its goals', () => {
  const cell = { metric: 'units', baseline: 'another way', value: 9, seed: 1 } as const;
  const tables = buildTables([
    buildCountRow({ ...cell, topic: 'cpu', ours: 3 }),
    buildCountRow({ ...cell, topic: 'storage', ours: 3, atMost: 50_000 }),
  ]);
  expect(tables).toMatch(/^## Reads and writes of DynamoDB\n\nUnits as /);
  expect(tables).toContain('| Notifier | Ratio | Goal | Seed |');
  expect(tables).toContain('| units | another way | 9 | 3 | 0.33 | 50,000 | 1 |');
  expect(tables.indexOf('## CPU')).toBeGreaterThan(tables.indexOf('| units |'));
});
