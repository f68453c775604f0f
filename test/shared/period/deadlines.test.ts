import { describe, expect, test } from 'vitest';
import { toIso } from '#shared/core/dates.ts';
import { computeDeadline, isClosesAt, parseLeadMs } from '#shared/period/deadlines.ts';

const AUCKLAND = 'Pacific/Auckland';

describe('the deadline of a period', () => {
  test.each([
    ['Fri 10:00', '2026-11-15', '2026-11-19T21:00:00.000Z', 'the first Friday after a Sunday'],
    ['Fri 10:00', '2026-11-19', '2026-11-19T21:00:00.000Z', 'the morning after its last day'],
    ['Fri 00:00', '2026-11-19', '2026-11-19T11:00:00.000Z', 'the moment at which its last day ends'],
    [
      'Fri 10:00',
      '2026-11-20',
      '2026-11-26T21:00:00.000Z',
      'a week later, when that Friday is in the period',
    ],
    ['+1d 10:00', '2026-11-30', '2026-11-30T21:00:00.000Z', 'the day after the end of a month'],
    ['+3d 17:30', '2026-11-30', '2026-12-03T04:30:00.000Z', 'days after the end of a month'],
  ])('%s of a period that ends on %s is %s: %s', (closesAt, finishDate, expected) => {
    expect(deadlineOf(closesAt, finishDate)).toBe(expected);
  });

  test('follows the clocks of the zone when they change', () => {
    // New Zealand turned its clocks forward on 27 September 2026 and back on 5 April 2026.
    expect(deadlineOf('Fri 10:00', '2026-09-20')).toBe('2026-09-24T22:00:00.000Z');
    expect(deadlineOf('Fri 10:00', '2026-09-27')).toBe('2026-10-01T21:00:00.000Z');
    expect(deadlineOf('Fri 10:00', '2026-03-29')).toBe('2026-04-02T21:00:00.000Z');
    expect(deadlineOf('Fri 10:00', '2026-04-05')).toBe('2026-04-09T22:00:00.000Z');
  });

  test.each([
    ['Sun', '15'],
    ['Mon', '09'],
    ['Tue', '10'],
    ['Wed', '11'],
    ['Thu', '12'],
    ['Fri', '13'],
    ['Sat', '14'],
  ])('on %s is that day of the week after a period that ends on Sunday the 8th', (weekday, day) => {
    const deadline = computeDeadline({ closesAt: `${weekday} 10:00`, remindBefore: [] }, '2026-11-08', 'UTC');
    expect(toIso(deadline?.at ?? 0)).toBe(`2026-11-${day}T10:00:00.000Z`);
  });

  test('is none where the config would not take the calendar, and a lead that it would not take is left out', () => {
    expect(computeDeadline({ closesAt: 'Friday', remindBefore: ['1d'] }, '2026-11-15', 'UTC')).toBeNull();
    expect(computeDeadline({ closesAt: '10:00', remindBefore: [] }, '2026-11-15', 'UTC')).toBeNull();
    for (const closesAt of ['Fri 10:00', '+2d 10:00'])
      expect(computeDeadline({ closesAt, remindBefore: ['1d'] }, '9999-12-31', 'UTC')).toBeNull();
    const deadline = computeDeadline(
      { closesAt: 'Fri 10:00', remindBefore: ['soon', '1h'] },
      '2026-11-15',
      'UTC',
    );
    expect(deadline?.reminders.map(({ before }) => before)).toEqual(['1h']);
  });

  test('a time that the clocks skip comes once, and one that they repeat is the first', () => {
    expect(deadlineOf('Sun 02:30', '2026-09-26')).toBe('2026-09-26T14:30:00.000Z');
    expect(deadlineOf('Sun 02:30', '2026-04-04')).toBe('2026-04-04T13:30:00.000Z');
  });
});

describe('reminders', () => {
  test('come in the order of time, whatever the order of the config', () => {
    const deadline = computeDeadline(
      { closesAt: 'Fri 10:00', remindBefore: ['1h', '1d', '30m'] },
      '2026-11-15',
      'UTC',
    );
    expect(deadline?.reminders.map(({ before, at }) => [before, toIso(at)])).toEqual([
      ['1d', '2026-11-19T10:00:00.000Z'],
      ['1h', '2026-11-20T09:00:00.000Z'],
      ['30m', '2026-11-20T09:30:00.000Z'],
    ]);
  });

  test('a day before is the same time of day where the clocks change in between; hours pass', () => {
    const deadline = computeDeadline(
      { closesAt: 'Sun 10:00', remindBefore: ['1d', '24h'] },
      '2026-09-26',
      AUCKLAND,
    );
    expect(deadline?.reminders.map(({ before, at }) => [before, toIso(at)])).toEqual([
      ['24h', '2026-09-25T21:00:00.000Z'],
      ['1d', '2026-09-25T22:00:00.000Z'],
    ]);
  });
});

test.each(['Fri 10:00', 'Mon 00:00', '+1d 09:30', '+31d 23:59'])('%s is a moment of closing', (text) => {
  expect(isClosesAt(text)).toBe(true);
});

test.each(['fri 10:00', 'Friday 10:00', 'Fri 24:00', 'Fri 9:00', '+0d 10:00', '2d 10:00', 'Fri'])(
  '%s is none',
  (text) => {
    expect(isClosesAt(text)).toBe(false);
  },
);

test('leads are days, hours and minutes', () => {
  expect(['1d', '4h', '30m', '0h', '1w', 'h', '1.5h'].map(parseLeadMs)).toEqual([
    86_400_000,
    14_400_000,
    1_800_000,
    null,
    null,
    null,
    null,
  ]);
});

function deadlineOf(closesAt: string, finishDate: string): string {
  return toIso(computeDeadline({ closesAt, remindBefore: [] }, finishDate, AUCKLAND)?.at ?? 0);
}
