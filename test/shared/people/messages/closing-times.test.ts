import { describe, expect, test } from 'vitest';
import { history } from '#test/shared/core/events/history.ts';
import { payPeriod } from '#test/support/builders.ts';
import { heading, say } from './sample-sentences.ts';

/** Seen on Thu 5 Mar in Auckland; a source may say when a period closed by a date or to the second. */

const UNCOUNTED = '; its hours could not be counted.';

describe('a pay period that closed', () => {
  test.each([
    ['2026-03-05', ''],
    ['2026-03-05T00:00:00', ''],
    ['2026-03-05T00:00:00+13:00', ''],
    ['2026-03-04', ' on Wed 4 Mar'],
    ['2026-03-04T00:00:00', ' on Wed 4 Mar'],
    ['2026-03-03T11:00:00Z', ' on Wed 4 Mar'],
    ['2026-03-05T09:12:00+13:00', ' at 09:12'],
    ['2026-03-04T09:12:00', ' on Wed 4 Mar at 09:12'],
    ['yes', ''],
  ])('at %j has closed%s', (closed, when) => {
    expect(sentenceOf(null, closed)).toBe(`Pay period Weekly 2-8 Mar closed${when}${UNCOUNTED}`);
  });

  test.each([
    ['2026-03-04', '2026-03-05', ' (before that on Wed 4 Mar)'],
    ['2026-03-04T00:00:00', '2026-03-05', ' (before that on Wed 4 Mar)'],
    ['2026-03-05', '2026-03-05T00:00:00', ' (before that on Thu 5 Mar)'],
    [
      '2026-03-04T09:12:00+13:00',
      '2026-03-05T09:12:00+13:00',
      ' (before that on Wed 4 Mar at 09:12) at 09:12',
    ],
    ['2026-03-05T09:12:00', '2026-03-04', ' (before that on Thu 5 Mar at 09:12) on Wed 4 Mar'],
    ['2025-03-04T09:12:00', '2026-03-05', ' (before that on Tue 4 Mar 2025 at 09:12)'],
    ['yes', '2026-03-05', ''],
  ])('at %j and again at %j has both', (before, closed, when) => {
    expect(sentenceOf(before, closed)).toBe(`Pay period Weekly 2-8 Mar closed again${when}${UNCOUNTED}`);
  });
});

test.each([
  ['2026-03-05', '; it was closed on Thu 5 Mar.'],
  ['2026-03-05T00:00:00', '; it was closed on Thu 5 Mar.'],
  ['2026-03-05T09:12:00', '; it was closed on Thu 5 Mar at 09:12.'],
  ['yes', '.'],
])('one that had closed at %j is reopened%s', (before, ending) => {
  expect(sentenceOf(before, null)).toBe(
    `Pay period Weekly 2-8 Mar was reopened between 14:00 and 14:01${ending}`,
  );
});

test('a period that was reopened says that it closed again, also where nothing counts the hours', () => {
  const open = payPeriod();
  const closed = payPeriod({ closed: '2026-03-05' });
  const [first, , again] = history(open, closed, open, closed);
  expect([first, again].map((event) => say(event ?? {}))).toEqual([
    'Pay period Weekly 2-8 Mar closed; its hours could not be counted.',
    'Pay period Weekly 2-8 Mar closed again; its hours could not be counted.',
  ]);
  expect(heading(again ?? {})).toBe('Pay period Weekly 2-8 Mar closed again: its hours could not be counted');
});

function sentenceOf(before: string | null, closed: string | null): string {
  const [event] = history(payPeriod({ closed: before }), payPeriod({ closed }));
  return say(event ?? {});
}
