import { describe, expect, test } from 'vitest';
import { groupEvents } from '#shared/people/groups.ts';
import type { WaitingEvent } from '#shared/people/waiting-event.ts';
import { selectDue } from '#shared/people/when.ts';
import { waitingExample } from '#test/support/example-messages.ts';

/** A Thursday, 10:00 in Auckland. */
const NOW = Date.parse('2026-11-18T21:00:00Z');
const MINUTE_MS = 60_000;
const NIGHT = { from: '20:00', to: '11:00', weekends: false };

const ago = (minutes: number) => ({ at: NOW - minutes * MINUTE_MS });
const closing = (waiting: Partial<WaitingEvent> = {}) =>
  waitingExample('pay_period.closed', {}, { delay: 'now', ...ago(0), ...waiting });
const change = (minutes: number, closedPeriods: readonly object[] = [], subject = '101550_1') =>
  waitingExample(
    'timesheet.changed',
    { subject, data: { late: ['close'], closedPeriods } },
    { delay: 'hour', ...ago(minutes) },
  );

function select(waiting: readonly WaitingEvent[], quietHours?: typeof NIGHT, scope: 'due' | 'all' = 'due') {
  const hours = { quietHours, timeZoneOf: () => 'Pacific/Auckland' };
  const due = selectDue(groupEvents(waiting), hours, { now: NOW, scope });
  return due.flatMap(({ events }) => events.map(({ event }) => event?.type.slice('workforce.'.length)));
}

describe('an event is sent', () => {
  test.each<[string, WaitingEvent, boolean]>([
    ['a closing at once', closing(), true],
    ['a trouble not before a minute', waitingExample('trouble.began', {}, ago(0.5)), false],
    ['a trouble after a minute', waitingExample('trouble.began', {}, ago(1)), true],
    ['a late change not before an hour', change(59), false],
    ['a late change after an hour', change(60), true],
    ['one that a clock ahead has seen', change(-90), true],
  ])('%s', (_, waiting, isSent) => {
    expect(select([waiting]).length > 0).toBe(isSent);
  });

  test('with all that is told of its pay period', () => {
    const own = change(1, [{ id: '9019_1', calendar: 'Weekly' }]);
    const other = change(1, [{ id: '7_1', calendar: 'Weekly' }], '7_1');
    expect(select([own, other, closing()])).toEqual(['timesheet.changed', 'pay_period.closed']);
  });

  test('whatever it waits for, where everything is asked for', () => {
    expect(select([change(1)], undefined, 'all')).toHaveLength(1);
  });
});

describe('in quiet hours', () => {
  test('nothing is sent', () => {
    expect(select([closing(), change(60)], NIGHT)).toEqual([]);
    expect(select([change(60)], NIGHT, 'all')).toEqual([]);
  });

  test('what is urgent is, with what else is told of its pay period', () => {
    const reopened = waitingExample('pay_period.reopened', {}, { urgent: true, ...ago(0) });
    const own = change(1, [{ id: '9019_1', calendar: 'Weekly' }]);
    expect(select([own, closing({ id: 'x' }), reopened, change(60, [], '7_1')], NIGHT)).toEqual([
      'timesheet.changed',
      'pay_period.closed',
      'pay_period.reopened',
    ]);
  });
});
