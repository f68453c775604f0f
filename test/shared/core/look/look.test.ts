import { describe, expect, test } from 'vitest';
import { listDates } from '#shared/core/dates.ts';
import { Looking, readId } from '#shared/core/look/look.ts';
import { DATE, NEXT_DATE, NOW, payPeriod, timesheet } from '#test/support/builders.ts';

const ONE = { from: DATE, to: DATE };
const TWO = { from: DATE, to: NEXT_DATE };

type Pages = readonly (readonly [total: number, ...records: unknown[]])[];

/** A look as text: the ids of each slice, and the problem. */
function look(pages: Pages, range = ONE): string {
  const looking = new Looking('timesheets', range, { timeZone: 'UTC', startedAt: NOW });
  for (const [totalRecords, ...records] of pages) looking.take({ records, totalRecords });
  const looks = looking.end(NOW + 500);
  expect(looks.map(({ slice }) => slice)).toEqual(listDates(range));
  const slices = looks.map(({ texts }) => [...texts.keys()].join(' ')).join(' | ');
  const [{ problem } = { problem: null }] = looks;
  return [slices, problem ?? 'whole'].join('; ');
}

const on = (date: string | null, id: string) => timesheet({ id, date });
const [A, B, C] = ['a', 'b', 'c'].map((id) => on(DATE, id));

test.each<[string, Pages, string]>([
  [
    'all pages',
    [
      [3, A, B],
      [3, C],
    ],
    'a b c; whole',
  ],
  ['an empty list', [[0]], '; whole'],
  ['fewer than announced', [[3, A, B]], 'a b; drifted'],
  ['more than announced', [[1, A, B]], 'a b; drifted'],
  [
    'another total on the next page, though it adds up',
    [
      [2, A],
      [3, B],
    ],
    'a b; drifted',
  ],
  [
    'another total on the next page',
    [
      [2, A],
      [3, B, C],
    ],
    'a b c; drifted',
  ],
  [
    'a record on two pages: another one was missed',
    [
      [3, A, B],
      [3, B],
    ],
    'a b; drifted',
  ],
  ['a record twice on one page, as some sources list it', [[3, A, B, B]], 'a b; whole'],
  ['records without an id', [[3, A, { ...B, id: null }, 'x']], 'a; nameless'],
  ['one without a date is on the date that was asked for', [[2, A, on(null, 'b')]], 'a b; whole'],
  ['one of another date', [[2, A, on(NEXT_DATE, 'b')]], 'a; drifted'],
])('a look at one date: %s', (_, pages, expected) => {
  expect(look(pages)).toBe(expected);
});

test.each<[string, Pages, string]>([
  ['each record on its date', [[2, on(NEXT_DATE, 'b'), A]], 'a | b; whole'],
  ['one without a date: each date is read alone', [[2, A, on(null, 'b')]], 'a | ; undated'],
  [
    'one that moved while it was read stands where it came last',
    [
      [3, A, B],
      [3, on(NEXT_DATE, 'a')],
    ],
    'b | a; drifted',
  ],
  [
    'and back',
    [
      [2, on(NEXT_DATE, 'a')],
      [2, A],
    ],
    'a | ; drifted',
  ],
])('a look at two dates: %s', (_, pages, expected) => {
  expect(look(pages, TWO)).toBe(expected);
});

test('the first problem stays, and every look has its instants', () => {
  const looking = new Looking('timesheets', TWO, { timeZone: 'UTC', startedAt: NOW });
  looking.take({ records: [A, B], totalRecords: 9 });
  expect(looking.records).toBe(2);
  looking.fail('no_time');
  looking.fail('page_loop');
  const looks = looking.end(NOW + 500);
  expect(looks.map(({ problem, startedAt, at }) => [problem, startedAt, at])).toEqual(
    Array(2).fill(['no_time', NOW, NOW + 500]),
  );
});

test('values are canonical: in the zone of the connection, and what lies ahead has not happened', () => {
  const looking = new Looking('timesheets', ONE, { timeZone: 'Pacific/Auckland', startedAt: NOW });
  const stamps = { approvedHours: '2026-03-05T13:30:00', processed: '2026-03-08' };
  looking.take({ records: [{ ...A, ...stamps }], totalRecords: 1 });
  const [text] = looking.end(NOW)[0]?.texts.values() ?? [];
  expect(JSON.parse(text ?? '').slice(15, 18)).toEqual(['2026-03-05T00:30:00.000Z', null, null]);
});

test('a list of pay periods has the own totals of the source', () => {
  const looking = new Looking('pay-periods', null, { timeZone: 'UTC', startedAt: NOW });
  looking.take({ records: [payPeriod(), payPeriod({ id: '4_7', hours: null })], totalRecords: 2 });
  const [{ slice, totals, problem } = { slice: '', totals: new Map(), problem: '' }] = looking.end(NOW);
  expect([slice, problem]).toEqual(['all', null]);
  expect([...totals]).toEqual([
    ['3_7', { hours: 1_204.25, employees: 31, timesheets: 154 }],
    ['4_7', null],
  ]);
});

describe('an id', () => {
  test.each(['1001_7', 'x', 'é', 'i'.repeat(100)])('may be %s', (id) => {
    expect(readId({ id })).toBe(id);
  });

  test.each([undefined, null, 7, {}, '', '0', '0_0', '-', 'n/a', '\ud800', 'a\nb', 'i'.repeat(101)])(
    'is not %j',
    (id) => {
      expect(readId({ id })).toBeNull();
    },
  );

  test('is in a record', () => {
    for (const record of [null, 'x', 7, [], undefined]) expect(readId(record)).toBeNull();
  });
});
