import { describe, expect, test } from 'vitest';
import {
  advanceLedger,
  type LedgerEntry,
  listMoved,
  nameLedger,
  openLedger,
  sumLedger,
  toHours,
  toUnits,
} from '#shared/core/periods/ledger.ts';

const LATE = { reason: 'late', isComparable: true } as const;
const REOPENED = { reason: 'reopened', isComparable: true } as const;
const OTHERS = { reason: 'late', isComparable: false } as const;

describe('hours', () => {
  test('are whole numbers of a ten-thousandth, and never a negative zero', () => {
    expect([7.5, 0.1 + 0.2, 1 / 3].map(toUnits)).toEqual([75_000, 3_000, 3_333]);
    expect([75_000, 3_333, 0].map(toHours)).toEqual([7.5, 0.333_3, 0]);
    expect(Object.is(toHours(-0), 0)).toBe(true);
  });
});

describe('a ledger', () => {
  test('begins with the hours of each timesheet, by their ids', () => {
    expect(openLedger(membersOf({ c: 1, a: 2, b: 0 }))).toEqual([
      ['a', 20_000],
      ['b', 0],
      ['c', 10_000],
    ]);
  });

  test('has the same name for the same entries, and another for any others', () => {
    const entries: LedgerEntry[] = [['a', 20_000, 0, 5]];
    expect(nameLedger(entries)).toMatch(/^[0-9a-f]{20}$/);
    expect(nameLedger(structuredClone(entries))).toBe(nameLedger(entries));
    expect(nameLedger([['a', 20_000, 5]])).not.toBe(nameLedger(entries));
  });

  test.each<
    [string, LedgerEntry[], Record<string, number>, Parameters<typeof advanceLedger>[2], LedgerEntry[]]
  >([
    ['nothing where nothing changed', [['a', 10_000]], { a: 1 }, LATE, [['a', 10_000]]],
    ['what came late', [['a', 10_000]], { a: 1.5 }, LATE, [['a', 15_000, 5_000]]],
    ['what came while it was open again', [['a', 10_000]], { a: 1.5 }, REOPENED, [['a', 15_000, 0, 5_000]]],
    ['both', [['a', 10_000, 5_000]], { a: 0.5 }, REOPENED, [['a', 5_000, 5_000, -5_000]]],
    [
      'no trailing zeros of what was taken back',
      [['a', 15_000, 0, 5_000]],
      { a: 1 },
      REOPENED,
      [['a', 10_000]],
    ],
    ['a timesheet that came', [], { b: 2 }, LATE, [['b', 20_000, 20_000]]],
    ['a timesheet that went', [['a', 10_000]], {}, LATE, [['a', null, -10_000]]],
    ['nothing of one that came and went', [['a', 10_000, 10_000]], {}, LATE, []],
    ['nothing of an empty one that went', [['a', 0]], {}, LATE, []],
    ['nothing more of one that is gone', [['a', null, -10_000]], {}, REOPENED, [['a', null, -10_000]]],
    ['one that returned', [['a', null, -10_000]], { a: 1 }, REOPENED, [['a', 10_000, -10_000, 10_000]]],
    ['what the count before could not see', [], { b: 2 }, OTHERS, [['b', 20_000, 0, 0, 20_000]]],
    ['what this count cannot see', [['a', 10_000]], {}, OTHERS, [['a', null, 0, 0, -10_000]]],
    ['what both counts saw', [['a', 10_000]], { a: 2 }, OTHERS, [['a', 20_000, 10_000]]],
    [
      'them by their ids',
      [
        ['b', 10_000],
        ['d', 0],
      ],
      { d: 0, c: 0, b: 1, a: 0 },
      LATE,
      [
        ['a', 0],
        ['b', 10_000],
        ['c', 0],
        ['d', 0],
      ],
    ],
  ])('knows %s', (...[, before, hours, span, expected]) => {
    expect(advanceLedger(before, membersOf(hours), span)).toEqual(expected);
  });

  test('sums up what moved by reason', () => {
    expect(
      sumLedger([
        ['a', 1, 5, -2],
        ['b', null, 1],
        ['c', 3, 0, 0, 7],
        ['d', 4],
      ]),
    ).toEqual({
      late: 6,
      reopened: -2,
      recounted: 7,
    });
    expect(sumLedger([])).toEqual({ late: 0, reopened: 0, recounted: 0 });
  });

  test('lists what moved, the largest change first, equal ones by their ids', () => {
    const entries: LedgerEntry[] = [
      ['c', 1, 2],
      ['a', 1, -2, 9],
      ['b', null, 0, 0, 2],
      ['d', 4],
    ];
    const listed = [
      { timesheetId: 'a', reason: 'reopened', units: 9 },
      { timesheetId: 'a', reason: 'late', units: -2 },
      { timesheetId: 'b', reason: 'recounted', units: 2 },
      { timesheetId: 'c', reason: 'late', units: 2 },
    ];
    expect(listMoved(entries)).toEqual(listed);
    expect(listMoved(entries.toReversed())).toEqual(listed);
  });
});

function membersOf(hours: Readonly<Record<string, number>>) {
  return Object.entries(hours).map(([id, hoursToPay]) => ({ id, hoursToPay }));
}
