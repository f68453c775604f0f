import { describe, expect, test } from 'vitest';
import { compareHours, formatComparison, type Owed } from '#cli/period/compare-paid.ts';
import { readPaid } from '#cli/period/read-paid.ts';

describe('what a payer has paid', () => {
  test.each([
    ['not in the file is missing', { paid: 0, toPay: 8, kind: 'missing', difference: 8 }],
    ['with other hours is old', { paid: 7.5, toPay: 8, kind: 'old', difference: 0.5 }],
    ['that is not ready is too much', { paid: 8, toPay: 0, kind: 'tooMuch', difference: -8 }],
  ] as const)('of a timesheet %s', (_, { paid, toPay, kind, difference }) => {
    const comparison = compare({ '1_7': paid }, { hours: { '1_7': toPay } });
    expect(comparison[kind].map(({ timesheetId }) => timesheetId)).toEqual(['1_7']);
    expect([comparison.equal, comparison.hours]).toEqual([0, difference]);
  });

  test('of other periods is counted, and not compared', () => {
    const comparison = compare({ '1_7': 8, '9_7': 4 }, { hours: { '1_7': 8, '3_7': 0 } });
    expect(comparison).toEqual({ missing: [], old: [], tooMuch: [], equal: 2, hours: 0, others: 1 });
    expect(formatComparison(comparison).at(-1)).toBe('all is paid as it stands');
  });

  test('is printed by kind, each with the sum and the first timesheets', () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${10 + n}_7`, 1]));
    const paid = { '1_7': 7.5, '2_7': 8, '3_7': 4 };
    const hours = { ...many, '1_7': 8, '2_7': 0, '4_7': 2 };
    const lines = formatComparison(compare(paid, { hours, removed: ['3_7'] }));
    expect(lines.map((line) => line.replaceAll(/ +/g, ' ').trim())).toEqual([
      'missing 13 +14 h 10_7 (1 h), 11_7 (1 h), 12_7 (1 h), 13_7 (1 h), 14_7 (1 h), 15_7 (1 h), 16_7 (1 h), 17_7 (1 h), 18_7 (1 h), 19_7 (1 h), and 3 more; --json lists all',
      'old 1 +0.5 h 1_7 (paid 7.5 h, to pay 8 h)',
      'too much 2 -12 h 2_7 (paid 8 h, not ready), 3_7 (paid 4 h, removed)',
      'equal 0',
      '',
      'to pay: +2.5 h against what was paid',
    ]);
  });
});

describe('the file of a payer', () => {
  test('has a line of JSON for each timesheet; other members pass', () => {
    const text =
      '\ufeff{"timesheetId":"1_7","hours":8,"run":3}\n\n{"timesheetId":"2_7","hours":7.50000001}\r\n';
    expect([...readPaid(text, 'paid')]).toEqual([
      ['1_7', 8],
      ['2_7', 7.5],
    ]);
  });

  test('with wrong lines is refused, and the first of them are named', () => {
    const text = [
      'no',
      '{"timesheetId":""}',
      '{"timesheetId":"1_7","hours":8}',
      '{"timesheetId":"1_7","hours":8}',
    ];
    expect(() => readPaid(text.join('\n'), 'paid')).toThrow(
      /^paid: line 1: line: .*; line 2: timesheetId: .*hours: .*; line 4: "1_7" is there twice; a line is such as/,
    );
    expect(() => readPaid('x\n'.repeat(9), 'paid')).toThrow(/; and 4 more; a line is/);
  });
});

function compare(
  paid: Readonly<Record<string, number>>,
  {
    hours = {},
    removed = [],
  }: { readonly hours?: Readonly<Record<string, number>>; readonly removed?: string[] },
) {
  const owed: Owed = { hours: new Map(Object.entries(hours)), removed: new Set(removed) };
  return compareHours(new Map(Object.entries(paid)), owed);
}
