import { expect, test } from 'vitest';
import { checkRow, feedDefinition, readRow, toState } from '#shared/core/records/feed-definition.ts';
import { timesheet } from '#test/support/builders.ts';

const STAMPS = ['approvedHours', 'processed'] as const;

test.each(['2026-03-05T08:00:00.000Z', '2026-03-05T08:00', '2026-03-05T08:00:00+13:00', '2026-03-05'])(
  'a stamp may be %s',
  (stamp) => {
    for (const field of STAMPS) expect(check({ [field]: stamp })).toEqual({ outcome: 'good' });
    expect(checkPeriod({ closed: stamp })).toEqual({ outcome: 'good' });
  },
);

test.each(['null', 'yes', '0', '\u0000', '\ud800', ' ', '2026-13-45', '2026-03-05T99:00', 'T08:00'])(
  'a stamp of %j says of no timesheet that something has happened: the record is unreadable',
  (stamp) => {
    for (const field of STAMPS)
      expect(check({ [field]: stamp })).toEqual({ outcome: 'bad', issues: [field] });
    expect(checkPeriod({ closed: stamp })).toEqual({ outcome: 'bad', issues: ['closed'] });
  },
);

test.each(['P-1', 'batch 4711', '山', '0', 'x'.repeat(1_000)])('a reference may be %s', (reference) => {
  expect(check({ approvedPayroll: reference })).toEqual({ outcome: 'good' });
});

test.each(['null', ' NULL ', 'undefined', '\u0000', '\ud800', '-'])('%j is no reference', (reference) => {
  expect(check({ approvedPayroll: reference })).toEqual({ outcome: 'bad', issues: ['approvedPayroll'] });
});

test.each(['null', '\u0000', '-'])('%j is no id of a department, nor of an activity', (id) => {
  const [detail] = timesheet().details as object[];
  expect(check({ department: { id } })).toEqual({ outcome: 'bad', issues: ['departmentId'] });
  expect(check({ details: [{ ...detail, activity: id }] })).toEqual({
    outcome: 'bad',
    issues: ['details.0.activity'],
  });
});

test('a reference that is too long is cut with a mark, and its timesheet stays readable', () => {
  for (const [note, kept] of [
    ['x'.repeat(1_001), `${'x'.repeat(999)}…`],
    [`ab${'😀'.repeat(10_000)}`, `ab${'😀'.repeat(498)}…`],
  ]) {
    expect(check({ approvedPayroll: note })).toEqual({ outcome: 'good' });
    expect(stateOf({ approvedPayroll: note })).toMatchObject({ approvedPayroll: kept });
  }
});

test('so is the name of a pay calendar, or of a provider', () => {
  const long = { calendar: 'c'.repeat(5_000), payRollProvider: 'p'.repeat(5_000) };
  expect(checkPeriod(long)).toEqual({ outcome: 'good' });
  expect(toState(PERIODS, readRow(PERIODS, { ...PERIOD, ...long }))).toMatchObject({
    calendar: `${'c'.repeat(199)}…`,
    payRollProvider: `${'p'.repeat(199)}…`,
  });
});

const TIMESHEETS = feedDefinition('timesheets');
const PERIODS = feedDefinition('pay-periods');
const PERIOD = {
  calendar: 'weekly',
  startDate: '2026-03-02',
  finishDate: '2026-03-08',
  closed: null,
  payRollCompanyId: '',
  payRollProvider: '',
};

function stateOf(values: Record<string, unknown>) {
  return toState(TIMESHEETS, readRow(TIMESHEETS, timesheet(values)));
}

function check(values: Record<string, unknown>) {
  return checkRow(TIMESHEETS, readRow(TIMESHEETS, timesheet(values)));
}

function checkPeriod(values: Record<string, unknown>) {
  return checkRow(PERIODS, readRow(PERIODS, { ...PERIOD, ...values }));
}
