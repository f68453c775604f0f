import { describe, expect, test } from 'vitest';
import {
  formatAt,
  formatBetween,
  formatDates,
  formatDay,
  formatMoment,
  formatStamp,
  formatWhen,
} from '#shared/people/messages/moments.ts';
import { formatCount, formatHours, formatNumber } from '#shared/people/messages/numbers.ts';

const READING = { timeZone: 'Pacific/Auckland', year: '2026', day: '2026-11-16' };

describe('dates', () => {
  test.each([
    ['2026-11-16', 'Mon 16 Nov'],
    ['2026-01-01', 'Thu 1 Jan'],
    ['2024-02-29', 'Thu 29 Feb 2024'],
    ['2026-02-30', '2026-02-30'],
    ['soon\n', 'soon'],
  ])('%j is %j', (date, text) => {
    expect(formatDay(date, READING)).toBe(text);
  });

  test.each([
    ['2026-11-10', '2026-11-16', '10-16 Nov'],
    ['2026-11-10', '2026-11-10', '10 Nov'],
    ['2026-11-30', '2026-12-06', '30 Nov - 6 Dec'],
    ['2026-12-28', '2027-01-03', '28 Dec 2026 - 3 Jan 2027'],
    ['2025-12-29', '2026-01-04', '29 Dec 2025 - 4 Jan 2026'],
    ['2025-11-10', '2025-11-16', '10-16 Nov 2025'],
    ['2025-11-10', '2026-11-16', '10 Nov 2025 - 16 Nov 2026'],
    ['all', 'all', 'all - all'],
  ])('from %j to %j is %j', (from, to, text) => {
    expect(formatDates(from, to, READING)).toBe(text);
  });
});

describe('times', () => {
  const at = (text: string) => Date.parse(text);

  test('of the day go without it', () => {
    expect(formatMoment(at('2026-11-15T22:30:59.999Z'), READING)).toBe('11:30');
    expect(formatAt(at('2026-11-15T22:30:59.999Z'), READING)).toBe('at 11:30');
    expect(formatMoment(at('2026-11-15T10:30:00Z'), READING)).toBe('Sun 15 Nov 23:30');
    expect(formatAt(at('2025-11-15T10:30:00Z'), READING)).toBe('on Sat 15 Nov 2025 at 23:30');
  });

  test('are those of the zone, on the day when its clocks change too', () => {
    const spring = { ...READING, day: '2026-09-27' };
    expect(formatMoment(at('2026-09-26T13:59:00Z'), spring)).toBe('01:59');
    expect(formatMoment(at('2026-09-26T14:00:00Z'), spring)).toBe('03:00');
  });

  test('between two scans are given as precisely as they are known', () => {
    const [first, last] = [at('2026-11-15T22:01:00Z'), at('2026-11-15T22:02:00Z')];
    expect(formatBetween(first, last, READING)).toBe('between 11:01 and 11:02');
    expect(formatBetween(first, first + 1, READING)).toBe('at 11:01');
    expect(formatBetween(null, last, READING)).toBe('before 11:02');
    expect(formatBetween(first, last, { ...READING, day: null })).toBe(
      'on Mon 16 Nov between 11:01 and 11:02',
    );
    expect(formatBetween(at('2026-11-15T10:01:00Z'), last, READING)).toBe(
      'between Sun 15 Nov 23:01 and Mon 16 Nov 11:02',
    );
  });

  test('of the source are instants, dates, or something else', () => {
    expect(formatWhen('2026-11-16T11:01:00', READING)).toBe('at 11:01');
    expect(formatWhen('2026-11-16', READING)).toBe('on Mon 16 Nov');
    expect(formatWhen('yes', READING)).toBe(null);
    expect(formatStamp('2026-11-15T22:01:00Z', READING)).toBe('11:01');
    expect(formatStamp('yes', READING)).toBe('yes');
  });
});

test.each([
  [0, '0'],
  [-0, '0'],
  [-0.00001, '0'],
  [7.5, '7.5'],
  [7.58333333, '7.5833'],
  [999, '999'],
  [1_912.5, '1,912.5'],
  [-1_234_567.25, '-1,234,567.25'],
  [0.1 + 0.2, '0.3'],
])('the number %d is %j', (value, text) => {
  expect(formatNumber(value)).toBe(text);
  expect(formatHours(value)).toBe(`${text} h`);
});

test('one is one, and all others are many', () => {
  expect([0, 1, 2].map((count) => formatCount(count, 'timesheet'))).toEqual([
    '0 timesheets',
    '1 timesheet',
    '2 timesheets',
  ]);
  expect(formatCount(2, 'sudden loss', 'sudden losses')).toBe('2 sudden losses');
});
