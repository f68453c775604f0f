import { expect, test } from 'vitest';
import { cutToColumns, measureColumns, padToColumns } from '#local/run/terminal/screen-line.ts';

test.each([
  ['approved – → 08:30 …', 20],
  ['', 0],
  ['日本', 4],
  ['e\u0301te\u0301', 3],
  ['🎉!', 3],
])('%j takes %i columns', (text, columns) => {
  expect(measureColumns(text)).toBe(columns);
});

test('what is cut is marked, and a wide character is not halved', () => {
  expect(cutToColumns('approved', 8)).toBe('approved');
  expect(cutToColumns('approved', 7)).toBe('approv…');
  expect(cutToColumns('approved at', 10)).toBe('approved…');
  expect(cutToColumns('日本語', 6)).toBe('日本語');
  expect(cutToColumns('日本語', 5)).toBe('日本…');
  expect(cutToColumns('日本語', 4)).toBe('日…');
  expect(cutToColumns('approved', 0)).toBe('');
  expect(padToColumns('日本', 6)).toBe('日本  ');
});
