import { describe, expect, test } from 'vitest';
import {
  computeBucketEnd,
  type EmployeeMembership,
  joinBuckets,
  MEMBERSHIP_RETENTION_MS,
  type Membership,
  type MembershipBucket,
  NO_MEMBERSHIP,
  updateBuckets,
} from '#shared/core/periods/membership.ts';

/** Employees by the row that holds them. The hash is part of the storage format. */
const ROW_OF: Readonly<Record<string, number>> = { '13_7': 0, '55_7': 0, '4_7': 1, '9_7': 2, '2003_7': 3 };
const NOW = 10_000;
const WEEKLY: EmployeeMembership = { calendar: 'Weekly', periodId: '3_7', askedAt: 1_000 };
const UNKNOWN: EmployeeMembership = { calendar: null, periodId: '3_7', askedAt: 2_000, tries: 2 };

const IDS_OF_FIRST_ROW = Array.from({ length: 70_000 }, (_, n) => `${n}_8`).filter((id) => {
  const [row] = updateBuckets(NO_MEMBERSHIP, { now: NOW, employees: new Map([[id, WEEKLY]]) });
  return row?.index === 0;
});

describe('the rows of a membership', () => {
  test('hold each employee where the hash of the id says, which never changes', () => {
    const ids = Object.keys(ROW_OF);
    const rows = updateBuckets(NO_MEMBERSHIP, {
      now: NOW,
      employees: new Map(ids.map((id) => [id, WEEKLY])),
    });

    expect(rows.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    for (const { index, employees } of rows)
      for (const id of Object.keys(employees)) expect([id, ROW_OF[id]]).toEqual([id, index]);
    expect(rows[0]?.employees).toEqual({ '13_7': WEEKLY, '55_7': WEEKLY });
  });

  test('are sixteen', () => {
    const employees = new Map(Array.from({ length: 400 }, (_, n) => [`${n}_7`, WEEKLY] as const));
    const rows = updateBuckets(NO_MEMBERSHIP, { now: NOW, employees });

    expect(rows.map(({ index }) => index)).toEqual(Array.from({ length: 16 }, (_, index) => index));
  });

  test('that an update changes are written whole, in order; the others are not', () => {
    const stored = known({ '13_7': WEEKLY, '55_7': UNKNOWN, '2003_7': WEEKLY, '9_7': WEEKLY });
    const later = { ...WEEKLY, askedAt: 3_000 };
    const rows = updateBuckets(stored, {
      now: NOW,
      employees: new Map([
        ['2003_7', UNKNOWN],
        ['55_7', later],
      ]),
    });

    expect(rows).toEqual([
      { index: 0, employees: { '13_7': WEEKLY, '55_7': later }, surveys: { '3_7': 500 } },
      { index: 3, employees: { '2003_7': UNKNOWN } },
    ]);
  });

  test('have the surveys in the first, also where nothing else is', () => {
    expect(
      updateBuckets(known({ '4_7': WEEKLY }), {
        now: NOW,
        employees: new Map(),
        surveys: new Map([['4_7', 9]]),
      }),
    ).toEqual([{ index: 0, employees: {}, surveys: { '4_7': 9 } }]);
    expect(updateBuckets(known({ '4_7': WEEKLY }), { now: NOW, employees: new Map() })).toEqual([]);
  });

  test('are the whole of it, together', () => {
    const membership = known({ '13_7': WEEKLY, '55_7': UNKNOWN, '2003_7': WEEKLY });

    expect(joinBuckets(updateBuckets(NO_MEMBERSHIP, { now: NOW, ...membership }))).toEqual(membership);
    expect(joinBuckets([])).toEqual(NO_MEMBERSHIP);
  });

  test.each([4_000, 4_001])('keep the employees that were asked about last: %i in one row', (count) => {
    const employees = new Map(
      IDS_OF_FIRST_ROW.slice(0, count).map((id, place) => [
        id,
        { ...WEEKLY, askedAt: (place * 7_919) % count },
      ]),
    );
    const [row] = updateBuckets(
      { employees, surveys: new Map() },
      { now: NOW, employees: new Map([...employees].slice(0, 1)) },
    );

    const kept = Object.values(row?.employees ?? {}).map(({ askedAt }) => askedAt);
    expect(kept.length).toBe(4_000);
    expect(Math.min(...kept)).toBe(count - 4_000);
    expect(Math.max(...kept)).toBe(count - 1);
  });

  test('end for employees who were asked about too long ago, and for an instant that is still to come', () => {
    const now = 5 * MEMBERSHIP_RETENTION_MS;
    const askedAt = (at: number) => ({ ...WEEKLY, askedAt: at });
    const stored = known({
      '13_7': askedAt(now - MEMBERSHIP_RETENTION_MS),
      '55_7': askedAt(now - MEMBERSHIP_RETENTION_MS + 1),
    });
    const [row] = updateBuckets(stored, { now, employees: new Map(), surveys: new Map() });
    expect(Object.keys(row?.employees ?? {})).toEqual(['55_7']);

    const misdated = known({ '13_7': askedAt(now + 60_001), '55_7': askedAt(now + 60_000) });
    const [other] = updateBuckets(misdated, { now, employees: new Map(), surveys: new Map() });
    expect(Object.keys(other?.employees ?? {})).toEqual(['55_7']);
  });

  test('do not grow with those who left: ten years of 500 hires a year, each for a year', () => {
    const yearMs = 365 * 86_400_000;
    let stored: Membership = NO_MEMBERSHIP;
    const rows = new Map<number, MembershipBucket>();
    for (let year = 1; year <= 10; year += 1) {
      const now = year * yearMs;
      const hired = Array.from(
        { length: 500 },
        (_, n) => [`${n}_${year}`, { ...WEEKLY, askedAt: now }] as const,
      );
      for (const row of updateBuckets(stored, { now, employees: new Map(hired) })) rows.set(row.index, row);
      stored = joinBuckets(rows.values());
    }
    expect([...stored.employees.keys()].filter((id) => !id.endsWith('_10'))).toEqual([]);
    expect(stored.employees.size).toBe(500);
  });

  test('are deleted once the last answer or survey in them has ended', () => {
    const employees = { '13_7': WEEKLY, '55_7': UNKNOWN };
    expect(computeBucketEnd({ employees })).toBe(2_000 + MEMBERSHIP_RETENTION_MS);
    expect(computeBucketEnd({ employees, surveys: { '3_7': 9_000 } })).toBe(9_000 + MEMBERSHIP_RETENTION_MS);
  });
});

function known(employees: Readonly<Record<string, EmployeeMembership>>): Membership {
  return { employees: new Map(Object.entries(employees)), surveys: new Map([['3_7', 500]]) };
}
