import { describe, expect, test } from 'vitest';
import { findDueReminder, findLastReminder, type ReminderPlan } from '#shared/period/reminders.ts';

const PLAN: ReminderPlan = {
  calendars: [{ name: 'Weekly', closesAt: 'Fri 10:00', remindBefore: ['1d', '4h', '1h'] }],
  summaries: ['08:00', '16:00'],
  timeZone: 'UTC',
  windowFrom: '2026-10-16',
};
const WEEK = { calendar: 'Weekly', startDate: '2026-11-09', finishDate: '2026-11-15', closed: false };

describe('reminders', () => {
  test.each([
    ['not yet a day before', '2026-11-19T09:59', null],
    ['a day before', '2026-11-19T10:00', '1d'],
    ['four hours before', '2026-11-20T06:00', '4h'],
    ['of several that passed unseen, the latest', '2026-11-20T09:30', '1h'],
    ['none at the deadline', '2026-11-20T10:00', null],
  ])('%s', (_, at, before) => {
    const due = find(WEEK, { since: '2026-11-18T20:00', now: at }, { ...PLAN, summaries: [] });
    expect(due?.reminder?.before ?? null).toBe(before);
  });

  test('one that was told is not due again', () => {
    const summaries: string[] = [];
    const at = (since: string) => find(WEEK, { since, now: '2026-11-20T06:20' }, { ...PLAN, summaries });
    expect(at('2026-11-20T05:59')?.reminder?.before).toBe('4h');
    expect(at('2026-11-20T06:00')).toBe(null);
  });

  test('none of a calendar without a deadline', () => {
    const other = { ...WEEK, calendar: 'Monthly' };
    expect(
      find(other, { since: '2026-11-19T09:00', now: '2026-11-19T10:00' }, { ...PLAN, summaries: [] }),
    ).toBe(null);
  });
});

describe('daily summaries', () => {
  test('are due at their times of day, with the deadline where there is one', () => {
    expect(find(WEEK, { since: '2026-11-12T07:59', now: '2026-11-12T08:00' })).toEqual({
      deadline: Date.parse('2026-11-20T10:00Z'),
      reminder: null,
      summaries: ['08:00'],
      momentAt: Date.parse('2026-11-12T08:00Z'),
      through: '2026-11-11',
    });
    expect(
      find({ ...WEEK, calendar: 'Monthly' }, { since: '2026-11-12T07:59', now: '2026-11-12T08:00' }),
    ).toMatchObject({ deadline: null, summaries: ['08:00'] });
  });

  test('that passed unseen are told on the same day, and not on the next', () => {
    expect(find(WEEK, { since: '2026-11-12T07:00', now: '2026-11-12T17:00' })?.summaries).toEqual([
      '08:00',
      '16:00',
    ]);
    expect(find(WEEK, { since: '2026-11-12T07:00', now: '2026-11-13T07:00' })).toBe(null);
  });

  test('count the days that are over, and go on after the deadline', () => {
    expect(find(WEEK, { since: '2026-11-21T07:00', now: '2026-11-21T08:00' })).toMatchObject({
      reminder: null,
      through: '2026-11-15',
    });
  });

  test('begin on the second day of a period, and end with the window', () => {
    expect(find(WEEK, { since: '2026-11-09T07:00', now: '2026-11-09T08:00' })).toBe(null);
    expect(
      find(
        WEEK,
        { since: '2026-11-21T07:00', now: '2026-11-21T08:00' },
        { ...PLAN, windowFrom: '2026-11-16' },
      ),
    ).toBe(null);
  });

  test('go on while the period ends in the window, and leave out the day that is not over', () => {
    const at = { since: '2026-11-21T07:00', now: '2026-11-21T08:00' };
    expect(find(WEEK, at, { ...PLAN, windowFrom: '2026-11-15' })?.summaries).toEqual(['08:00']);
    expect(find(WEEK, { since: '2026-11-15T07:00', now: '2026-11-15T08:00' })?.through).toBe('2026-11-14');
    expect(find(WEEK, { since: '2026-11-16T07:00', now: '2026-11-16T08:00' })?.through).toBe('2026-11-15');
  });

  test.each([
    ['05:00', '2026-11-20T06:00Z'],
    ['06:10', '2026-11-20T06:10Z'],
  ])('and a reminder are remembered by the last of them: %s and 06:00', (summary, last) => {
    const plan = { ...PLAN, summaries: [summary] };
    expect(find(WEEK, { since: '2026-11-20T04:00', now: '2026-11-20T06:30' }, plan)).toMatchObject({
      reminder: { before: '4h' },
      summaries: [summary],
      momentAt: Date.parse(last),
    });
  });

  test('and a reminder at the same time are one', () => {
    const plan = { ...PLAN, summaries: ['06:00'] };
    expect(find(WEEK, { since: '2026-11-20T05:00', now: '2026-11-20T06:00' }, plan)).toMatchObject({
      reminder: { before: '4h' },
      summaries: ['06:00'],
    });
  });
});

test('a row knows the last moment that was told; none, and one that a clock ahead told, are none', () => {
  const now = Date.parse('2026-11-20T06:00Z');
  expect([undefined, now - 1, now + 60_000, now + 60_001].map((at) => findLastReminder(at, now))).toEqual([
    0,
    now - 1,
    now + 60_000,
    0,
  ]);
});

function find(
  period: typeof WEEK,
  { since, now }: { readonly since: string; readonly now: string },
  plan: ReminderPlan = PLAN,
) {
  const moments = { since: Date.parse(`${since}Z`), now: Date.parse(`${now}Z`) };
  return findDueReminder(period, moments, plan);
}
