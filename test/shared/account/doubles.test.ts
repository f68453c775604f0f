import { expect, test } from 'vitest';
import { findDoubles, readTimes } from '#shared/account/doubles.ts';

/** Timesheets of one person with overlapping times may be one timesheet that is there twice. */

type Times = readonly [start: string | null, finish: string | null];

const MORNING: Times = ['2026-03-05T08:00:00Z', '2026-03-05T12:00:00Z'];

test.each<[string, Times, boolean]>([
  ['the same times', MORNING, true],
  ['times that overlap', ['2026-03-05T11:59:00Z', '2026-03-05T16:00:00Z'], true],
  ['times within the others', ['2026-03-05T09:00:00Z', '2026-03-05T10:00:00Z'], true],
  ['a split shift that begins when the other ends', ['2026-03-05T12:00:00Z', '2026-03-05T16:00:00Z'], false],
  ['a split shift after a break', ['2026-03-05T13:00:00Z', '2026-03-05T16:00:00Z'], false],
  ['an overnight shift into it', ['2026-03-04T22:00:00Z', '2026-03-05T08:30:00Z'], true],
  ['an overnight shift before it', ['2026-03-04T22:00:00Z', '2026-03-05T06:00:00Z'], false],
  ['an overnight shift whose finish has its date', ['2026-03-04T22:00:00Z', '2026-03-04T08:30:00Z'], true],
  ['the same clock on another date', ['2026-03-06T08:00:00Z', '2026-03-06T12:00:00Z'], false],
  ['another offset, at the same instants', ['2026-03-05T21:00:00+13:00', '2026-03-06T01:00:00+13:00'], true],
  ['times without an offset, which says nothing', ['2026-03-05T08:00:00', '2026-03-05T12:00:00'], false],
  ['no finish yet', ['2026-03-05T08:00:00Z', null], false],
  ['no time that can be read', ['morning', 'noon'], false],
])('beside a morning: %s', (_, times, isDouble) => {
  const doubles = findDoubles([sheet('1_7', MORNING), sheet('2_7', times)]);
  const expected = [
    ['1_7', '2_7'],
    ['2_7', '1_7'],
  ];
  expect([...doubles]).toEqual(isDouble ? expected : []);
});

test('times without an offset are compared with each other', () => {
  const local: Times = ['2026-03-05T08:00:00', '2026-03-05T12:00:00'];
  expect(findDoubles([sheet('1_7', local), sheet('2_7', local)]).size).toBe(2);
});

test('nobody else has a double of it, nor a timesheet of nobody', () => {
  expect(findDoubles([sheet('1_7', MORNING, '2001_7'), sheet('2_7', MORNING, '2002_7')]).size).toBe(0);
  expect(findDoubles([sheet('1_7', MORNING, null), sheet('2_7', MORNING, null)]).size).toBe(0);
});

function sheet(id: string, [start, finish]: Times, employeeId: string | null = '2001_7') {
  return { id, employeeId, times: readTimes(start, finish) };
}
