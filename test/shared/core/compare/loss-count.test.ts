import { describe, expect, test } from 'vitest';
import type { RemovalCheck } from '#shared/core/compare/change.ts';
import type { KnownRow } from '#shared/core/compare/classify-records.ts';
import { findLatestRow, findLostFacts, LossCount } from '#shared/core/compare/loss-count.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import { clocking, createScan, DATE, leafRow, NEXT_DATE, NOW, timesheet } from '#test/support/builders.ts';
import { createFoundAnswer } from './run-comparison.ts';

const DEFINITION = feedDefinition('timesheets');
const STAMP = '2026-03-04T00:00:00.000Z';
const APPROVED = { approvedHours: STAMP };
const PAID = { approvedHours: STAMP, approvedPayroll: 'P-1', processed: STAMP };
const NOTHING = stateOf({});
const BOTH = new Set(['1_7', '2_7']);

describe('the facts that a record lost', () => {
  test.each<[string, [SourceRecord, SourceRecord], string[]]>([
    ['are what it had and has no more', [PAID, APPROVED], ['approvedPayroll', 'processed']],
    ['are its clockings, too', [{ clockIn: clocking(), clockOut: clocking() }, {}], ['clockIn', 'clockOut']],
    ['are none when they only changed', [APPROVED, { approvedHours: '2026-03-05T00:00:00.000Z' }], []],
    ['are not what it gained', [{}, PAID], []],
    ['are not other values', [{ shift: { id: '1_7', name: 'Late' } }, { hoursToPay: 0 }], []],
  ])('%s', (_, [before, after], lost) => {
    expect(findLostFacts(DEFINITION, stateOf(before), stateOf(after))).toEqual(lost);
  });

  test('are not those that time alone makes', () => {
    const missing = [...stateOf(APPROVED), STAMP, STAMP];
    expect(findLostFacts(DEFINITION, missing, [...NOTHING, null, null])).toEqual(['approvedHours']);
  });

  test('are none of fields that were appended after the row was stored', () => {
    expect(findLostFacts(DEFINITION, [], NOTHING)).toEqual([]);
  });
});

test('the latest row of a record is that of its latest event', () => {
  const [first, second, third] = [1, 2, 3].map((sequence) => known('1_7', {}, { sequence }));
  if (first === undefined || second === undefined || third === undefined) throw new Error('three rows');
  expect(findLatestRow([second, third, first])).toBe(third);
  expect(findLatestRow([])).toBeUndefined();
});

describe('lost facts are counted', () => {
  test('by the slice of the row and by field, each time anew', () => {
    const count = new LossCount(DEFINITION);
    count.add(known('1_7', PAID), stateOf(APPROVED));
    count.add(known('2_7', PAID), NOTHING);
    count.add(known('3_7', APPROVED), stateOf(APPROVED));
    count.add({ ...known('4_7', APPROVED), slice: NEXT_DATE }, NOTHING);
    const losses = {
      [DATE]: { approvedHours: 1, approvedPayroll: 2, processed: 2 },
      [NEXT_DATE]: { approvedHours: 1 },
    };
    expect(sumOf(count)).toEqual(losses);
    expect(sumOf(count)).toEqual(losses);
  });

  test('where the record was seen on another slice, once, unless that slice knows it too', () => {
    const count = new LossCount(DEFINITION);
    const row = (sequence: number, facts: SourceRecord = APPROVED) => known('1_7', facts, { sequence });
    count.addElsewhere(row(1), seenOn(NEXT_DATE));
    count.addElsewhere({ ...row(2), slice: NEXT_DATE }, seenOn(DATE));
    count.addElsewhere(row(1), seenOn(NEXT_DATE));
    expect(sumOf(count, new Set(['1_7']))).toEqual({ [NEXT_DATE]: { approvedHours: 1 } });
    expect(sumOf(count)).toEqual({});
    // Of two rows alike the first.
    count.addElsewhere({ ...row(2, PAID), slice: DATE }, seenOn(NEXT_DATE));
    expect(sumOf(count, new Set(['1_7']))).toEqual({ [NEXT_DATE]: { approvedHours: 1 } });
  });

  test('beside those of other records of the slice', () => {
    const count = new LossCount(DEFINITION);
    count.add(known('1_7', APPROVED), NOTHING);
    count.addElsewhere(known('2_7', APPROVED), seenOn(NEXT_DATE));
    count.addAbsent(known('3_7', APPROVED));
    for (let time = 0; time < 2; time += 1)
      expect(sumOf(count, BOTH, { '3_7': found('3_7', {}) })).toEqual({ [DATE]: { approvedHours: 3 } });
  });

  test('not where nothing was published of the record', () => {
    const count = new LossCount(DEFINITION);
    const untold = (id: string) => known(id, APPROVED, { untold: true });
    count.add(untold('1_7'), NOTHING);
    count.addElsewhere(untold('2_7'), seenOn(NEXT_DATE));
    count.addAbsent(untold('3_7'));
    expect(sumOf(count, BOTH, { '3_7': found('3_7', {}) })).toEqual({});
  });
});

describe('of an absent record lost facts are counted', () => {
  const counted = (answers: Readonly<Record<string, RemovalCheck>>, facts: SourceRecord = PAID) => {
    const count = new LossCount(DEFINITION);
    count.addAbsent(known('1_7', facts));
    return sumOf(count, new Set(), answers);
  };

  test('when the source has it without them', () => {
    expect(counted({ '1_7': found('1_7', APPROVED) })).toEqual({
      [DATE]: { approvedPayroll: 1, processed: 1 },
    });
    expect(counted({ '1_7': found('1_7', {}) }, APPROVED)).toEqual({ [DATE]: { approvedHours: 1 } });
  });

  test.each<[string, Readonly<Record<string, RemovalCheck>>]>([
    ['it has them still', { '1_7': found('1_7', PAID) }],
    ['it is gone', { '1_7': { outcome: 'gone', requestedAt: NOW, receivedAt: NOW } }],
    ['its request failed', { '1_7': { outcome: 'unknown', askedAt: NOW } }],
    ['another one was found', { '2_7': found('2_7', {}) }],
    ['it was not requested', {}],
  ])('not when %s', (_, answers) => {
    expect(counted(answers)).toEqual({});
  });
});

describe('records that lost facts stand by now', () => {
  const places = (count: LossCount, answers: Readonly<Record<string, RemovalCheck>> = {}) =>
    Object.fromEntries(
      [...count.places(new Set(['1_7', '2_7', '3_7']), new Map(Object.entries(answers)))].map(
        ([slice, seen]) => [slice, [...seen]],
      ),
    );

  test('where they were seen, unless they lost nothing or that slice knows them, too', () => {
    const count = new LossCount(DEFINITION);
    count.addElsewhere(known('1_7', APPROVED), seenOn(NEXT_DATE));
    count.addElsewhere(known('2_7', APPROVED), seenOn(NEXT_DATE));
    count.addElsewhere(known('3_7', {}), seenOn('2026-03-07'));
    count.addElsewhere(known('4_7', APPROVED), seenOn('2026-03-08'));
    count.add(known('5_7', APPROVED), NOTHING);
    expect(places(count)).toEqual({ [DATE]: [NEXT_DATE] });
  });

  test('where a request by id found them, unless that is where they were', () => {
    const count = new LossCount(DEFINITION);
    count.addAbsent(known('1_7', APPROVED));
    count.addAbsent(known('2_7', APPROVED));
    count.addAbsent(known('3_7', APPROVED));
    const answers = {
      '1_7': found('1_7', { date: NEXT_DATE }),
      '2_7': found('2_7', {}),
      '3_7': found('3_7', { ...APPROVED, date: '2026-03-07' }),
    };
    expect(places(count, answers)).toEqual({ [DATE]: [NEXT_DATE] });
  });
});

function seenOn(slice: string) {
  return { slice, row: NOTHING };
}

function stateOf(values: SourceRecord) {
  return leafRow(timesheet(values)).state;
}

function known(id: string, values: SourceRecord, row: Partial<LeafRow> = {}): KnownRow {
  return { slice: DATE, row: leafRow(timesheet({ ...values, id }), { sequence: 1, ...row }) };
}

function found(id: string, values: SourceRecord): RemovalCheck {
  const times = { requestedAt: NOW, receivedAt: NOW };
  return createFoundAnswer(timesheet({ ...values, id }), createScan([]), times);
}

function sumOf(
  count: LossCount,
  unknownIds: ReadonlySet<string> = new Set(),
  answers: Readonly<Record<string, RemovalCheck>> = {},
) {
  const losses = count.sum(unknownIds, new Map(Object.entries(answers)));
  return Object.fromEntries([...losses].map(([slice, fields]) => [slice, Object.fromEntries(fields)]));
}
