import { expect, test } from 'vitest';
import { findDueReminder, findLastReminder, type ReminderPlan } from '#shared/period/reminders.ts';

const PLAN: ReminderPlan = {
  calendars: [{ name: 'Weekly', closesAt: 'Fri 10:00', remindBefore: ['1d', '4h', '1h'] }],
  summaries: [],
  timeZone: 'UTC',
  windowFrom: '2026-10-16',
};
/** It closes on Friday, 20 November, at 10:00. */
const WEEK = { calendar: 'Weekly', startDate: '2026-11-09', finishDate: '2026-11-15', closed: false };
const MONTHLY = { ...WEEK, calendar: 'Monthly' };

/** Days and times of November: `19T10:00`. */
const at = (time: string) => Date.parse(`2026-11-${time}Z`);

/** What is due, and the last day that it counts: `4h 08:00 to 15`; empty for nothing. */
function due(times: string, plan: Partial<ReminderPlan> = {}, period = WEEK): string {
  const [since = '', now = ''] = times.split(' ');
  const found = findDueReminder(period, { since: at(since), now: at(now) }, { ...PLAN, ...plan });
  if (found === null) return '';
  const words = [...(found.reminder === null ? [] : [found.reminder.before]), ...found.summaries];
  return `${words.join(' ')} to ${found.through.slice(-2)}`;
}

test.each([
  ['not yet a day before', '18T20:00 19T09:59', ''],
  ['a day before', '18T20:00 19T10:00', '1d to 15'],
  ['four hours before', '18T20:00 20T06:00', '4h to 15'],
  ['of several that passed unseen, the latest', '18T20:00 20T09:30', '1h to 15'],
  ['none at the deadline', '18T20:00 20T10:00', ''],
  ['one since it was told', '20T05:59 20T06:20', '4h to 15'],
  ['none that was told', '20T06:00 20T06:20', ''],
])('a reminder is due: %s', (_, times, expected) => {
  expect(due(times)).toBe(expected);
});

test('none is due of a calendar without a deadline', () => {
  expect(due('19T09:00 19T10:00', {}, MONTHLY)).toBe('');
});

const SUMMARIES = { summaries: ['08:00', '16:00'] };

test.each<[string, string, Partial<ReminderPlan>, string]>([
  ['at its time of day', '12T07:59 12T08:00', {}, '08:00 to 11'],
  ['those that passed unseen on the same day', '12T07:00 12T17:00', {}, '08:00 16:00 to 11'],
  ['not on the next', '12T07:00 13T07:00', {}, ''],
  ['also after the deadline', '21T07:00 21T08:00', {}, '08:00 to 15'],
  ['not on the first day of a period', '09T07:00 09T08:00', {}, ''],
  ['on its last day, which is not over', '15T07:00 15T08:00', {}, '08:00 to 14'],
  ['on the day after it', '16T07:00 16T08:00', {}, '08:00 to 15'],
  ['while the period ends in the window', '21T07:00 21T08:00', { windowFrom: '2026-11-15' }, '08:00 to 15'],
  ['and no longer', '21T07:00 21T08:00', { windowFrom: '2026-11-16' }, ''],
  ['with a reminder at the same time', '20T05:00 20T06:00', { summaries: ['06:00'] }, '4h 06:00 to 15'],
])('a daily summary is due: %s', (_, times, plan, expected) => {
  expect(due(times, { ...SUMMARIES, ...plan })).toBe(expected);
});

test('a summary says the deadline, where there is one', () => {
  const moments = { since: at('12T07:59'), now: at('12T08:00') };
  const plan = { ...PLAN, ...SUMMARIES };
  expect(findDueReminder(WEEK, moments, plan)).toMatchObject({
    ...{ deadline: at('20T10:00'), momentAt: at('12T08:00') },
  });
  expect(findDueReminder(MONTHLY, moments, plan)).toMatchObject({ deadline: null, summaries: ['08:00'] });
});

test.each([
  ['05:00', '20T06:00'],
  ['06:10', '20T06:10'],
])('a summary and a reminder are remembered by the last of them: %s and 06:00', (summary, last) => {
  const plan = { ...PLAN, summaries: [summary] };
  expect(findDueReminder(WEEK, { since: at('20T04:00'), now: at('20T06:30') }, plan)).toMatchObject({
    ...{ reminder: { before: '4h' }, summaries: [summary], momentAt: at(last) },
  });
});

test('a row knows the last moment that was told; none, and one that a clock ahead told, are none', () => {
  const now = at('20T06:00');
  const last = [undefined, now - 1, now + 60_000, now + 60_001].map((told) => findLastReminder(told, now));
  expect(last).toEqual([0, now - 1, now + 60_000, 0]);
});
