import { describe, expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import {
  answeredAtOf,
  belongsTo,
  differsFromSource,
  isDueToAsk,
  learnFromAnswer,
  orderPeriodsToAsk,
  readAnswer,
  selectKnownToAsk,
  selectPeriodsToSurvey,
} from '#shared/core/periods/learn-membership.ts';
import {
  type EmployeeMembership,
  MEMBERSHIP_RETENTION_MS,
  type Membership,
  NO_MEMBERSHIP,
} from '#shared/core/periods/membership.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
import { DAY_MS, knownPeriod, NOW } from '#test/support/builders.ts';

const HOUR_MS = 3_600_000;
const WEEKLY = knownPeriod({ id: '3_7' });
const FORTNIGHTLY = knownPeriod({ id: '4_7', calendar: 'Fortnightly', finishDate: '2026-03-15' });
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
    const before = knownPeriod({ id: '2_7', startDate: '2026-02-23', finishDate: '2026-03-01' });
    const fortnight = { ...FORTNIGHTLY, startDate: '2026-02-23', finishDate: '2026-03-08' };
    const next = knownPeriod({ id: '6_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
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

  test('in periods of up to two months, and not before they begin', () => {
    const of = (values: Partial<KnownPeriod>) => select([{ ...WEEKLY, ...values }, FORTNIGHTLY]);
    expect(of({ startDate: AT.today })).toContain('3_7');
    expect(of({ startDate: '2026-03-06' })).not.toContain('3_7');
    expect(of({ startDate: '2026-01-10', finishDate: '2026-03-13' })).toContain('3_7');
    expect(of({ startDate: '2026-01-10', finishDate: '2026-03-14' })).not.toContain('3_7');
  });

  test('in the six newest periods at most, those of one day by their ids', () => {
    const pairs = ['2026-03-02', '2026-02-02', '2026-01-05', '2025-12-01'].flatMap((startDate, n) =>
      ['Weekly', 'Fortnightly'].map((calendar, m) =>
        knownPeriod({ id: `${9 - n}${1 - m}_7`, calendar, startDate, finishDate: addDays(startDate, 6) }),
      ),
    );
    const newest = ['90_7', '91_7', '80_7', '81_7', '70_7', '71_7'];
    expect(select(pairs)).toEqual(newest);
    expect(select(pairs.toReversed())).toEqual(newest);
    // No older one takes the place of one that was surveyed.
    expect(select(pairs, new Map([['90_7', NOW]]))).toEqual(newest.slice(1));
  });

  test('again while no calendar is known, ever more rarely', () => {
    expect(isDueToAsk(undefined, NOW)).toBe(true);
    const due = (tries: number, ago: number) =>
      isDueToAsk(entry({ calendar: null, tries, askedAt: NOW - ago }), NOW);
    expect([due(1, HOUR_MS - 1), due(1, HOUR_MS)]).toEqual([false, true]);
    expect([due(3, 4 * HOUR_MS - 1), due(3, 4 * HOUR_MS)]).toEqual([false, true]);
    expect([due(40, 7 * DAY_MS - 1), due(40, 7 * DAY_MS)]).toEqual([false, true]);
    expect([due(40, -60_000), due(40, -60_001)]).toEqual([false, true]);
    const { tries: _, ...once } = entry({ calendar: null, askedAt: NOW - HOUR_MS, tries: 1 });
    expect(isDueToAsk(once, NOW)).toBe(true);
  });

  test('again in every long pay period when a calendar is known, so that the answer does not end', () => {
    const due = (ago: number) => isDueToAsk(entry({ askedAt: NOW - ago }), NOW);
    expect([due(62 * DAY_MS - 1), due(62 * DAY_MS)]).toEqual([false, true]);
    expect([due(-60_000), due(-60_001)]).toEqual([false, true]);
    expect(62 * DAY_MS).toBeLessThan(MEMBERSHIP_RETENTION_MS / 2);
  });

  test('again soon where a question about a known calendar failed', () => {
    const due = (ago: number) => isDueToAsk(entry({ askedAt: NOW - ago, tries: 2 }), NOW);
    expect([due(2 * HOUR_MS - 1), due(2 * HOUR_MS)]).toEqual([false, true]);
  });

  test('in the calendar of most employees first', () => {
    const order = (membership: Membership) =>
      orderPeriodsToAsk(WEEKLY, { periods: BOTH, membership }).map(({ id }) => id);
    expect(order(NO_MEMBERSHIP)).toEqual(['3_7', '4_7']);
    expect(order(memberOf('Fortnightly'))).toEqual(['4_7', '3_7']);
    const calendars = ['Weekly', 'Fortnightly', 'Fortnightly', null];
    const employees = new Map(calendars.map((calendar, n) => [`${n}_7`, entry({ calendar })] as const));
    expect(order({ ...NO_MEMBERSHIP, employees })).toEqual(['4_7', '3_7']);
  });
});

describe('the timesheets of a period and its totals at the source', () => {
  const NONE = { timesheets: 0, employees: 0, hours: 0 };
  const OWN = { timesheets: 154, employees: 31, hours: 1_204.25 };
  const differs = (own: Partial<typeof OWN>, unknown: Partial<typeof OWN> = {}, comparesHours = false) =>
    differsFromSource({ own: { ...OWN, ...own }, unknown: { ...NONE, ...unknown } }, OWN, { comparesHours });

  test.each<[string, Partial<typeof OWN>, Partial<typeof OWN>, boolean]>([
    ['are the same', {}, {}, false],
    ['are one timesheet more', { timesheets: 155 }, {}, true],
    ['are one timesheet less', { timesheets: 153 }, {}, true],
    [
      'are one timesheet less, which may be that of an unknown employee',
      { timesheets: 153 },
      { timesheets: 1 },
      false,
    ],
    ['are two timesheets less than unknown employees have', { timesheets: 151 }, { timesheets: 1 }, true],
    ['are of one employee more', { employees: 32 }, {}, true],
    ['are of one employee less', { employees: 30 }, {}, true],
    ['are of one employee less, who may be unknown', { employees: 30 }, { employees: 1 }, false],
    ['are some hours more, whose timesheets may not be read yet', { hours: 1_300 }, { hours: 1 }, false],
  ])('that %s differ: %s', (...[, own, unknown, expected]) => {
    expect(differs(own, unknown)).toBe(expected);
  });

  test.each([
    ['less by what the source rounds', 1_204.26, 0, false],
    ['less by more than that', 1_204.27, 0, true],
    ['more by what the source rounds', 1_204.24, 0, false],
    ['more by more than that', 1_204.23, 0, true],
    ['more by what unknown employees have', 1_194.24, 10, false],
    ['more by more than they have', 1_194.23, 10, true],
  ])('whose hours at the source are %s differ once the period closed', (...[, hours, unknown, expected]) => {
    expect(differs({ hours }, { hours: unknown }, true)).toBe(expected);
    expect(differs({ hours }, { hours: unknown }, false)).toBe(false);
  });

  test('are not compared where the source has no totals', () => {
    expect(differsFromSource({ own: OWN, unknown: NONE }, null, { comparesHours: true })).toBeNull();
  });
});

describe('employees whose calendar is known are asked about again', () => {
  const DAY_AGO = NOW - 20 * HOUR_MS;
  const employees = new Map([
    ['late', entry({ askedAt: DAY_AGO, periodId: '3_7' })],
    ['later', entry({ askedAt: DAY_AGO - 2, periodId: '4_7' })],
    ['ahead', entry({ askedAt: NOW + 1, periodId: '4_7' })],
    ['recent', entry({ askedAt: DAY_AGO + 1, periodId: '4_7' })],
    ['now', entry({ askedAt: NOW, periodId: '4_7' })],
    ['unknown', entry({ askedAt: 0, calendar: null, periodId: '4_7' })],
  ]);
  const asked = (differs: boolean | null) =>
    selectKnownToAsk({ id: '3_7' }, { employees }, { differs, now: NOW });

  test('once in twenty hours where the numbers of a period differ, the longest ago first', () => {
    expect(asked(true)).toEqual(['later', 'late', 'ahead']);
  });

  test('where the numbers cannot be compared and the answer was about another period', () => {
    expect(asked(null)).toEqual(['later', 'ahead']);
  });

  test('not where the numbers are the same', () => {
    expect(asked(false)).toEqual([]);
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

  test.each([
    [['1_7', '2_7'], ['1_7', '2_7', '9_7'], 'own'],
    [['1_7'], ['1_7'], 'own'],
    [['1_7', '2_7'], ['9_7'], 'mixed'],
    [['1_7', '2_7'], [], 'other'],
    [['1_7', '2_7'], ['2_7'], 'mixed'],
    [[], ['9_7'], 'own'],
    [[], [], 'unknown'],
    [['1_7'], null, 'unknown'],
  ] as const)('about %j that names %j is: %s', (known, members, expected) => {
    const named = members === null ? null : new Set(members);
    expect(readAnswer({ period: WEEKLY, known, members: named })).toBe(expected);
  });

  test('keeps the period that named the calendar', () => {
    const before = entry({ calendar: 'Fortnightly', periodId: '4_7' });
    expect(learn([], before)).toEqual({
      ...before,
      askedAt: NOW,
      namedAt: NOW - DAY_MS,
      besides: { '3_7': NOW },
    });
  });

  test('is of the period that was asked about, and of no other one', () => {
    const before = entry({ calendar: 'Fortnightly', periodId: '4_7' });
    const answeredAt = (after: EmployeeMembership) =>
      BOTH.map((period) => answeredAtOf(after, period, NOW) - NOW);
    expect(answeredAt(learn([], before))).toEqual([0, -DAY_MS]);
    expect(answeredAt(learn(null, before))).toEqual([-DAY_MS, -DAY_MS]);
    expect(answeredAt(learn(null, learn([], before)))).toEqual([0, -DAY_MS]);
    expect(answeredAt(learn(['1_7', '2_7'], before))).toEqual([0, 0]);
    // An instant ahead came from a wrong clock.
    expect(answeredAt(entry({ askedAt: NOW + DAY_MS, besides: { '3_7': NOW } }))).toEqual([0, -NOW]);
  });

  test('is remembered of the last four periods that were asked about besides', () => {
    const besides = { '5_7': 1, '3_7': 2, '6_7': 3, '7_7': 4, '8_7': 5 };
    const after = learn([], entry({ calendar: 'Fortnightly', besides }));
    expect(after.besides).toEqual({ '6_7': 3, '7_7': 4, '8_7': 5, '3_7': NOW });
  });

  test('that does not come leaves what is known, and counts', () => {
    expect(learn(null)).toEqual(unknown);
    expect(learn(null, entry({}))).toEqual(entry({ askedAt: NOW, namedAt: NOW - DAY_MS, tries: 1 }));
    expect(learn(['1_7', '2_7'], entry({ tries: 3 }))).not.toHaveProperty('tries');
    expect(learn(null, { ...unknown, tries: 4 })).toEqual({ ...unknown, tries: 5 });
  });
});

function select(periods: readonly KnownPeriod[], surveys: ReadonlyMap<string, number> = new Map()) {
  return selectPeriodsToSurvey(periods, { surveys }, AT).map(({ id }) => id);
}

function entry(values: Partial<EmployeeMembership>): EmployeeMembership {
  return { calendar: 'Weekly', periodId: '3_7', askedAt: NOW - DAY_MS, ...values };
}

function memberOf(calendar: string | null): Membership {
  return { ...NO_MEMBERSHIP, employees: new Map([['2001_7', entry({ calendar })]]) };
}
