import { describe, expect, test } from 'vitest';
import type { RemovalCheck } from '#shared/core/compare/change.ts';
import { countUnseen, type UnseenRecords } from '#shared/core/compare/mass-change.ts';
import { createHead } from '#shared/core/snapshot/snapshot.ts';
import { createScan, DATE, NEXT_DATE, NOW, timesheet } from '#test/support/builders.ts';

const GONE: RemovalCheck = { outcome: 'gone', requestedAt: NOW, receivedAt: NOW };
const UNKNOWN: RemovalCheck = { outcome: 'unknown', askedAt: NOW };
/** Two timesheets of ten that are known of the date, and one of the next date. */
const SHOWN = [timesheet({ id: '1_1' }), timesheet({ id: '2_1' }), timesheet({ id: '9_1', date: NEXT_DATE })];
const SLICES = [DATE, NEXT_DATE];
const WHOLE = createScan(SHOWN, { slices: SLICES });
const TORN = createScan(SHOWN, { slices: SLICES, complete: false });

describe('records of a date of which a scan does not say what became of them', () => {
  test('are the absent ones of a whole scan that no request by id has found or proven gone', () => {
    const answers = new Map<string, RemovalCheck>([
      ['3_1', GONE],
      ['4_1', UNKNOWN],
    ]);
    expect(unseen({ absent: absent('3_1', '4_1', '5_1'), answers })).toBe(2);
    expect(unseen({ absent: absent('3_1'), answers })).toBe(0);
  });

  test('are none of another date', () => {
    expect(unseen({ absent: [{ slice: NEXT_DATE, row: { id: '3_1' } }] })).toBe(0);
    expect(unseen({ undecided: new Map([[NEXT_DATE, 3]]) })).toBe(0);
  });

  test('are those whose record is bad as well', () => {
    expect(unseen({ undecided: new Map([[DATE, 3]]), absent: absent('5_1') })).toBe(4);
    expect(unseen({ scan: TORN, undecided: new Map([[DATE, 3]]) })).toBe(11);
  });

  test('are all that a scan which was not read to its end does not show', () => {
    expect(unseen({ scan: TORN })).toBe(8);
    // It shows more than was known.
    expect(unseen({ scan: TORN }, { known: 1 })).toBe(0);
  });

  test('are all but the lost ones where the date was not requested', () => {
    const scan = createScan([], { slices: [NEXT_DATE] });
    expect(unseen({ scan }, { lost: 4 })).toBe(6);
    expect(unseen({ scan }, { lost: 12 })).toBe(0);
  });

  test('are none of a date of which nothing is known', () => {
    const scan = createScan([], { slices: SLICES, complete: false });
    expect(unseen({ scan, heads: new Map() })).toBe(0);
  });
});

function absent(...ids: readonly string[]): UnseenRecords['absent'] {
  return ids.map((id) => ({ slice: DATE, row: { id } }));
}

function unseen(records: Partial<UnseenRecords>, { known = 10, lost = 0 } = {}): number {
  const head = { ...createHead(DATE, '1-run'), recordCount: known };
  const nothing = { scan: WHOLE, absent: [], answers: new Map(), undecided: new Map() };
  return countUnseen({ slice: DATE, lost }, { ...nothing, heads: new Map([[DATE, head]]), ...records });
}
