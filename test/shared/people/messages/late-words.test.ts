import { describe, expect, test } from 'vitest';
import { describeLate, describeSinceClosing, isPerhapsLate } from '#shared/people/messages/late-words.ts';

const CHANGED = 'workforce.timesheet.changed';
const PERHAPS = { id: '3_7', calendar: 'Weekly', certain: false };
const SURELY = { id: '4_7', calendar: 'Monthly' };

describe('a change of which it is not known whether it came after the close', () => {
  test.each([
    [['close'], ', perhaps after its pay period closed'],
    [['approval', 'close'], ', after approval, perhaps after its pay period closed'],
    [['processing', 'close'], ', after it was processed, perhaps after its pay period closed'],
  ])('after %j is told so', (late, words) => {
    expect(describeLate(CHANGED, { late, closedPeriods: [PERHAPS] })).toBe(words);
  });

  test('is told as one that did where that is known of one of its periods', () => {
    const data = { late: ['close'], closedPeriods: [PERHAPS, SURELY] };
    expect(describeLate(CHANGED, data)).toBe(', after its pay period closed');
    expect(isPerhapsLate(data)).toBe(false);
    expect(isPerhapsLate({ late: ['close'], closedPeriods: [PERHAPS] })).toBe(true);
    expect(isPerhapsLate({ late: ['close'] })).toBe(false);
  });

  test('is said of clock times, which were recorded then', () => {
    const data = { late: ['close'], closedPeriods: [PERHAPS] };
    const words = ', recorded perhaps after its pay period closed';
    expect(describeLate('workforce.timesheet.clocked_in', data)).toBe(words);
  });
});

describe('hours that a closed pay period no longer comes to', () => {
  const say = (changed: readonly string[]) =>
    describeSinceClosing({
      ...{ previous: { hoursToPay: 7 }, current: { hoursToPay: 10 }, changed },
      closedPeriods: [{ id: '3_7', calendar: 'Weekly' }],
    });

  test('are said of a timesheet that stays in it', () => {
    expect(say(['hoursToPay', 'startTime'])).toBe(' (Weekly +3 h)');
  });

  test.each(['date', 'employeeId'])(
    'are not said with another %s, which may be of another period',
    (field) => {
      expect(say(['hoursToPay', field])).toBe('');
    },
  );
});
