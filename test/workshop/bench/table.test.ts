import { expect, test } from 'vitest';
import { buildTable, compareCounts, type Row } from '#workshop/bench/table.ts';

const row = (metric: string, reached: number, more: Partial<Row> = {}): Row => ({
  ...{ target: 'P3', metric, baseline: ['another way', 9], reached },
  ...more,
});
const REACHED = { 'P3: units': 2, 'P3: requests': 100 };

test.each<[string, readonly Row[], readonly string[], Readonly<Record<string, number>>]>([
  [
    'a better or a new count is kept',
    [row('units', 1.5), row('polls', 3)],
    [],
    { 'P3: polls': 3, 'P3: requests': 100, 'P3: units': 1.5 },
  ],
  [
    'a worse one is named and changes nothing',
    [row('units', 2.001)],
    ['P3: units: 2.001, the best so far is 2'],
    REACHED,
  ],
  [
    'one that could not be made is worse',
    [row('units', Number.NaN)],
    ['P3: units: NaN, the best so far is 2'],
    REACHED,
  ],
  ['a time is no count', [row('units', 50, { isTime: true })], [], REACHED],
])('%s', (_, rows, worse, best) => {
  expect(compareCounts(rows, REACHED)).toEqual({ worse, best });
});

test('the table comes in the order of the targets, and says which goals are missed', () => {
  const missed = row('at once', 3, { atMost: 2, unit: 'units' });
  expect(buildTable([{ target: 'P14', metric: 'of 200', reached: 0.8, atMost: 0.9 }, missed])).toBe(
    [
      '| | Figure | Baseline | Its value | Goal | Reached |',
      '|---|---|---|---|---|---|',
      '| P3 | at once | another way | 9 units | 2 units (missed) | 3 units |',
      '| P14 | of 200 |  |  | 0.9 | 0.8 |',
    ].join('\n'),
  );
});
