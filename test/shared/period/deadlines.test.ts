import { expect, test } from 'vitest';
import { toIso } from '#shared/core/dates.ts';
import { computeDeadline, isClosesAt, parseLeadMs } from '#shared/period/deadlines.ts';

const AUCKLAND = 'Pacific/Auckland';

test.each([
  ['Fri 10:00', '2026-11-15', '2026-11-19T21:00', 'the first Friday after a Sunday'],
  ['Fri 10:00', '2026-11-19', '2026-11-19T21:00', 'the morning after its last day'],
  ['Fri 00:00', '2026-11-19', '2026-11-19T11:00', 'the moment at which its last day ends'],
  ['Fri 10:00', '2026-11-20', '2026-11-26T21:00', 'a week later, when that Friday is in the period'],
  ['+1d 10:00', '2026-11-30', '2026-11-30T21:00', 'the day after the end of a month'],
  ['+3d 17:30', '2026-11-30', '2026-12-03T04:30', 'days after the end of a month'],
  // New Zealand turned its clocks forward on 27 September 2026 and back on 5 April 2026.
  ['Fri 10:00', '2026-09-20', '2026-09-24T22:00', 'before the clocks are turned forward'],
  ['Fri 10:00', '2026-09-27', '2026-10-01T21:00', 'after it'],
  ['Fri 10:00', '2026-03-29', '2026-04-02T21:00', 'before they are turned back'],
  ['Fri 10:00', '2026-04-05', '2026-04-09T22:00', 'after it'],
  ['Sun 02:30', '2026-09-26', '2026-09-26T14:30', 'a time that the clocks skip'],
  ['Sun 02:30', '2026-04-04', '2026-04-04T13:30', 'the first of two that they repeat'],
])('the deadline %s of a period that ends on %s is %s: %s', (closesAt, finishDate, expected) => {
  const deadline = computeDeadline({ closesAt, remindBefore: [] }, finishDate, AUCKLAND);
  expect(toIso(deadline?.at ?? 0)).toBe(`${expected}:00.000Z`);
});

test('every day of the week may be one', () => {
  // The period ends on Sunday the 8th.
  const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((weekday) => {
    const deadline = computeDeadline({ closesAt: `${weekday} 10:00`, remindBefore: [] }, '2026-11-08', 'UTC');
    return new Date(deadline?.at ?? 0).getUTCDate();
  });
  expect(days).toEqual([9, 10, 11, 12, 13, 14, 15]);
});

test.each([
  ['Friday', '2026-11-15'],
  ['10:00', '2026-11-15'],
  ['Fri 10:00', '9999-12-31'],
  ['+2d 10:00', '9999-12-31'],
])('%s after %s is none', (closesAt, finishDate) => {
  expect(computeDeadline({ closesAt, remindBefore: ['1d'] }, finishDate, 'UTC')).toBeNull();
});

interface CalendarToTry {
  readonly closesAt: string;
  readonly remindBefore: string[];
  readonly finishDate: string;
  readonly zone?: string;
}

test.each<[string, CalendarToTry, string]>([
  [
    'come in the order of time, whatever the order of the config, without a lead that it would not take',
    { closesAt: 'Fri 10:00', remindBefore: ['1h', '1d', '30m', 'soon'], finishDate: '2026-11-15' },
    '1d 2026-11-19T10:00, 1h 2026-11-20T09:00, 30m 2026-11-20T09:30',
  ],
  [
    'are a day before at the same time of day where the clocks change in between; hours pass',
    { closesAt: 'Sun 10:00', remindBefore: ['1d', '24h'], finishDate: '2026-09-26', zone: AUCKLAND },
    '24h 2026-09-25T21:00, 1d 2026-09-25T22:00',
  ],
])('reminders %s', (_, { finishDate, zone = 'UTC', ...rule }, expected) => {
  const told = computeDeadline(rule, finishDate, zone)?.reminders ?? [];
  expect(told.map(({ before, at }) => `${before} ${toIso(at).slice(0, 16)}`).join(', ')).toBe(expected);
});

test.each([
  ...['Fri 10:00', 'Mon 00:00', '+1d 09:30', '+31d 23:59'].map((text) => [text, true] as const),
  ...['fri 10:00', 'Friday 10:00', 'Fri 24:00', 'Fri 9:00', '+0d 10:00', '2d 10:00', 'Fri'].map(
    (text) => [text, false] as const,
  ),
])('%s is a moment of closing: %s', (text, isOne) => {
  expect(isClosesAt(text)).toBe(isOne);
});

test('leads are days, hours and minutes', () => {
  expect(['1d', '4h', '30m'].map(parseLeadMs)).toEqual([86_400_000, 14_400_000, 1_800_000]);
  expect(['0h', '1w', 'h', '1.5h'].map(parseLeadMs)).toEqual([null, null, null, null]);
});
