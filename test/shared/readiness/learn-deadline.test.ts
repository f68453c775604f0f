import { describe, expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import { learnDeadline } from '#shared/readiness/learn-deadline.ts';

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

  test.each(['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'])('that closes on a %s', (weekday) => {
    const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(weekday) + 1;
    expect(learnDeadline(closings(WEEKS, days, ['09:00']), 'UTC')).toMatchObject({
      closesAt: `${weekday} 09:00`,
      habit: `${weekday} 09:00`,
    });
  });

  test('that closes more than a week after its last day, where no weekday says it', () => {
    expect(learnDeadline(closings(WEEKS, 8, ['10:00']), 'UTC')?.closesAt).toBe('+8d 10:00');
  });

  test('that closes on the day after', () => {
    expect(learnDeadline(closings(MONTHS, 1, ['17:10']), 'UTC')).toMatchObject({
      closesAt: '+1d 17:00',
      habit: '1 day after the last day, 17:10',
    });
  });

  test('are the last six, in whatever order they come, and three are enough', () => {
    const times = ['08:00', '08:00', '09:40', '10:05', '09:58', '10:00', '09:55', '10:02'];
    expect(learnDeadline(closings(WEEKS, 5, times).reverse(), 'UTC')?.habit).toBe('Fri 09:40 to 10:05');
    expect(learnDeadline(closings(WEEKS.slice(0, 3), 5, ['10:00']), 'UTC')).toMatchObject({ closings: 3 });
  });

  test.each([
    [['09:00', '10:00', '12:00'], 'Fri 10:00', 'in the middle of them'],
    [['09:00', '09:00', '09:00', '11:00', '11:00', '11:00'], 'Fri 11:00', 'the later of two'],
    [['17:20'], 'Fri 17:30', 'rounded up'],
    [['23:50'], 'Fri 23:30', 'rounded within the day'],
    [['08:00', '09:00', '12:00'], 'Fri 09:00', 'within four hours'],
  ])('at %j close at %s: %s', (...[times, closesAt]) => {
    const weeks = WEEKS.slice(0, Math.max(times.length, 3));
    expect(learnDeadline(closings(weeks, 5, times), 'UTC')?.closesAt).toBe(closesAt);
  });

  describe('of which three in four agree', () => {
    const on = (finishDate: string, days: number) => closings([finishDate], days, ['10:00']);
    // 2026-10-01 is a Thursday.
    const onFriday = [...on('2026-10-01', 1), ...on('2026-10-08', 1), ...on('2026-10-14', 2)];

    test('have the weekday as habit when the periods end on one, else the days after', () => {
      expect(learnDeadline([...onFriday, ...on('2026-10-19', 1)], 'UTC')).toMatchObject({
        closesAt: '+1d 10:00',
        agreeing: 3,
        closings: 4,
      });
    });

    test('have the habit in which more of them agree', () => {
      expect(learnDeadline([...onFriday, ...on('2026-10-22', 1)], 'UTC')).toMatchObject({
        closesAt: 'Fri 10:00',
        agreeing: 4,
      });
    });

    test('have it also when the first was another', () => {
      const late = on('2026-08-30', 3);
      expect(learnDeadline([...late, ...closings(WEEKS.slice(0, 3), 5, ['10:00'])], 'UTC')).toMatchObject({
        closesAt: 'Fri 10:00',
        agreeing: 3,
      });
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
    ['more than four hours apart', closings(WEEKS, 5, ['08:00', '12:01'])],
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
