import { describe, expect, test } from 'vitest';
import type { RemovalCheck } from '#shared/core/compare/change.ts';
import type { ClassifiedRecords, KnownRow, SeenRecord } from '#shared/core/compare/classify-records.ts';
import {
  guardLosses,
  type LossGuardInput,
  type LossReport,
  type MassChange,
  updateLosses,
  withholdLosses,
} from '#shared/core/compare/mass-change.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { createHead, type LeafRow, type SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { DATE, DAY_MS, leafRow, MINUTE_MS, NEXT_DATE, NOW, timesheet } from '#test/support/builders.ts';

const FIELD = 'approvedHours';
const KEY = `${DATE} ${FIELD}`;
const SINCE = NOW - 2 * MINUTE_MS;
const HELD = { [KEY]: { field: FIELD, since: SINCE, records: 20, published: 0 } };
const CHANGE: MassChange = {
  ...{ slice: DATE, field: FIELD, records: 20, published: 0 },
  ...{ movedTo: [], since: SINCE, isConfirmed: false },
};

describe('a loss of most of a slice', () => {
  const other = { field: 'processed', records: 20 };

  test.each<[number, number, boolean]>([
    [15, 30, false],
    [16, 30, true],
    [9, 9, false],
    [10, 10, true],
  ])('is held from the first scan on: %i of %i', (lost, recordCount, isHeld) => {
    const held = { ...CHANGE, records: lost, since: NOW };
    expect(guarded(lost, {}, { recordCount })).toEqual(isHeld ? [held] : []);
  });

  test('names the other slices on which its records stand, also those of scans before', () => {
    const places = new Map([
      [DATE, new Set([NEXT_DATE, '2026-03-01'])],
      [NEXT_DATE, new Set(['2026-03-09'])],
    ]);
    const held = { [KEY]: { ...HELD[KEY], since: NOW, movedTo: ['2026-03-08', NEXT_DATE] } };
    expect(guarded(16, { places })).toMatchObject([{ movedTo: ['2026-03-01', NEXT_DATE] }]);
    expect(guarded(16, { places, held } as object)).toMatchObject([
      { movedTo: ['2026-03-01', NEXT_DATE, '2026-03-08'] },
    ]);
    const after = reported([{ ...CHANGE, since: NOW, movedTo: [NEXT_DATE] }], { startedAt: NOW });
    expect(after.massChange[KEY]).toMatchObject({ movedTo: [NEXT_DATE] });
    expect(reported([CHANGE], { startedAt: NOW }).massChange[KEY]).not.toHaveProperty('movedTo');
  });

  test('is held where nothing is known of the slice', () => {
    const held = { ...CHANGE, records: 10, since: NOW };
    expect(guarded(10, {}, { recordCount: 0 })).toEqual([held]);
    expect(guarded(10, { heads: new Map() })).toEqual([held]);
  });

  test('is of all records, also of those that left the slice when their loss was published', () => {
    const recentLosses = [{ field: FIELD, records: 1, at: NOW - MINUTE_MS }];
    expect(guarded(15, {}, { recentLosses, recordCount: 15 })).toMatchObject([{ records: 16 }]);
  });

  test.each([
    [MINUTE_MS - 1, false],
    [MINUTE_MS, true],
  ])('is confirmed by a scan that begins a minute later: %i ms', (afterMs, isConfirmed) => {
    const held = { [KEY]: { field: FIELD, since: NOW - afterMs, records: 20, published: 0 } };
    expect(guarded(16, { held })).toEqual([{ ...CHANGE, records: 16, since: NOW - afterMs, isConfirmed }]);
  });

  test.each([
    [
      'another slice',
      { [`${NEXT_DATE} ${FIELD}`]: { field: FIELD, since: SINCE, records: 20, published: 0 } },
    ],
    ['another fact', { [`${DATE} processed`]: { ...other, since: SINCE, published: 0 } }],
    ['a clock that was ahead', { [KEY]: { field: FIELD, since: NOW + DAY_MS, records: 20, published: 0 } }],
  ])('is not confirmed by what was held of %s', (_, held) => {
    expect(guarded(16, { held })).toEqual([{ ...CHANGE, records: 16, since: NOW }]);
  });

  test('counts what was published within a minute', () => {
    const recentLosses = [
      { field: FIELD, records: 4, at: NOW - MINUTE_MS },
      { field: FIELD, records: 6, at: NOW + MINUTE_MS },
      { field: FIELD, records: 20, at: NOW - MINUTE_MS - 1 },
      { ...other, at: NOW },
    ];
    expect(guarded(6, {}, { recentLosses })).toEqual([{ ...CHANGE, records: 16, published: 10, since: NOW }]);
    expect(guarded(5, {}, { recentLosses })).toEqual([]);
    expect(guarded(0, {}, { recentLosses: [{ field: FIELD, records: 20, at: NOW }] })).toEqual([]);
    // Those of a held loss were counted when it was held first.
    expect(guarded(16, { held: HELD }, { recentLosses })).toMatchObject([{ records: 16, published: 0 }]);
  });

  test('may be of several facts and slices', () => {
    const losses = new Map([
      [DATE, new Map([...['processed', FIELD].map((field) => [field, 16] as const), ['clockIn', 1]])],
      [NEXT_DATE, new Map([[FIELD, 16]])],
    ]);
    const heads = new Map([DATE, NEXT_DATE].map((slice) => [slice, head({ slice })]));
    const found = guardLosses(losses, inputOf({ heads }));
    expect(found.map(({ slice, field }) => [slice, field])).toEqual([
      [DATE, 'processed'],
      [DATE, FIELD],
      [NEXT_DATE, FIELD],
    ]);
  });

  test('is none where it may only be that much', () => {
    expect(guarded(5, { countUnseen: () => 25 })).toEqual([]);
  });
});

describe('a loss that is held', () => {
  test('is held until the time of removals is over, while it is not known how much was lost', () => {
    const countUnseen = (slice: string, lost: number) => (slice === DATE && lost === 4 ? 12 : 0);
    const held = (afterMs: number) => ({
      [KEY]: { field: FIELD, since: NOW - afterMs, records: 20, published: 0 },
    });
    const since = NOW - 30 * MINUTE_MS + 1;
    expect(guarded(4, { held: held(30 * MINUTE_MS - 1), countUnseen })).toEqual([
      { ...CHANGE, records: 4, since },
    ]);
    expect(guarded(4, { held: held(30 * MINUTE_MS), countUnseen })).toEqual([]);
    expect(guarded(16, { held: held(DAY_MS) })).toMatchObject([{ isConfirmed: true }]);
  });

  test('is held for as long as no scan sees anything of the slice', () => {
    const held = { [KEY]: { field: FIELD, since: NOW - DAY_MS, records: 20, published: 0 } };
    const outage = { held, countUnseen: () => 30 };
    expect(guarded(0, outage)).toMatchObject([{ records: 0, isConfirmed: false }]);
    expect(guarded(0, { ...outage, countUnseen: () => 29 })).toEqual([]);
    expect(guarded(1, outage)).toEqual([]);
  });

  test('is confirmed by losses alone, not by how few records are left', () => {
    const held = { [KEY]: { field: FIELD, since: SINCE, records: 20, published: 16 } };
    expect(guarded(0, { held })).toEqual([]);
    expect(guarded(1, { held })).toMatchObject([{ records: 17, isConfirmed: true }]);
  });

  test('stays held by a scan that does not see enough of its slice, of which nothing is said by others', () => {
    expect(guarded(0, { held: HELD, countUnseen: () => 16 })).toMatchObject([{ records: 0, since: SINCE }]);
    expect(guarded(0, { held: HELD, countUnseen: () => 15 })).toEqual([]);
    expect(guarded(0, { held: HELD, countUnseen: () => 16, slices: new Set([NEXT_DATE]) })).toEqual([]);
  });
});

describe('the state of a feed', () => {
  const confirmed = { ...CHANGE, isConfirmed: true };

  test('holds a loss until it is confirmed', () => {
    expect(reported([CHANGE]).massChange).toEqual(HELD);
    expect(reported([confirmed]).massChange).toEqual({});
    expect(reported([CHANGE, confirmed]).massChange).toEqual({});
  });

  test('holds what was published of a loss', () => {
    const massChange = { [KEY]: { ...HELD[KEY], published: 5 } };
    expect(reported([{ ...CHANGE, published: 5 }])).toEqual({ massChange });
  });

  test.each<[string, Partial<MassChange>]>([
    ['of another date', { slice: NEXT_DATE }],
    ['of another fact', { field: 'processed' }],
    ['of another scan', { since: SINCE - 1 }],
  ])('holds a loss while one %s is confirmed', (_, values) => {
    expect(reported([{ ...confirmed, ...values }])).toEqual({ massChange: HELD });
  });

  test('holds another loss of a fact in the place of one that is confirmed', () => {
    const again = { ...CHANGE, since: NOW, records: 17 };
    const held = { field: FIELD, since: NOW, records: 17, published: 0 };
    expect(reported([confirmed, again])).toEqual({ massChange: { [KEY]: held } });
  });

  test('holds nothing where nothing was lost', () => {
    const report = {
      massChanges: [],
      committed: new Set<string>(),
      window: [DATE],
      startedAt: NOW,
      now: NOW,
    };
    expect(updateLosses({ massChange: {} }, report)).toEqual({ massChange: {} });
  });

  test('keeps since when a loss was first held, whichever scan of a poll held it last', () => {
    const again = { ...CHANGE, since: NOW };
    expect(reported([CHANGE, again]).massChange).toEqual(HELD);
  });

  test('forgets a loss on a date that is not scanned after a day, and before it, on a scanned one, by its scan', () => {
    const decided = { committed: new Set([DATE]) };
    expect(reported([], { window: [NEXT_DATE] })).toEqual({ massChange: HELD });
    expect(reported([], { window: [NEXT_DATE], ...decided })).toEqual({ massChange: HELD });
    expect(reported([], { window: [NEXT_DATE], now: SINCE + DAY_MS })).toEqual({ massChange: {} });
    expect(reported([], decided)).toEqual({ massChange: {} });
  });

  test('keeps a loss that another poll has held since this one began', () => {
    const decided = { committed: new Set([DATE]) };
    expect(reported([], { ...decided, startedAt: SINCE })).toEqual({ massChange: HELD });
    expect(reported([], { ...decided, startedAt: SINCE + 1 })).toEqual({ massChange: {} });
  });

  test('is not held again by a poll that began before another one confirmed it and said so', () => {
    const report = { committed: new Set<string>(), window: [DATE] };
    const held = { ...report, massChanges: [CHANGE], startedAt: SINCE + 1, now: NOW };
    expect(updateLosses({ massChange: {} }, held)).toEqual({ massChange: {} });
    expect(updateLosses({ massChange: {} }, { ...held, startedAt: SINCE })).toEqual({
      massChange: HELD,
    });
  });
});

describe('records whose loss is held', () => {
  const definition = feedDefinition('timesheets');
  const stamp = '2026-03-04T00:00:00.000Z';
  const had = { [FIELD]: stamp, processed: stamp };
  const row = (id: string, values: Partial<LeafRow> = {}, slice = DATE): KnownRow => ({
    slice,
    row: leafRow(timesheet({ ...had, id }), { sequence: 1, ...values }),
  });
  const seen = (id: string, values: SourceRecord = {}, slice = DATE): SeenRecord => {
    const { state } = leafRow(timesheet({ ...had, ...values, id }));
    return { id, slice, row: state, requestedAt: NOW, receivedAt: NOW };
  };
  const rows = [row('1_7'), row('2_7'), row('3_7', {}, NEXT_DATE), row('4_7', { untold: true })];
  const classified: ClassifiedRecords = {
    ...{ seen: [], unknownRecords: [], absent: [], stale: [], bad: [] },
    undecided: [row('9_7')],
  };
  const withhold = (
    values: Partial<ClassifiedRecords>,
    answers: Readonly<Record<string, RemovalCheck>> = {},
    held: readonly MassChange[] = [CHANGE],
  ) =>
    withholdLosses(
      { ...classified, ...values },
      {
        known: ({ id }) => rows.find((each) => each.row.id === id),
        answers: new Map(Object.entries(answers)),
        held,
        definition,
      },
    );
  const LOST = { [FIELD]: null };

  test('keep their known state, wherever they were seen', () => {
    const moved = seen('2_7', LOST, NEXT_DATE);
    const kept = withhold({ seen: [seen('1_7', LOST), moved] });
    expect(kept).toEqual({ ...classified, undecided: [row('9_7'), row('1_7'), row('2_7')] });
  });

  test('are not those that kept the fact, lost another, are of another slice, new, or unpublished', () => {
    const others = [
      seen('1_7'),
      seen('2_7', { processed: null }),
      seen('3_7', LOST),
      seen('4_7', LOST),
      seen('5_7', LOST),
    ];
    expect(withhold({ seen: others })).toEqual({ ...classified, seen: others });
    const processed = { ...CHANGE, field: 'processed' };
    expect(withhold({ seen: [seen('1_7', LOST)] }, {}, [processed, CHANGE]).seen).toEqual([]);
  });

  test('keep it when they were found by id, too', () => {
    const absent = [row('1_7'), row('2_7'), row('3_7', {}, NEXT_DATE), row('4_7'), row('5_7')];
    const kept = withhold(
      { absent },
      {
        '1_7': { outcome: 'found', record: seen('1_7', LOST) },
        '2_7': { outcome: 'found', record: seen('2_7') },
        '3_7': { outcome: 'found', record: seen('3_7', LOST) },
        '4_7': { outcome: 'gone', requestedAt: NOW, receivedAt: NOW },
      },
    );
    expect(kept.undecided).toEqual([row('9_7'), row('1_7')]);
    expect(kept.absent).toEqual(absent.slice(1));
  });

  test('are none where none is held', () => {
    const before = { ...classified, seen: [seen('1_7', LOST)] };
    expect(withhold(before, {}, [])).toEqual(before);
  });
});

function head(values: Partial<SliceHead>): SliceHead {
  return { ...createHead(DATE, '1-run'), recordCount: 30, ...values };
}

function guarded(
  lost: number,
  input: Partial<LossGuardInput>,
  values: Partial<SliceHead> = {},
): readonly MassChange[] {
  const losses = new Map(lost === 0 ? [] : [[DATE, new Map([[FIELD, lost]])]]);
  return guardLosses(losses, inputOf({ heads: new Map([[DATE, head(values)]]), ...input }));
}

function inputOf(input: Partial<LossGuardInput>): LossGuardInput {
  return {
    heads: new Map(),
    vanishing: { share: 0.5, records: 10, minutes: 30 },
    held: {},
    places: new Map(),
    countUnseen: () => 0,
    slices: new Set([DATE]),
    at: NOW,
    ...input,
  };
}

function reported(massChanges: readonly MassChange[], report: Partial<LossReport> = {}) {
  return updateLosses(
    { massChange: HELD },
    {
      massChanges,
      committed: new Set(),
      window: [DATE],
      startedAt: NOW,
      now: NOW,
      ...report,
    },
  );
}
