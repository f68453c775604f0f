import { describe, expect, test } from 'vitest';
import type { GenerationPlan } from '#shared/core/commit/generation.ts';
import { WorkingSnapshot } from '#shared/core/commit/working-snapshot.ts';
import type { Change } from '#shared/core/compare/change.ts';
import type { ChangeEvents } from '#shared/core/events/events.ts';
import type { StatementMemory } from '#shared/core/periods/statement-memory.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import {
  digestLeaf,
  hasDigest,
  type LeafRow,
  type Tombstone,
  toLeafRef,
} from '#shared/core/snapshot/snapshot.ts';
import {
  createChange,
  createSnapshot,
  DATE,
  DAY_MS,
  EPOCH,
  leafRow,
  NEXT_DATE,
  NOW,
  payPeriod,
  type SampleRecord,
  slice,
  timesheet,
} from '#test/support/builders.ts';

const SHEET = timesheet();
const PAID = timesheet({ hoursToPay: 8 });
const BURIED: Tombstone = { id: '1001_7', epoch: EPOCH, sequence: 6, removedAt: NOW };
const SEEN_AT = createChange(SHEET, PAID).seenAt;

describe('a row says when it was seen', () => {
  const rowAfter = (values: Partial<Change>, observed: boolean) => {
    const { leaf } = applyTo([knownSlice([SHEET])], { change: createChange(SHEET, PAID, values), observed });
    return leaf(DATE).rows[0];
  };
  const row = leafRow(PAID);

  test('where its slice does not', () => {
    expect(rowAfter({}, false)).toEqual({ ...row, seenAt: SEEN_AT });
    expect(rowAfter({}, true)).toEqual(row);
  });

  test('where its list leaves it out', () => {
    const unlisted = { asks: 1, askedAt: NOW };
    expect(rowAfter({ unlisted }, true)).toEqual({ ...row, seenAt: SEEN_AT, unlisted });
  });

  test('not when it was only rewritten', () => {
    expect(rowAfter({ silent: true }, false)).toEqual(row);
  });
});

describe('a record that is removed', () => {
  const tombstoneOf = (known: GenerationPlan, change: Change) => applyTo([known], { change, row: null });

  test('leaves a tombstone with its position', () => {
    const { head, leaf } = tombstoneOf(knownSlice([SHEET]), createChange(SHEET, null));
    const tombstone = { id: '1001_7', epoch: EPOCH, sequence: 3, removedAt: SEEN_AT };
    expect([leaf(DATE).rows, leaf(DATE).tombstones]).toEqual([[], [tombstone]]);
    expect(head(DATE)).toMatchObject({ recordCount: 0, tombstoneCount: 1 });
  });

  test('leaves none when nothing was published of its removal', () => {
    const { head, leaf } = tombstoneOf(knownSlice([SHEET]), createChange(SHEET, null, { silent: true }));
    expect([leaf(DATE).rows, leaf(DATE).tombstones]).toEqual([[], []]);
    expect(head(DATE)).toMatchObject({ recordCount: 0, tombstoneCount: 0 });
  });

  test('remembers the closing of a pay period, with its statement', () => {
    const statement = { closings: 1, awaits: null } as StatementMemory;
    const closed = payPeriod({ closed: '2026-03-09' });
    const closingOf = (record: SampleRecord, values: Partial<LeafRow> = {}) => {
      const rows = [leafRow(record, values)];
      const known = slice({ slice: 'all', feed: 'pay-periods', rows });
      const change = createChange(record, null, { row: values });
      return applyTo([known], { change, row: null, feed: 'pay-periods' }).leaf('all').tombstones[0]?.closing;
    };
    expect(closingOf(closed)).toEqual({ closed: '2026-03-09' });
    expect(closingOf(closed)).not.toHaveProperty('statement');
    expect(closingOf(closed, { statement })).toEqual({ closed: '2026-03-09', statement });
    expect(closingOf(payPeriod())).toBeUndefined();
  });
});

describe('a record that comes back', () => {
  const back = (tombstoneSlice: string) => createChange(null, SHEET, { tombstoneSlice, sequence: 6 });

  test.each([DATE, NEXT_DATE])('takes its tombstone away, and no other: from %s', (date) => {
    const other = { ...BURIED, id: '1002_7' };
    const buried = slice({ slice: date, tombstones: [BURIED, other] });
    const known = date === DATE ? [buried] : [buried, slice()];
    const { head, leaf } = applyTo(known, { change: back(date), row: leafRow(SHEET) });
    expect([leaf(date).tombstones, head(date).tombstoneCount]).toEqual([[other], 1]);
    expect([leaf(DATE).rows.length, head(DATE).recordCount]).toEqual([1, 1]);
  });

  test('finds expired tombstones gone, each counted once', () => {
    const expired = { ...BURIED, id: '1002_7', removedAt: NOW - DAY_MS - 1 };
    const { head, leaf } = applyTo(
      [slice({ tombstones: [expired, { ...expired, removedAt: NOW - DAY_MS }] })],
      {
        change: createChange(null, SHEET),
      },
    );
    expect([leaf(DATE).tombstones.length, head(DATE).tombstoneCount]).toEqual([1, 1]);
  });
});

test('a record that moves replaces a row of it that was left where it goes', () => {
  const moved = timesheet({ date: NEXT_DATE });
  const { head, leaf } = applyTo([knownSlice([SHEET]), knownSlice([moved], NEXT_DATE)], {
    change: createChange(SHEET, moved),
    row: leafRow(moved, { sequence: 9 }),
  });
  expect([leaf(DATE).rows.length, head(DATE).recordCount]).toEqual([0, 0]);
  expect([leaf(NEXT_DATE).rows.map(({ sequence }) => sequence), head(NEXT_DATE).recordCount]).toEqual([
    [9],
    1,
  ]);
  for (const date of [DATE, NEXT_DATE])
    expect(hasDigest(head(date).digests, 0, digestLeaf(leaf(date)))).toBe(true);
});

describe('a head counts', () => {
  const unlisted = { asks: 1, askedAt: NOW };
  const awaiting = { awaits: 'final' } as StatementMemory;
  const countsAfter = (rows: readonly LeafRow[], change: Change, row: LeafRow) => {
    const { unlistedCount, awaitingCount } = applyTo([slice({ rows })], { change, row, observed: true }).head(
      DATE,
    );
    return { unlistedCount, awaitingCount };
  };
  const [first, second] = [leafRow(SHEET), leafRow(timesheet({ id: '1002_7' }))];

  test.each<[string, LeafRow[], Partial<Change>, number | undefined]>([
    ['the first', [first, second], { unlisted }, 1],
    ['one more', [first, { ...second, unlisted }], { unlisted }, 2],
    [
      'one less',
      [
        { ...first, unlisted },
        { ...second, unlisted },
      ],
      {},
      1,
    ],
    ['none, by saying nothing', [{ ...first, unlisted }, second], {}, undefined],
  ])('records that lists leave out: %s', (...[, rows, values, unlistedCount]) => {
    const counts = countsAfter(rows, createChange(SHEET, PAID, values), leafRow(PAID));
    expect(counts).toEqual({ unlistedCount, awaitingCount: undefined });
  });

  test('records that are not settled', () => {
    const processed = timesheet({ processed: '2026-03-05T00:40:00.000Z' });
    const unsettledAfter = (before: SampleRecord, record: SampleRecord) => {
      const change = createChange(before, record);
      const rows = [leafRow(before), second];
      return applyTo([slice({ rows })], { change, row: leafRow(record) }).head(DATE).unsettledCount;
    };
    expect(unsettledAfter(SHEET, PAID)).toBe(2);
    expect(unsettledAfter(SHEET, processed)).toBe(1);
    expect(unsettledAfter(processed, SHEET)).toBe(2);
  });

  test.each<[string, LeafRow[], Partial<LeafRow>, number | undefined]>([
    ['the first', [first, second], { statement: awaiting }, 1],
    ['one more', [first, { ...second, statement: awaiting }], { statement: awaiting }, 2],
    [
      'one less',
      [
        { ...first, statement: awaiting },
        { ...second, statement: awaiting },
      ],
      {},
      1,
    ],
    ['none, by saying nothing', [{ ...first, statement: awaiting }, second], {}, undefined],
  ])('rows that await a statement: %s', (...[, rows, values, awaitingCount]) => {
    const counts = countsAfter(rows, createChange(SHEET, PAID), leafRow(PAID, values));
    expect(counts).toEqual({ unlistedCount: undefined, awaitingCount });
  });
});

test('neighbours of a record stay, and the snapshot that was copied', () => {
  const neighbour = timesheet({ id: '1002_7' });
  const tombstones = [{ ...BURIED, id: '1003_7' }];
  const known = slice({ rows: [SHEET, neighbour].map((record) => leafRow(record)), tombstones });
  const before = structuredClone(known);
  const changed = applyTo([known], { change: createChange(SHEET, PAID), observed: true });
  expect(changed.leaf(DATE).rows).toEqual([leafRow(neighbour), leafRow(PAID)]);
  const removed = applyTo([known], { change: createChange(SHEET, null), row: null });
  expect(removed.leaf(DATE).rows).toEqual([leafRow(neighbour)]);
  expect(removed.leaf(DATE).tombstones.map(({ id }) => id)).toEqual(['1003_7', '1001_7']);
  expect(known).toEqual(before);
});

describe('a head that was written', () => {
  test('stays as it was when its slice changes again', () => {
    const known = knownSlice([SHEET]);
    const working = createWorking([known]);
    const [earlier, later] = [8, 9].map((hoursToPay) => {
      const record = timesheet({ hoursToPay });
      working.apply(eventsOf(createChange(SHEET, record), leafRow(record)), true);
      return { head: working.advance(DATE), leaf: working.leaf(toLeafRef(known.head, '1001_7')) };
    });
    if (earlier === undefined || later === undefined) throw new Error('two steps');
    expect([earlier.head.revision, later.head.revision]).toEqual([5, 6]);
    for (const { head, leaf } of [earlier, later])
      expect(hasDigest(head.digests, leaf.index, digestLeaf(leaf))).toBe(true);
  });

  test('has a revision, and one that was never written has none', () => {
    const working = createWorking([slice()]);
    expect([working.revisionOf(DATE), working.revisionOf(NEXT_DATE)]).toEqual([4, 0]);
    expect(() => working.advance(NEXT_DATE)).toThrow(expect.objectContaining({ code: 'head_not_read' }));
  });
});

function knownSlice(records: readonly SampleRecord[], date = DATE): GenerationPlan {
  return slice({ slice: date, rows: records.map((record) => leafRow(record)) });
}

function createWorking(known: readonly GenerationPlan[], feed: 'timesheets' | 'pay-periods' = 'timesheets') {
  return new WorkingSnapshot(feedDefinition(feed), createSnapshot(...known), NOW - DAY_MS);
}

interface Applied {
  readonly change: Change;
  /** The new row; that of the paid timesheet by default. */
  readonly row?: LeafRow | null;
  readonly observed?: boolean;
  readonly feed?: 'timesheets' | 'pay-periods';
}

function applyTo(known: readonly GenerationPlan[], applied: Applied) {
  const { change, row = leafRow(PAID), observed = false, feed } = applied;
  const working = createWorking(known, feed);
  working.apply(eventsOf(change, row), observed);
  const head = (name: string) => working.advance(name);
  return { head, leaf: (name: string) => working.leaf(toLeafRef(head(name), change.id)) };
}

function eventsOf(change: Change, row: LeafRow | null): ChangeEvents {
  return { change, texts: [], types: [], row, epoch: EPOCH, sequence: 3 };
}
