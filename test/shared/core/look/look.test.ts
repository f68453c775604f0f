import { expect, test } from 'vitest';
import { listDates } from '#shared/core/dates.ts';
import { Looking, readId } from '#shared/core/look/look.ts';
import { DATE, NEXT_DATE, NOW, payPeriod, timesheet } from '#test/support/builders.ts';

const ONE = { from: DATE, to: DATE };
const TWO = { from: DATE, to: NEXT_DATE };

/** Ids of records, each on the first date; marked with `+` on the next one, with `?` on none, and `-` has no id. */
function readRecord(text: string): unknown {
  if (text === '-') return { ...timesheet(), id: null };
  const date = text.endsWith('+') ? NEXT_DATE : text.endsWith('?') ? null : DATE;
  return timesheet({ id: text.slice(0, 1), date });
}

/** A look as text: the ids of each slice, and the problem. `pages`: the total that each says, and its records. */
function look(pages: string, range = ONE): string {
  const looking = new Looking('timesheets', range, { timeZone: 'UTC', startedAt: NOW });
  for (const page of pages.split(' | ')) {
    const [total, ...records] = page.split(' ');
    looking.take({ records: records.map(readRecord), totalRecords: Number(total) });
  }
  const looks = looking.end(NOW + 500);
  expect(looks.map(({ slice }) => slice)).toEqual(listDates(range));
  const slices = looks.map(({ texts }) => [...texts.keys()].join(' ')).join(' | ');
  return [slices, looks[0]?.problem ?? 'whole'].join('; ');
}

test.each([
  ['all pages', '3 a b | 3 c', 'a b c; whole'],
  ['an empty list', '0', '; whole'],
  ['fewer than announced', '3 a b', 'a b; drifted'],
  ['more than announced', '1 a b', 'a b; drifted'],
  ['another total on the next page, though it adds up', '2 a | 3 b', 'a b; drifted'],
  ['another total on the next page', '2 a | 3 b c', 'a b c; drifted'],
  ['a record on two pages: another one was missed', '3 a b | 3 b', 'a b; drifted'],
  ['a record twice on one page, as some sources list it', '3 a b b', 'a b; whole'],
  ['records without an id', '2 a -', 'a; nameless'],
  ['one without a date is on the date that was asked for', '2 a b?', 'a b; whole'],
  ['one of another date', '2 a b+', 'a; drifted'],
])('a look at one date: %s', (_, pages, expected) => {
  expect(look(pages)).toBe(expected);
});

test.each([
  ['each record on its date', '2 b+ a', 'a | b; whole'],
  ['one without a date: each date is read alone', '2 a b?', 'a | ; undated'],
  ['one that moved while it was read stands where it came last', '3 a b | 3 a+', 'b | a; drifted'],
  ['and back', '2 a+ | 2 a', 'a | ; drifted'],
])('a look at two dates: %s', (_, pages, expected) => {
  expect(look(pages, TWO)).toBe(expected);
});

test('the first problem stays, and every look has its instants', () => {
  const looking = new Looking('timesheets', TWO, { timeZone: 'UTC', startedAt: NOW });
  looking.take({ records: ['a', 'b'].map(readRecord), totalRecords: 9 });
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
  looking.take({ records: [timesheet(stamps)], totalRecords: 1 });
  const [text] = looking.end(NOW)[0]?.texts.values() ?? [];
  expect(JSON.parse(text ?? '').slice(15, 18)).toEqual(['2026-03-05T00:30:00.000Z', null, null]);
});

test('a list of pay periods has the own totals of the source', () => {
  const looking = new Looking('pay-periods', null, { timeZone: 'UTC', startedAt: NOW });
  looking.take({ records: [payPeriod(), payPeriod({ id: '4_7', hours: null })], totalRecords: 2 });
  expect(looking.end(NOW)).toMatchObject([{ slice: 'all', problem: null }]);
  expect([...(looking.end(NOW)[0]?.totals ?? [])]).toEqual([
    ['3_7', { hours: 1_204.25, employees: 31, timesheets: 154 }],
    ['4_7', null],
  ]);
});

test('an id is a text that says something, of a record', () => {
  const ids = ['1001_7', 'x', 'é', 'i'.repeat(100)];
  expect(ids.map((id) => readId({ id }))).toEqual(ids);
  const wrong = [undefined, null, 7, {}, '', '0', '0_0', '-', 'n/a', '\ud800', 'a\nb', 'i'.repeat(101)];
  expect([...wrong.map((id) => ({ id })), null, 'x', 7, [], undefined].map(readId)).toEqual(
    Array(wrong.length + 5).fill(null),
  );
});
