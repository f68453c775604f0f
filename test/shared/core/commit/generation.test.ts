import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BaselineInput,
  beginRegrowth,
  chooseBaselineMode,
  type GenerationPlan,
  needsBaseline,
  SliceBaseline,
} from '#shared/core/commit/generation.ts';
import { parseRow, type ScannedRecord } from '#shared/core/fetch/scan.ts';
import { checkRow, feedDefinition } from '#shared/core/records/feed-definition.ts';
import { isCrowded, leavesMatchHeads, type SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { holds } from '#test/shared/core/properties.ts';
import {
  clocking,
  createScannedRecords,
  DATE,
  EARLIER,
  EPOCH,
  leafRow,
  NOW,
  payPeriod,
  slice,
  timesheet,
} from '#test/support/builders.ts';

const definition = feedDefinition('timesheets');
const FACTS = {
  clockIn: clocking(),
  clockOut: clocking({ id: '7002_7' }),
  approvedHours: '2026-03-05T00:30:00.000Z',
  approvedPayroll: 'PAY-1',
  processed: '2026-03-05T00:40:00.000Z',
};

describe('how a slice enters its baseline', () => {
  const baseline = { from: '2026-02-01', to: '2026-03-15', startedAt: EARLIER, completedAt: EARLIER };

  test.each([
    ['2026-03-16', 'untold'],
    ['2026-03-15', 'silent'],
    ['2026-02-01', 'silent'],
    ['2026-01-31', 'silent'],
  ])('%s, of a baseline up to 2026-03-15: %s', (date, expected) => {
    expect(chooseBaselineMode(date, baseline)).toBe(expected);
  });

  test('silently before and while the baseline is installed', () => {
    expect(chooseBaselineMode('2026-03-16', null)).toBe('silent');
    expect(chooseBaselineMode('2026-03-16', { ...baseline, completedAt: null })).toBe('silent');
  });

  test('silently for the one list of a feed', () => {
    expect(chooseBaselineMode('all', { ...baseline, from: 'all', to: 'all' })).toBe('silent');
  });

  test('once: a slice that was seen whole needs it no more, an empty one neither', () => {
    expect(needsBaseline(undefined)).toBe(true);
    expect(needsBaseline(slice({ head: { baselinedAt: null } }).head)).toBe(true);
    expect(needsBaseline(slice({ rows: [] }).head)).toBe(false);
  });
});

describe('a first scan', () => {
  test('stores the records as they are, without events', () => {
    const records = [timesheet(FACTS), timesheet({ id: '1002_7' })];
    const { head, leaves } = planBaseline(inputOf({ records: createScannedRecords(records) }));
    expect(leaves.flatMap(({ rows }) => rows)).toEqual(records.map((record) => leafRow(record)));
    expect(head).toMatchObject({
      slice: DATE,
      revision: 1,
      generation: '1-run-b',
      recordCount: 2,
      unsettledCount: 1,
      baselinedAt: NOW,
      observedAt: NOW,
      outbox: [],
    });
  });

  test('of an empty slice keeps that it was scanned', () => {
    const { head, leaves } = planBaseline(inputOf({ records: [] }));
    expect([head.baselinedAt, head.recordCount, leaves]).toEqual([NOW, 0, []]);
  });

  test.each(Object.keys(FACTS))(
    'withholds %s, which is still to be published, where time brought the date',
    (fact) => {
      const record = timesheet({ [fact]: FACTS[fact as keyof typeof FACTS] });
      const { leaves } = planBaseline(inputOf({ records: createScannedRecords([record]), mode: 'untold' }));
      expect(leaves.flatMap(({ rows }) => rows)).toEqual([leafRow(timesheet(), { untold: true })]);
    },
  );

  test('has nothing to withhold of a record to which nothing happened', () => {
    const { leaves } = planBaseline(
      inputOf({ records: createScannedRecords([timesheet()]), mode: 'untold' }),
    );
    expect(leaves.flatMap(({ rows }) => rows)).toEqual([leafRow(timesheet())]);
  });

  test('counts a record whose processing is withheld as unsettled', () => {
    const records = createScannedRecords([timesheet(FACTS)]);
    expect(planBaseline(inputOf({ records, mode: 'untold' })).head.unsettledCount).toBe(1);
  });

  test('keeps the rows of records that moved here before, as they are known', () => {
    const known = leafRow(timesheet(), { sequence: 4, sent: { clockIn: 2 }, seenAt: EARLIER });
    const before = slice({ rows: [known], head: { revision: 2, baselinedAt: null, outbox: ['waiting'] } });
    const { head, leaves } = planBaseline(
      inputOf({
        records: createScannedRecords([timesheet({ hoursToPay: 8 }), timesheet({ id: '1002_7' })]),
        ...before,
      }),
    );
    const taken = leafRow(timesheet({ id: '1002_7' }), { seenAt: NOW });
    expect(leaves.flatMap(({ rows }) => rows)).toEqual([known, taken]);
    expect(head).toMatchObject({ revision: 3, recordCount: 2, baselinedAt: NOW, outbox: ['waiting'] });
  });

  test('leaves out records that are known elsewhere: their move is published', () => {
    const records = createScannedRecords([timesheet(), timesheet({ id: '1002_7' })]);
    const { leaves } = planBaseline(inputOf({ records, knownElsewhere: new Set(['1001_7']) }));
    expect(leaves.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(['1002_7']);
  });

  test('leaves out records that were removed here before: their sequence continues, with an event', () => {
    const tombstones = [{ id: '1001_7', epoch: EPOCH, sequence: 4, removedAt: EARLIER }];
    const before = slice({ tombstones, head: { baselinedAt: null } });
    const { head, leaves } = planBaseline(
      inputOf({ records: createScannedRecords([timesheet()]), ...before }),
    );
    expect(leaves.flatMap((leaf) => leaf.tombstones)).toEqual(tombstones);
    expect([head.recordCount, head.tombstoneCount]).toEqual([0, 1]);
  });

  test('does not count as one at the whole slice when it leaves anybody as he was known, or out', () => {
    const known = slice({ rows: [leafRow(timesheet(), { seenAt: EARLIER })], head: { baselinedAt: null } });
    const bad = createScannedRecords([timesheet({ hoursToPay: 'many' })]);
    const records = createScannedRecords([timesheet()]);
    expect(planBaseline(inputOf({ records, ...known })).head.observedAt).toBeNull();
    expect(
      planBaseline(inputOf({ records, knownElsewhere: new Set(['1001_7']) })).head.observedAt,
    ).toBeNull();
    expect(planBaseline(inputOf({ records: bad })).head.observedAt).toBeNull();
  });

  test('leaves out a bad record', () => {
    const records = createScannedRecords([timesheet({ hoursToPay: 'many' }), timesheet({ id: '1002_7' })]);
    for (const mode of ['silent', 'untold'] as const) {
      const { head, leaves } = planBaseline(inputOf({ records, mode }));
      expect(leaves.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(['1002_7']);
      expect(head.recordCount).toBe(1);
    }
  });

  test('that left everything as it saw it is one at the whole slice', () => {
    const records = createScannedRecords([timesheet(), timesheet({ id: '1002_7' })]);
    const { head, leaves } = planBaseline(inputOf({ records }));
    expect(head.observedAt).toBe(NOW);
    expect(leaves.flatMap(({ rows }) => rows.map(({ seenAt }) => seenAt))).toEqual([undefined, undefined]);
  });

  test.each<[string, Partial<BaselineInput>]>([
    ['a known record as it was known', { ...slice({ rows: [leafRow(timesheet())] }) }],
    [
      'a removed one as it was',
      { ...slice({ tombstones: [{ id: '1001_7', epoch: EPOCH, sequence: 4, removedAt: EARLIER }] }) },
    ],
    ['one out who is known elsewhere', { knownElsewhere: new Set(['1001_7']) }],
    [
      'a bad one out',
      { records: createScannedRecords([timesheet({ hoursToPay: 'many' }), timesheet({ id: '1002_7' })]) },
    ],
  ])('that left %s says of each other record when it was seen', (_, values) => {
    const records = createScannedRecords([timesheet(), timesheet({ id: '1002_7' })]);
    const { head, leaves } = planBaseline(inputOf({ records, ...values }));
    const rows = leaves.flatMap((leaf) => leaf.rows);
    expect([head.baselinedAt, head.observedAt]).toEqual([NOW, null]);
    expect(rows.find(({ id }) => id === '1002_7')?.seenAt).toBe(NOW);
    expect(rows.find(({ id }) => id === '1001_7')?.seenAt).toBeUndefined();
  });

  test('of pay periods takes closed ones over silently', () => {
    const record = payPeriod({ closed: '2026-03-09' });
    const { head, leaves } = planBaseline({
      ...inputOf({
        slice: 'all',
        records: createScannedRecords([record], 'pay-periods'),
        invalid: new Set(),
      }),
      definition: feedDefinition('pay-periods'),
    });
    expect(leaves.flatMap(({ rows }) => rows)).toEqual([leafRow(record)]);
    expect(head.unsettledCount).toBe(0);
  });
});

test('a large slice is laid out in pieces of some thousand rows, in leaves for all of it', () => {
  const movedHere = Array.from({ length: 20 }, (_, n) => leafRow(timesheet({ id: `${n}_8` })));
  const records = Array.from({ length: 4_980 }, (_, n) => timesheet({ id: `${n}_7` }));
  const { head, leaves } = slice({ rows: movedHere });
  const baseline = new SliceBaseline(inputOf({ head, leaves, records: createScannedRecords(records) }));
  const sizes = [...baseline.pieces()].map((piece) => piece.flatMap(({ rows }) => rows).length);
  expect(sizes.length).toBe(3);
  for (const size of sizes.slice(0, -1)) expect(Math.abs(size - 2_020)).toBeLessThanOrEqual(20);
  expect(baseline.head()).toMatchObject({ recordCount: 5_000, leafCount: Math.ceil(5_000 / 16) });
});

describe('growing', () => {
  test.each([
    [2, 96, 6],
    [2, 65, 6],
    [1, 33, 3],
  ])('splits each of %i leaves into as many as %i records need: %i in all', (leafCount, expected, grown) => {
    const head = { ...slice().head, leafCount };
    expect(beginRegrowth(definition, head, { generation: '5-run-b', expected }).leafCount).toBe(grown);
  });

  test('keeps every record, tombstone and count, in as many leaves as they need', () => {
    holds(
      fc.property(fc.nat(200), fc.nat(20), fc.nat(500), (records, removed, expected) => {
        const rows = Array.from({ length: records }, (_, n) =>
          leafRow(timesheet({ id: `${n}_7` }), { sequence: n, sent: { clockIn: n } }),
        );
        const tombstones = Array.from({ length: removed }, (_, n) => ({
          id: `${n}_8`,
          epoch: EPOCH,
          sequence: n,
          removedAt: EARLIER,
        }));
        const loss = { field: 'clockOut', records: 3, known: 4, since: EARLIER, at: NOW, published: 2 };
        const losses = { confirmedLosses: [loss], recentLosses: [{ field: 'clockIn', records: 1, at: NOW }] };
        const before = slice({ rows: [], head: { outbox: ['waiting'] } });
        const crowded = {
          head: {
            ...{ ...before.head, ...losses },
            ...{ recordCount: records, tombstoneCount: removed, unsettledCount: records, unlistedCount: 2 },
          },
          leaves: [{ ...(before.leaves[0] ?? leafOf()), rows, tombstones }],
        };
        const generation = beginRegrowth(definition, crowded.head, { generation: '5-run-b', expected });
        const leaves = crowded.leaves.flatMap((leaf) => generation.lay(leaf));
        const after = { head: generation.head(), leaves };
        const { leafCount, digests, ...same } = after.head;
        expect(same).toEqual({ ...omitted(crowded.head), revision: 5, generation: '5-run-b' });
        expect(isCrowded(after.head, expected)).toBe(false);
        expect(leavesMatchHeads(after.leaves, new Map([[DATE, after.head]]))).toBe(true);
        expect(digests).toHaveLength(leafCount * 2);
        expect(sorted(after.leaves.flatMap((leaf) => leaf.rows))).toEqual(sorted(rows));
        expect(sorted(after.leaves.flatMap((leaf) => leaf.tombstones))).toEqual(sorted(tombstones));
        expect(after.leaves.every(({ generation }) => generation === '5-run-b')).toBe(true);
      }),
      30,
    );
  });
});

function inputOf(values: Partial<BaselineInput>): BaselineInput {
  return {
    definition,
    slice: DATE,
    head: undefined,
    leaves: [],
    records: [],
    invalid: new Set(values.records?.flatMap((each) => (isBad(each) ? [each.id] : []))),
    knownElsewhere: new Set(),
    mode: 'silent',
    generation: '1-run-b',
    observedAt: NOW,
    epoch: EPOCH,
    ...values,
  };
}

function isBad(record: ScannedRecord): boolean {
  return checkRow(definition, parseRow(record)).outcome === 'bad';
}

function leafOf() {
  return { slice: DATE, generation: '1-run', index: 0, rows: [], tombstones: [] };
}

/** What follows from the leaves is left out: none of the rows is unlisted. */
function omitted({
  leafCount: _leafCount,
  digests: _digests,
  unlistedCount: _unlistedCount,
  ...rest
}: SliceHead) {
  return rest;
}

function sorted<Value extends { readonly id: string }>(values: readonly Value[]): Value[] {
  return [...values].sort((left, right) => (left.id < right.id ? -1 : 1));
}

function planBaseline(input: BaselineInput): GenerationPlan {
  const baseline = new SliceBaseline(input);
  const leaves = [...baseline.pieces()].flat();
  return { head: baseline.head(), leaves };
}
