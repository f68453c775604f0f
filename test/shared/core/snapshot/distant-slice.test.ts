import { expect, test } from 'vitest';
import { DISTANT_SLICE, findSliceForDate } from '#shared/core/snapshot/distant-slice.ts';
import { createHead } from '#shared/core/snapshot/snapshot.ts';
import { slice } from '#test/support/builders.ts';

const WINDOW = { from: '2026-03-01', to: '2026-03-31' };
const SCANNED = '2026-02-10';
/** It holds records that moved there, and was never scanned itself. */
const UNSCANNED = '2026-02-11';
const HEADS = new Map([
  [SCANNED, slice({ slice: SCANNED }).head],
  [UNSCANNED, createHead(UNSCANNED, '0-run')],
]);

test.each([
  ['the first day of the window', WINDOW.from, WINDOW.from],
  ['the last day of the window', WINDOW.to, WINDOW.to],
  ['a date that left the window, and was scanned', SCANNED, SCANNED],
  ['a date before the window that was never scanned', UNSCANNED, DISTANT_SLICE],
  ['a date before the window of which nothing is known', '2026-02-28', DISTANT_SLICE],
  ['a date after the window', '2026-04-01', DISTANT_SLICE],
  ['a wrong year', '2206-03-05', DISTANT_SLICE],
])('the slice of records on %s (%s) is %s', (_, date, expected) => {
  expect(findSliceForDate(date, { window: WINDOW, heads: HEADS })).toBe(expected);
});

test('the slice of distant records sorts after every date and before that of arrivals', () => {
  expect(['arrivals', DISTANT_SLICE, '9999-12-31'].sort()).toEqual(['9999-12-31', DISTANT_SLICE, 'arrivals']);
});
