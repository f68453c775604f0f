import { expect, test } from 'vitest';
import { buildCountRow, buildTables, replaceTables } from '#workshop/bench/row.ts';

const row = (topic: 'cpu' | 'storage', ours: number) =>
  buildCountRow({ topic, metric: 'units', baseline: 'another way', value: 9, ours, seed: 1 });
const EMPTY = '# Cost\n<!-- bench:begin -->\n<!-- bench:end -->\nMore text.\n';
const BOTH = replaceTables(EMPTY, buildTables([row('cpu', 3), row('storage', 2)]));

test('tables stand between the markers in the order of the topics', () => {
  expect(BOTH.startsWith('# Cost\n<!-- bench:begin -->\n## Reads and writes of DynamoDB\n\nUnits as ')).toBe(
    true,
  );
  expect(BOTH.indexOf('## CPU')).toBeGreaterThan(BOTH.indexOf('| units | another way | 9 | 2 |'));
  expect(BOTH.endsWith('\n<!-- bench:end -->\nMore text.\n')).toBe(true);
});

test('a goal stands beside its figure', () => {
  const cell = {
    topic: 'storage',
    metric: 'units',
    baseline: 'another way',
    value: 9,
    ours: 3,
    seed: 1,
  } as const;
  const table = buildTables([buildCountRow({ ...cell, atMost: 50_000 })]).get('storage');
  expect(table).toContain('| Notifier | Ratio | Goal | Seed |');
  expect(table).toContain('| units | another way | 9 | 3 | 0.33 | 50,000 | 1 |');
});

test('a measured topic replaces its whole table, and tables of other topics stay', () => {
  const after = replaceTables(BOTH, buildTables([row('storage', 1)]));
  expect(after).toBe(BOTH.replace('| 9 | 2 | 0.22 |', '| 9 | 1 | 0.11 |'));
});

test('a document without markers is refused', () => {
  expect(() => replaceTables('# Cost', new Map())).toThrow('the document has no <!-- bench:begin -->');
});
