import { describe, expect, test } from 'vitest';
import {
  belongsTo,
  isDueToAsk,
  learnFromAnswer,
  orderPeriodsToAsk,
  selectPeriodsToSurvey,
} from '#shared/core/plan/membership.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import {
  type EmployeeMembership,
  joinBuckets,
  type Membership,
  NO_MEMBERSHIP,
  updateBuckets,
} from '#shared/core/snapshot/membership.ts';
import { DAY_MS, hint, NOW } from '#test/support/builders.ts';

const HOUR_MS = 3_600_000;
const WEEKLY = hint({ id: '3_7' });
const FORTNIGHTLY = hint({ id: '4_7', calendar: 'Fortnightly', finishDate: '2026-03-15' });
const BOTH = [WEEKLY, FORTNIGHTLY];
const SHEET = { id: '1_7', employeeId: '2001_7', date: '2026-03-05' };
const AT = { today: '2026-03-05', now: NOW };

describe('a timesheet belongs to a period', () => {
  test('that has its dates to itself, whoever it is of', () => {
    const known = { periods: [WEEKLY], membership: NO_MEMBERSHIP };
    expect(belongsTo({ ...SHEET, employeeId: null }, WEEKLY, known)).toBe(true);
    expect(belongsTo({ ...SHEET, date: '2026-03-09' }, WEEKLY, known)).toBe(false);
  });

  test('of the calendar of its employee, where several share its dates', () => {
    const known = { periods: BOTH, membership: memberOf('Fortnightly') };
    expect(BOTH.map((period) => belongsTo(SHEET, period, known))).toEqual([false, true]);
  });

  test.each<[string, Membership, string | null]>([
    ['nobody asked for the employee', NO_MEMBERSHIP, '2001_7'],
    ['the source named no calendar', memberOf(null), '2001_7'],
    ['it has no employee', memberOf('Weekly'), null],
  ])('perhaps, when %s', (_, membership, employeeId) => {
    expect(belongsTo({ ...SHEET, employeeId }, WEEKLY, { periods: BOTH, membership })).toBeNull();
  });

  test('perhaps, when two periods of one calendar share its date', () => {
    const periods = [WEEKLY, { ...WEEKLY, id: '5_7' }];
    expect(belongsTo(SHEET, WEEKLY, { periods, membership: memberOf('Weekly') })).toBeNull();
  });
});

describe('employees are asked about', () => {
  test('in periods that are open, have begun and share their dates, the newest first', () => {
    const before = hint({ id: '2_7', startDate: '2026-02-23', finishDate: '2026-03-01' });
    const fortnight = { ...FORTNIGHTLY, startDate: '2026-02-23', finishDate: '2026-03-08' };
    const next = hint({ id: '6_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
    const periods = [before, WEEKLY, fortnight, next];
    expect(select(periods)).toEqual(['3_7', '2_7', '4_7']);
    expect(select(periods.map((each) => ({ ...each, closed: true })))).toEqual([]);
    expect(select([WEEKLY])).toEqual([]);
    expect(select([WEEKLY, { ...FORTNIGHTLY, calendar: 'Weekly' }])).toEqual([]);
  });

  test('once an hour, when all were asked', () => {
    const surveyed = (ago: number) => new Map(BOTH.map(({ id }) => [id, NOW - ago] as const));
    expect(select(BOTH, surveyed(HOUR_MS - 1))).toEqual([]);
    expect(select(BOTH, surveyed(HOUR_MS))).toEqual(['3_7', '4_7']);
    // An instant ahead came from a wrong clock.
    expect(select(BOTH, surveyed(-60_001))).toEqual(['3_7', '4_7']);
  });

  test('again only while no calendar is known, and ever more rarely', () => {
    expect(isDueToAsk(undefined, NOW)).toBe(true);
    expect(isDueToAsk(entry({ askedAt: 0 }), NOW)).toBe(false);
    const due = (tries: number, ago: number) =>
      isDueToAsk(entry({ calendar: null, tries, askedAt: NOW - ago }), NOW);
    expect([due(1, HOUR_MS - 1), due(1, HOUR_MS)]).toEqual([false, true]);
    expect([due(3, 4 * HOUR_MS - 1), due(3, 4 * HOUR_MS)]).toEqual([false, true]);
    expect([due(40, 7 * DAY_MS - 1), due(40, 7 * DAY_MS)]).toEqual([false, true]);
  });

  test('in the calendar of most employees first', () => {
    const order = (membership: Membership) =>
      orderPeriodsToAsk(WEEKLY, { periods: BOTH, membership }).map(({ id }) => id);
    expect(order(NO_MEMBERSHIP)).toEqual(['3_7', '4_7']);
    expect(order(memberOf('Fortnightly'))).toEqual(['4_7', '3_7']);
  });
});

describe('an answer', () => {
  const learn = (members: string[] | null, before?: EmployeeMembership) =>
    learnFromAnswer(
      before,
      { period: WEEKLY, known: ['1_7', '2_7'], members: members === null ? null : new Set(members) },
      NOW,
    );
  const unknown = { calendar: null, periodId: '3_7', askedAt: NOW, tries: 1 };

  test('with all known timesheets names the calendar', () => {
    expect(learn(['1_7', '2_7', '9_7'])).toEqual({ calendar: 'Weekly', periodId: '3_7', askedAt: NOW });
  });

  test('with some of them, or none, names none', () => {
    expect(learn(['1_7'])).toEqual(unknown);
    expect(learn([])).toEqual(unknown);
    expect(learn(['1_7'], entry({ calendar: 'Fortnightly' }))).toEqual(unknown);
  });

  test('without them takes back that calendar alone', () => {
    expect(learn([], entry({ calendar: 'Weekly' }))).toEqual(unknown);
    expect(learn([], entry({ calendar: 'Fortnightly' }))).toMatchObject({ calendar: 'Fortnightly' });
  });

  test('that does not come leaves what is known, and counts', () => {
    expect(learn(null, entry({}))).toMatchObject({ calendar: 'Weekly', askedAt: NOW });
    expect(learn(null, { ...unknown, tries: 4 })).toEqual({ ...unknown, tries: 5 });
  });
});

describe('the rows of a membership', () => {
  test('are sixteen, and give back what is in them', () => {
    const employees = new Map(Array.from({ length: 400 }, (_, index) => [`${index}_7`, entry({})] as const));
    const surveys = new Map([['3_7', NOW]]);
    const buckets = updateBuckets(NO_MEMBERSHIP, { employees, surveys });
    expect(buckets.map(({ index }) => index)).toEqual(Array.from({ length: 16 }, (_, index) => index));
    expect(joinBuckets(buckets)).toEqual({
      employees: new Map([...employees].sort()),
      surveys,
    });
  });

  test('change only where something was learned, and keep the others of the row', () => {
    const ids = Array.from({ length: 400 }, (_, index) => `${index}_7`);
    const stored = { employees: new Map(ids.map((id) => [id, entry({})] as const)), surveys: new Map() };
    const changed = updateBuckets(stored, { employees: new Map([['7_7', entry({ calendar: 'Monthly' })]]) });
    expect(changed).toHaveLength(1);
    const all = joinBuckets(updateBuckets(stored, { employees: stored.employees }));
    const mates = Object.keys(changed[0]?.employees ?? {});
    expect(mates.length).toBeGreaterThan(1);
    expect(mates.every((id) => all.employees.has(id))).toBe(true);
    expect(joinBuckets(changed).employees.get('7_7')?.calendar).toBe('Monthly');
  });

  test('forget those asked longest ago before they grow too large for an item', () => {
    const many = Array.from(
      { length: 70_000 },
      (_, index) => [`${index}_7`, entry({ askedAt: index })] as const,
    );
    const rows = updateBuckets(NO_MEMBERSHIP, { employees: new Map(many) });
    const sizes = rows.map(({ employees }) => Object.keys(employees).length);
    expect(Math.max(...sizes)).toBe(4_000);
    expect(joinBuckets(rows).employees.has('69999_7')).toBe(true);
  });
});

function select(periods: readonly PayPeriodHint[], surveys: ReadonlyMap<string, number> = new Map()) {
  return selectPeriodsToSurvey(periods, { surveys }, AT).map(({ id }) => id);
}

function entry(values: Partial<EmployeeMembership>): EmployeeMembership {
  return { calendar: 'Weekly', periodId: '3_7', askedAt: NOW - DAY_MS, ...values };
}

function memberOf(calendar: string | null): Membership {
  return { ...NO_MEMBERSHIP, employees: new Map([['2001_7', entry({ calendar })]]) };
}
