import { expect, test } from 'vitest';
import type { Transition } from '#shared/core/events/transitions.ts';
import { findOccurredAt } from '#shared/core/events/transitions.ts';
import { feedDefinition, type State } from '#shared/core/records/feed-definition.ts';
import { STAMP } from './history.ts';

test.each<[string, string | null, Transition['kind'], State | null, string | null]>([
  ['an approval', 'approvedHours', 'forward', { approvedHours: STAMP }, STAMP],
  ['an approval that is taken back', 'approvedHours', 'reversal', { approvedHours: STAMP }, null],
  ['an approval without a stamp', 'approvedHours', 'forward', { approvedHours: null }, null],
  ['an approval without an instant', 'approvedHours', 'forward', {}, null],
  ['an approval of a removed timesheet', 'approvedHours', 'forward', null, null],
  ['a payroll approval, which has no time', 'approvedPayroll', 'forward', { approvedPayroll: STAMP }, null],
  ['a step without a fact', null, 'changed', { approvedHours: STAMP }, null],
  ['a clock-in', 'clockIn', 'forward', { clockIn: { localTime: STAMP } }, STAMP],
  ['a clock-in without a time', 'clockIn', 'forward', { clockIn: { id: '1' } }, null],
  ['a clock-in in another form', 'clockIn', 'forward', { clockIn: STAMP }, null],
  ['a clock-in that is gone', 'clockIn', 'forward', { clockIn: null }, null],
])('the time of %s is said by the source or not', (...[, field, kind, after, expected]) => {
  const fact = feedDefinition('timesheets').facts.find((each) => each.field === field) ?? null;
  const step: Transition = {
    ...{ type: 'timesheet.changed', kind, fact, changed: [], collapsed: false },
    ...{ from: null, to: after },
  };
  expect(findOccurredAt(step, after, 'UTC')).toBe(expected);
});
