import { describe, expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import { learnDeadline } from '#shared/core/plan/learn-deadline.ts';

/** Sundays. */
const WEEKS = Array.from({ length: 8 }, (_, week) => addDays('2026-09-06', 7 * week));
const MONTHS = ['2026-05-31', '2026-06-30', '2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31'];

describe('the closings of a calendar', () => {
  test('that closes on one weekday', () => {
    const times = ['08:00', '08:00', '09:40', '10:05', '09:58', '10:00', '09:55', '10:02'];
    expect(learnDeadline(closings(WEEKS, 5, times), 'UTC')).toEqual({
      closesAt: 'Fri 10:00',
      habit: 'Fri 09:40 to 10:05',
      agreeing: 6,
      closings: 6,
    });
  });

  test('that closes so many days after its last one', () => {
    expect(learnDeadline(closings(MONTHS, 3, ['17:10']), 'UTC')).toEqual({
      closesAt: '+3d 17:00',
      habit: '3 days after the last day, 17:10',
      agreeing: 6,
      closings: 6,
    });
  });

  test('are read in the zone of the connection', () => {
    expect(learnDeadline(closings(WEEKS, 4, ['21:00']), 'Pacific/Auckland')?.closesAt).toBe('Fri 10:00');
  });

  test('of which one was late still have a habit, without it', () => {
    const late = { finishDate: '2026-11-01', at: Date.parse('2026-11-07T16:00:00Z') };
    expect(learnDeadline([...closings(WEEKS, 5, ['10:00']), late], 'UTC')).toMatchObject({
      closesAt: 'Fri 10:00',
      agreeing: 5,
      closings: 6,
    });
  });

  test.each([
    ['too few', closings(WEEKS.slice(0, 2), 5, ['10:00'])],
    ['at any time of the day', closings(WEEKS, 5, ['08:00', '13:00'])],
    ['on any day', WEEKS.flatMap((week, index) => closings([week], 1 + (index % 3), ['10:00']))],
    ['before its end', closings(WEEKS, 0, ['10:00'])],
  ])('that are %s say nothing', (_, seen) => {
    expect(learnDeadline(seen, 'UTC')).toBe(null);
  });
});

function closings(finishDates: readonly string[], days: number, times: readonly string[]) {
  return finishDates.map((finishDate, index) => ({
    finishDate,
    at: Date.parse(`${addDays(finishDate, days)}T${times[index % times.length]}:00Z`),
  }));
}
