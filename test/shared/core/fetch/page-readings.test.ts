import { describe, expect, test } from 'vitest';
import type { AbsenceRules } from '#shared/absences/absences.ts';
import { readPage } from '#shared/core/fetch/scan.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { timesheet } from '#test/support/builders.ts';

const definition = feedDefinition('timesheets');
const RULES: AbsenceRules = {
  periods: [{ since: 0, clockInMs: 15 * 60_000 }],
  timeZone: 'UTC',
  key: 'quarter',
};
/** Both are missing a quarter of an hour after their start. */
const EARLY = timesheet({ id: 'early', startTime: '2026-03-05T08:00:00.000Z' });
const LATE = timesheet({ id: 'late', startTime: '2026-03-05T09:00:00.000Z' });

describe('the records of a page that comes again with the same bytes', () => {
  test('are read once, until the next of them is missing', () => {
    const read = reader(freeze([EARLY, LATE]));
    const before = read('08:10');
    expect(read('08:14')).toBe(before);
    const after = read('08:15');
    expect(after).not.toBe(before);
    expect(read('09:14')).toBe(after);
    expect(read('09:15')).not.toBe(after);
    expect([before, after, read('09:15')].map(countMissing)).toEqual([0, 1, 2]);
  });

  test('are read again for a page that was requested earlier', () => {
    const read = reader(freeze([EARLY]));
    expect(countMissing(read('08:20'))).toBe(1);
    expect(countMissing(read('08:14'))).toBe(0);
  });

  test('are read again by other thresholds', () => {
    const records = freeze([EARLY]);
    const hour = { ...RULES, periods: [{ since: 0, clockInMs: 3_600_000 }], key: 'hour' };
    expect(countMissing(reader(records)('08:20'))).toBe(1);
    expect(countMissing(reader(records, hour)('08:20'))).toBe(0);
    expect(countMissing(reader(records, null)('08:20'))).toBe(0);
  });

  test('are never read again without thresholds', () => {
    const read = reader(freeze([EARLY]), null);
    const before = read('07:00');
    expect(read('06:00')).toBe(before);
    expect(read('20:00')).toBe(before);
  });
});

test('a page that comes again is read again once its facts are dated ahead no more', () => {
  const records = freeze([timesheet({ processed: '2026-03-08' })]);
  const isProcessed = (at: string) => {
    const requestedAt = Date.parse(at);
    const page = { records, pagination: null, requestedAt, receivedAt: requestedAt };
    const [reading] = readPage({ definition, absences: null }, page);
    return reading !== undefined && 'rowText' in reading && reading.rowText.includes('2026-03-08');
  };
  expect(['2026-03-05T23:59:59Z', '2026-03-06T00:00:00Z'].map(isProcessed)).toEqual([false, true]);
});

test('while nothing is missing, a record has the digest that it has without thresholds', () => {
  const digestBy = (absences: AbsenceRules | null, at: string) => {
    const [reading] = reader([EARLY], absences)(at);
    return reading !== undefined && 'digest' in reading ? reading.digest : null;
  };
  expect(digestBy(RULES, '08:00')).toEqual(digestBy(null, '08:00'));
  expect(digestBy(RULES, '08:15')).not.toEqual(digestBy(null, '08:15'));
});

type Readings = ReturnType<typeof readPage>;

function reader(records: readonly unknown[], absences: AbsenceRules | null = RULES) {
  return (time: string): Readings => {
    const requestedAt = Date.parse(`2026-03-05T${time}:00.000Z`);
    return readPage(
      { definition, absences },
      { records, pagination: null, requestedAt, receivedAt: requestedAt + 50 },
    );
  };
}

function countMissing(readings: Readings): number {
  return readings.filter((each) => 'rowText' in each && each.rowText.endsWith(':15:00.000Z"]')).length;
}

function freeze(records: readonly unknown[]): readonly unknown[] {
  return Object.freeze(records.map((record) => Object.freeze(record)));
}
