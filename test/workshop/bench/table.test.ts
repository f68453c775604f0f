import { expect, test } from 'vitest';
import { acceptCounts, buildTable, findWorse, isReached, type Row } from '#workshop/bench/table.ts';

function row(metric: string, reached: number, more: Partial<Row> = {}): Row {
  return { target: 'P3', metric, baseline: ['another way', 9], reached, ...more };
}

const REACHED = { 'P3: units': 2, 'P3: requests': 100 };

test('a count that is worse than what was reached is named, a better or a new one is not', () => {
  const rows = [row('units', 2.001), row('requests', 99), row('polls', 3)];
  expect(findWorse(rows, REACHED)).toEqual([{ name: 'P3: units', value: 2.001, reached: 2 }]);
});

test('accepting keeps the best of every count, also of rows that were not run', () => {
  const rows = [row('units', 1.5), row('requests', 120), row('polls', 3)];
  expect(acceptCounts(rows, REACHED)).toEqual({ 'P3: polls': 3, 'P3: requests': 100, 'P3: units': 1.5 });
});

test('a count that could not be made is worse, and is never accepted', () => {
  expect(findWorse([row('units', Number.NaN)], REACHED)).toHaveLength(1);
  expect(acceptCounts([row('polls', Number.NaN)], {})).toEqual({});
});

test('times are not counts', () => {
  expect(findWorse([row('units', 50, { isTime: true })], REACHED)).toEqual([]);
});

test('two rows of one name would hide each other', () => {
  expect(() => findWorse([row('units', 1), row('units', 2)], REACHED)).toThrow('two rows count "P3: units"');
});

test('the table comes in the order of the targets, and says which goals are missed', () => {
  const missed = row('at once', 3, { atMost: 2, unit: 'units' });
  expect([missed, row('a poll', 3)].map(isReached)).toEqual([false, true]);
  expect(buildTable([{ target: 'P4', metric: 'of 200', reached: 0.8, atMost: 0.9 }, missed])).toBe(
    [
      '| | Figure | Baseline | Its value | Goal | Reached |',
      '|---|---|---|---|---|---|',
      '| P3 | writes of an event: at once | another way | 9 units | 2 units (missed) | 3 units |',
      '| P4 | CPU of an unchanged page: of 200 |  |  | 0.9 | 0.8 |',
    ].join('\n'),
  );
});
