import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Difference } from '#shared/core/compare/compare.ts';
import { findDiffering } from '#shared/core/compare/compare.ts';
import { checkRow, parseRow } from '#shared/core/records/feed-definition.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { differ, headOf, listIds, lookAt, rowsOf, sheets, TIMESHEET } from '#test/shared/core/slices.ts';
import { storedRow, textOf, timesheet } from '#test/support/builders.ts';
import { holds } from '../properties.ts';

const BAD = { hoursToPay: 'seven' };
const GOOD_TEXT = textOf(timesheet({}));

/** What is said of each id: `changed 1_7`, sorted. */
function say(differences: readonly Difference[]): string[] {
  return differences
    .flatMap(({ changed, readable, bad, unknown, absent }) => [
      ...changed.map(({ row }) => `changed ${row.id}`),
      ...readable.map(({ id }) => `readable ${id}`),
      ...bad.map(({ id, row }) => `${row === null ? 'new bad' : 'bad'} ${id}`),
      ...[...unknown.keys()].map((id) => `unknown ${id}`),
      ...absent.map(({ id }) => `absent ${id}`),
    ])
    .sort();
}

describe('a bucket differs', () => {
  const records = sheets(listIds(40));
  const rows = rowsOf(records);
  const head = headOf(rows);

  test('not while all is as before, whatever rows remember besides', () => {
    expect(findDiffering(lookAt(records.toReversed()), head)).toEqual([]);
    const bad = rows.map((row) => ({
      ...row,
      text: GOOD_TEXT,
      bad: { text: row.text ?? '', issues: ['x'] },
    }));
    expect(findDiffering(lookAt(records), headOf(bad))).toEqual([]);
  });

  test('where a record changed, came or went, and nowhere else', () => {
    const [first, ...others] = records;
    const edited = { ...first, hoursToPay: 8 } as (typeof records)[number];
    const home = differ(lookAt([edited, ...others]), head, rows).map(({ index }) => index);
    expect(home).toHaveLength(1);
    expect(findDiffering(lookAt(others), head)).toEqual(home);
    expect(findDiffering(lookAt([...records, timesheet({ id: 'new' })]), head)).toHaveLength(1);
  });
});

/** A row as it may be stored, and the record as a look may show it. */
const cases = fc.record({
  stored: fc.constantFrom('none', 'good', 'other', 'bad', 'stub'),
  seen: fc.constantFrom('none', 'good', 'other', 'bad', 'badder'),
});
const VALUES = { good: {}, other: { hoursToPay: 8 }, bad: BAD, badder: { hoursToPay: 'eight' } };

function toRow(id: string, stored: string): StoredRow[] {
  const bad = { text: textOf(timesheet({ id, ...BAD })), issues: ['hoursToPay'] };
  if (stored === 'none') return [];
  if (stored === 'bad') return [storedRow(timesheet({ id }), { bad })];
  if (stored === 'stub') return [storedRow(timesheet({ id }), { bad, text: null })];
  return [storedRow(timesheet({ id, ...VALUES[stored as 'good'] }))];
}

/** What is said of a record, by its row and what is seen of it. */
const SAID: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  none: { good: 'unknown', other: 'unknown', bad: 'new bad', badder: 'new bad' },
  good: { none: 'absent', other: 'changed', bad: 'bad', badder: 'bad' },
  other: { none: 'absent', good: 'changed', bad: 'bad', badder: 'bad' },
  bad: { none: 'absent', good: 'readable', other: 'changed', badder: 'bad' },
  stub: { none: 'absent', good: 'unknown', other: 'unknown', badder: 'bad' },
};

test('every record is judged as if it were alone', () => {
  const looks = fc.record({
    records: fc.array(cases, { maxLength: 30 }),
    problem: fc.constantFrom(null, 'drifted' as const),
    buckets: fc.constantFrom(1, 4, 16),
  });
  holds(
    fc.property(looks, ({ records, problem, buckets }) => {
      const ids = listIds(records.length);
      const rows = records.flatMap(({ stored }, place) => toRow(ids[place] ?? '', stored));
      const seen = records.flatMap(({ seen: as }, place) =>
        as === 'none' ? [] : [timesheet({ ...VALUES[as as 'good'], id: ids[place] })],
      );
      const expected = records.flatMap(({ stored, seen: as }, place) => {
        const said = SAID[stored]?.[as];
        const isSaid = said !== undefined && (said !== 'absent' || problem === null);
        return isSaid ? [`${said} ${ids[place]}`] : [];
      });
      const differences = differ(lookAt(seen, { problem }), headOf(rows, buckets), rows);
      expect(say(differences)).toEqual(expected.sort());
    }),
    300,
  );
});

test('a record that cannot be read is noted with why, and with its values as they came', () => {
  const record = timesheet({ id: '1_7', ...BAD });
  const [difference] = differ(lookAt([record]), headOf([], 1), []);
  expect(difference?.bad).toEqual([
    { id: '1_7', row: null, bad: { text: textOf(record), issues: ['hoursToPay'] } },
  ]);
  expect(checkRow(TIMESHEET, parseRow(GOOD_TEXT))).toEqual({ outcome: 'good' });
});
