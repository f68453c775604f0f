import { expect, test } from 'vitest';
import { acceptCounts, buildCountRow, judgeCounts, judgeGoal, type Row } from '#workshop/bench/row.ts';

function row(metric: string, ours: number): Row {
  return buildCountRow({ topic: 'storage', metric, baseline: 'another way', value: 9, ours, seed: 1 });
}

const REACHED = { 'storage: units': 2, 'storage: requests': 100 };

test('a count that is worse than what was reached is named', () => {
  expect(judgeCounts([row('units', 2.001), row('requests', 100)], REACHED)).toEqual({
    worse: [{ name: 'storage: units', value: 2.001, reached: 2 }],
    better: [],
  });
});

test('a better count is news, and so is one that was never made', () => {
  expect(judgeCounts([row('units', 1.5), row('polls', 3)], REACHED)).toEqual({
    worse: [],
    better: [
      { name: 'storage: units', value: 1.5, reached: 2 },
      { name: 'storage: polls', value: 3, reached: null },
    ],
  });
});

test('accepting keeps the best of every count, also of rows that were not run', () => {
  const rows = [row('units', 1.5), row('requests', 120), row('polls', 3)];
  expect(acceptCounts(rows, REACHED)).toEqual({
    'storage: polls': 3,
    'storage: requests': 100,
    'storage: units': 1.5,
  });
});

test('a count that could not be made is worse, and is never accepted', () => {
  expect(judgeCounts([row('units', Number.NaN)], REACHED).worse).toHaveLength(1);
  expect(acceptCounts([row('polls', Number.NaN)], {})).toEqual({});
});

test('times are not counts', () => {
  const { count: _count, ...time } = row('units', 50);
  expect(judgeCounts([time], REACHED)).toEqual({ worse: [], better: [] });
});

test('a figure beyond its goal fails; a count only misses it, since it fails by what was reached, and so does a time', () => {
  const goal = { value: 3, atMost: 2 };
  expect(judgeGoal({ goal })).toBe('failed');
  expect(judgeGoal({ goal, count: 3 })).toBe('missed');
  expect(judgeGoal({ goal: { ...goal, isTime: true } })).toBe('missed');
  expect(judgeGoal({ goal: { value: 2, atMost: 2 } })).toBe('reached');
  expect(judgeGoal({})).toBe('reached');
});

test('two rows of one name would hide each other', () => {
  expect(() => judgeCounts([row('units', 1), row('units', 2)], REACHED)).toThrow(
    'two rows count "storage: units"',
  );
});
