import { expect, test } from 'vitest';
import { dropOutdated, isDistinctByCalendar } from '#shared/core/periods/learn-membership.ts';
import { type EmployeeMembership, NO_MEMBERSHIP } from '#shared/core/periods/membership.ts';
import { knownPeriod, NOW } from '#test/support/builders.ts';

const PERIODS = [
  knownPeriod({ id: '3_7', calendar: 'Weekly' }),
  knownPeriod({ id: '4_7', calendar: 'Fortnightly' }),
];

test.each<[string, boolean, Partial<EmployeeMembership>]>([
  ['whose period has the calendar that it had', true, { calendar: 'Weekly', periodId: '3_7' }],
  ['whose period has another calendar by now', false, { calendar: 'Fortnightly', periodId: '3_7' }],
  ['whose period has a calendar of another name', false, { calendar: 'Monthly', periodId: '4_7' }],
  ['whose period is gone, while its calendar is there', true, { calendar: 'Weekly', periodId: '1_7' }],
  ['whose period and calendar are gone', false, { calendar: 'Monthly', periodId: '1_7' }],
  ['of whom the source named no calendar', true, { calendar: null, periodId: '1_7' }],
])('an employee %s stays known: %s', (_, stays, values) => {
  const entry = { calendar: 'Weekly', periodId: '3_7', askedAt: NOW, ...values };
  const before = { ...NO_MEMBERSHIP, employees: new Map([['2001_7', entry]]) };
  const { employees, ...rest } = dropOutdated(before, PERIODS);
  expect([...employees]).toEqual(stays ? [['2001_7', entry]] : []);
  expect(rest).toEqual({ surveys: NO_MEMBERSHIP.surveys });
});

test('a calendar tells a period from those that share its dates when none of them has it', () => {
  const [weekly = knownPeriod(), fortnightly = knownPeriod()] = PERIODS;
  expect(isDistinctByCalendar(weekly, [fortnightly])).toBe(true);
  expect(isDistinctByCalendar(weekly, [fortnightly, { ...weekly, id: '6_7' }])).toBe(false);
});
