import { describe, expect, test } from 'vitest';
import { describeMonth, readCostOptions, replaceSizes } from '#workshop/bench/cost.ts';
import {
  createSize,
  interpolate,
  PLANNING,
  THIRTY,
  TWO_THOUSAND,
} from '#workshop/bench/fortnight/trace/size.ts';
import { computeBill, PRICE_LIST } from '#workshop/bench/prices.ts';

describe('the options', () => {
  test('name the size', () => {
    expect(readCostOptions(['--employees', '2000', '--calendars', '2'])).toEqual({
      kind: 'size',
      people: 2_000,
      calendars: 2,
      json: false,
    });
    expect(readCostOptions(['--employees', '50', '--json'])).toMatchObject({ people: 50, json: true });
    expect(readCostOptions(['--write'])).toEqual({ kind: 'write' });
  });

  test.each([
    [[], '--employees is missing'],
    [['--employees', '0'], "argument '0' is invalid. Give a whole number from 1 to 50,000."],
    [['--employees', '50001'], 'from 1 to 50,000'],
    [['--employees', '2e3'], "argument '2e3' is invalid"],
    [['--employees', '-5'], "argument '-5' is invalid"],
    [['--employees', '5', '--calendars', '8'], "argument '8' is invalid. Give a whole number from 1 to 7."],
    [['--people', '5'], "unknown option '--people'"],
    [['2000'], 'too many arguments'],
    [['--write', '--employees', '5'], 'cannot be used with'],
  ])('%j: %s', (args, message) => {
    expect(() => readCostOptions(args)).toThrow(message);
  });
});

describe('a size', () => {
  test.each([THIRTY, TWO_THOUSAND, PLANNING])('of $people people is the known one', (known) => {
    expect(createSize(known)).toEqual(known);
  });

  test('between two lies between them, and beyond them is the nearest', () => {
    const { weekdayShare } = createSize({ people: 10_000, calendars: 1 });
    expect(weekdayShare).toBeLessThan(TWO_THOUSAND.weekdayShare);
    expect(weekdayShare).toBeGreaterThan(PLANNING.weekdayShare);
    expect(createSize({ people: 3, calendars: 1 }).weekdayShare).toBe(THIRTY.weekdayShare);
  });
});

test('values are interpolated over the logarithm', () => {
  const points = [
    [1, 0],
    [100, 2],
    [10_000, 3],
  ] as const;
  expect([0.5, 1, 10, 100, 1_000, 10_000, 1e6].map((x) => interpolate(x, points))).toEqual([
    0, 0, 1, 2, 2.5, 3, 3,
  ]);
});

const usage = { secrets: 3, writeUnits: 2_000_000 };
const MONTH = {
  traffic: {
    size: createSize({ people: 2_000, calendars: 2 }),
    lambdaSecondsPerMinute: 1.2,
    followUpsPerMinute: 0,
    requestsPerMinute: 40,
    units: { writesPerEvent: 3, readsPerMinute: 30 },
    eventsPerDay: 100.4,
    eventsPerDayOf: new Map([['timesheet.approved', 10]]),
    recordsInWindow: 3_000,
    delays: [12, 51],
  },
  usage,
  bill: computeBill(usage),
  baseline: computeBill({ writeUnits: 20_000_000 }),
} as const;

test('the table of sizes is replaced between its markers', () => {
  const document = 'before <!-- cost:begin -->\nold\n<!-- cost:end --> after';
  const replaced = replaceSizes(document, [MONTH]);
  expect(replaced).toMatch(/^before <!-- cost:begin -->\n\| Employees/);
  expect(replaced).toContain('| 2,000 | 100 | $2.45 | $2.45 | $12.50 |');
  expect(replaced).toMatch(/<!-- cost:end --> after$/);
  expect(replaced).not.toContain('old');
  expect(() => replaceSizes('none', [MONTH])).toThrow('cost:begin');
});

test('the bill names what is paid for, how much of it, its price and its date', () => {
  const lines = describeMonth(MONTH, 'notifier.config.ts').join('\n');
  expect(lines).toContain('Employees: 2,000. Pay calendars: 2. Config: notifier.config.ts.');
  expect(lines).toContain(`prices of ${PRICE_LIST.region}, ${PRICE_LIST.asOf}`);
  expect(lines).toMatch(/^write units +2,000,000 {2}0.625 for 1,000,000 +1.25$/m);
  expect(lines).toMatch(/^secrets +3 {2}0.4 each +1.20$/m);
  expect(lines).toMatch(/^all of it +2.45$/m);
  expect(lines).toMatch(/^one item per timesheet +12.50$/m);
});
