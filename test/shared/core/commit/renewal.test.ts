import { describe, expect, test } from 'vitest';
import {
  advanceRenewal,
  findSlicesToRenew,
  type RenewalRule,
  type RenewalState,
  renewLeaf,
} from '#shared/core/commit/renewal.ts';
import { rewriteRow } from '#shared/core/compare/row-rewrite.ts';
import { addDays } from '#shared/core/dates.ts';
import { buildSnapshotEvent } from '#shared/core/events/snapshot-events.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { Coverage } from '#shared/core/snapshot/feed-state.ts';
import type { LeafRow, SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { DATE, leafRow, NEXT_DATE, NOW, slice, TIMESHEETS, timesheet } from '#test/support/builders.ts';

const RULE: RenewalRule = { feed: TIMESHEETS, restoredAt: NOW, unseen: {}, findPeriods: () => null };
const OTHER_DATE = '2026-03-07';
const unlisted = { asks: 1, askedAt: NOW };

describe('after a restore', () => {
  test.each<[string, number | undefined]>([
    ['of an earlier epoch', NOW - 1],
    ['of none', undefined],
  ])('a row %s begins a new one with a snapshot, at sequence 0', (_, epoch) => {
    const row = rowOf({
      sequence: 5,
      sent: { clockIn: 3, clockInMissing: 2 },
      ...(epoch === undefined ? {} : { epoch }),
    });
    const begun = { ...row, epoch: NOW, sequence: 0, sent: { clockInMissing: 0 } };
    const { changeEvents, isDoubted } = renewed([row]);
    expect(changeEvents).toEqual([
      {
        change: rewriteRow({ slice: DATE, row }, begun, NOW),
        texts: [buildSnapshotEvent(TIMESHEETS, begun, RULE.findPeriods)],
        ...{ types: [], row: begun, sequence: 0, epoch: NOW },
      },
    ]);
    expect(isDoubted).toBe(false);
  });

  test('a row whose facts were not published is renewed as it is now', () => {
    const { changeEvents } = renewed([rowOf({ untold: true })]);
    expect(changeEvents[0]?.row).toEqual(rowOf({ epoch: NOW }));
  });

  test.each<[string, Partial<LeafRow>, Readonly<Record<string, unknown>>]>([
    ['its list leaves it out', { unlisted }, {}],
    ['it could not be read', {}, { '1001_7': null }],
  ])('a row waits while %s', (_, values, unseen) => {
    expect(renewed([rowOf(values)], unseen)).toEqual({ changeEvents: [], isDoubted: true });
    const others = [rowOf(values), leafRow(timesheet({ id: '2_7' }))];
    const { changeEvents, isDoubted } = renewed(others, unseen);
    expect([changeEvents.map(({ row }) => row?.id), isDoubted]).toEqual([['2_7'], true]);
  });

  test.each<[string, Partial<LeafRow>, Readonly<Record<string, unknown>>]>([
    ['is told as it is', {}, {}],
    ['is told as it was then, although its list leaves it out by now', { unlisted }, {}],
    ['is told as it was then, although it could not be read since', {}, { '1001_7': null }],
  ])('a row that was taken over silently since %s', (_, values, unseen) => {
    const row = rowOf({ epoch: NOW + 1, ...values });
    const { changeEvents, isDoubted } = renewed([row], unseen);
    expect(changeEvents).toEqual([
      {
        change: rewriteRow({ slice: DATE, row }, row, NOW),
        texts: [buildSnapshotEvent(TIMESHEETS, row, RULE.findPeriods)],
        ...{ types: [], row, sequence: 0, epoch: NOW + 1 },
      },
    ]);
    expect(isDoubted).toBe(false);
  });

  test.each<[string, Partial<LeafRow>, Readonly<Record<string, unknown>>]>([
    ['was renewed', { epoch: NOW }, {}],
    ['was published since', { epoch: NOW + 1, sequence: 1 }, {}],
    ['will be published', { epoch: NOW + 1, untold: true }, {}],
  ])('nothing is told of a row that %s', (_, values, unseen) => {
    expect(renewed([rowOf(values)], unseen)).toEqual({ changeEvents: [], isDoubted: false });
  });

  function rowOf(values: Partial<LeafRow>): LeafRow {
    return leafRow(timesheet(), values);
  }

  function renewed(rows: readonly LeafRow[], unseen: RenewalRule['unseen'] = {}) {
    return renewLeaf({ slice: DATE, generation: '1', index: 0, rows, tombstones: [] }, { ...RULE, unseen });
  }
});

describe('slices are renewed', () => {
  const next = { slice: NEXT_DATE, generation: '1-run', leaf: 3 };
  const look: Coverage = { at: NOW, revision: 4 };
  const ALL = [DATE, NEXT_DATE, OTHER_DATE];

  interface Feed {
    readonly renewal?: RenewalState;
    readonly coverage?: Readonly<Record<string, Coverage>>;
    readonly heads?: Partial<SliceHead>;
  }
  const dueOf = ({ renewal = { slices: {} }, coverage = {}, heads = {} }: Feed = {}) => {
    const looks = { [DATE]: look, [NEXT_DATE]: look, [OTHER_DATE]: look, ...coverage };
    return findSlicesToRenew({ renewal, coverage: looks }, headsOf(ALL, heads)).map((head) => head.slice);
  };

  test('from the last to the first, the one that was begun before', () => {
    expect(dueOf()).toEqual([OTHER_DATE, NEXT_DATE, DATE]);
    expect(dueOf({ renewal: { slices: {}, next } })).toEqual([NEXT_DATE, OTHER_DATE, DATE]);
    expect(dueOf({ renewal: { slices: {}, next: { ...next, slice: DATE } } })).toEqual([
      DATE,
      OTHER_DATE,
      NEXT_DATE,
    ]);
  });

  test('not without a restore, and none that holds nothing or was not looked at since', () => {
    expect(findSlicesToRenew({ coverage: { [DATE]: look } }, headsOf(ALL))).toEqual([]);
    expect(dueOf({ heads: { recordCount: 0 } })).toEqual([]);
    expect(
      findSlicesToRenew({ renewal: { slices: {} }, coverage: { [DATE]: look } }, headsOf(ALL)),
    ).toHaveLength(1);
  });

  test('once, and again where rows waited, as soon as all of it is seen', () => {
    const renewal = { slices: { [DATE]: true, [NEXT_DATE]: false } };
    const unseen = { ...look, unseen: { '1_7': null } };
    expect(dueOf({ renewal })).toEqual([OTHER_DATE, NEXT_DATE]);
    expect(dueOf({ renewal, coverage: { [NEXT_DATE]: unseen } })).toEqual([OTHER_DATE]);
    expect(dueOf({ renewal, heads: { unlistedCount: 1 } })).toEqual([OTHER_DATE]);
    expect(dueOf({ renewal, coverage: { [OTHER_DATE]: unseen } })).toEqual([OTHER_DATE, NEXT_DATE]);
  });

  test('up to the last date that the renewal reaches', () => {
    expect(dueOf({ renewal: { slices: {}, through: NEXT_DATE } })).toEqual([NEXT_DATE, DATE]);
  });
});

describe('a renewal', () => {
  const next = { slice: NEXT_DATE, generation: '1-run', leaf: 3, doubted: false };
  const WINDOW = [DATE, NEXT_DATE];
  const through = NEXT_DATE;
  const advance = (
    done: Readonly<Record<string, boolean>>,
    {
      heads = headsOf(WINDOW),
      from = {} as Partial<RenewalState>,
      at = null as typeof next | null,
      window = WINDOW,
    } = {},
  ) => {
    const renewal = { slices: {}, through, ...from };
    const progress = { slices: new Map(Object.entries(done)), next: at };
    return advanceRenewal({ renewal, restoredAt: NOW }, progress, { window, heads });
  };

  test('goes on until every row of the window has begun its epoch', () => {
    expect(advance({ [DATE]: true }, { at: next })).toEqual({ slices: { [DATE]: true }, through, next });
    expect(advance({ [DATE]: true, [NEXT_DATE]: false })).toEqual({
      slices: { [DATE]: true, [NEXT_DATE]: false },
      through,
    });
    expect(advance({ [NEXT_DATE]: true }, { from: { slices: { [DATE]: true } } })).toBeUndefined();
    expect(advance({ [NEXT_DATE]: true }, { from: { slices: { [NEXT_DATE]: false }, next } })).toEqual({
      slices: { [NEXT_DATE]: true },
      through,
    });
  });

  test('goes on for a month of dates that come into the window', () => {
    const done = { [DATE]: true, [NEXT_DATE]: true };
    const reach = (window: readonly string[], restoredAt: number) => {
      const progress = { slices: new Map(Object.entries(done)), next: null };
      return advanceRenewal({ renewal: { slices: {} }, restoredAt }, progress, {
        window,
        heads: headsOf(window),
      })?.through;
    };
    expect(reach(WINDOW, NOW)).toBe(addDays(NEXT_DATE, 31));
    // the clock of the first poll is behind
    expect(reach(WINDOW, Date.parse('2026-05-01T12:00:00Z'))).toBe('2026-06-01');

    const from = { slices: done, through: OTHER_DATE };
    expect(advance({}, { from })).toEqual(from);
    const window = [NEXT_DATE, OTHER_DATE];
    expect(advance({}, { from, window, heads: headsOf(window) })).toEqual({
      ...from,
      slices: { [NEXT_DATE]: true },
    });
    expect(advance({ [OTHER_DATE]: true }, { from, window, heads: headsOf(window) })).toBeUndefined();
    const later = [...window, addDays(OTHER_DATE, 1)];
    expect(advance({ [OTHER_DATE]: true }, { from, window: later, heads: headsOf(later) })).toBeUndefined();
  });

  test('of a list ends with it', () => {
    const progress = { slices: new Map([[WHOLE_LIST, true]]), next: null };
    const heads = headsOf([WHOLE_LIST]);
    const listed = { window: [WHOLE_LIST], heads };
    const state = { renewal: { slices: {} }, restoredAt: NOW };
    expect(advanceRenewal(state, progress, listed)).toBeUndefined();
    expect(advanceRenewal(state, { ...progress, slices: new Map() }, listed)).toEqual({
      slices: {},
      through: WHOLE_LIST,
    });
  });

  test('forgets what left the window', () => {
    expect(advance({ [OTHER_DATE]: false, [DATE]: true })).toEqual({ slices: { [DATE]: true }, through });
  });

  test('does not wait for what holds nothing, but for what was never seen', () => {
    expect(advance({}, { heads: headsOf(WINDOW, { recordCount: 0 }) })).toBeUndefined();
    const unread = headsOf(WINDOW, { recordCount: 0, baselinedAt: null });
    expect(advance({}, { heads: unread })).toEqual({ slices: {}, through });
    expect(advance({}, { heads: headsOf(WINDOW, { recordCount: 1 }) })).toEqual({ slices: {}, through });
    expect(advance({}, { heads: new Map() })).toEqual({ slices: {}, through });
  });

  test('is none where nothing was restored', () => {
    const progress = { slices: new Map([[DATE, false]]), next };
    expect(advanceRenewal({}, progress, { window: WINDOW, heads: headsOf(WINDOW) })).toBeUndefined();
  });
});

function headsOf(dates: readonly string[], values: Partial<SliceHead> = {}) {
  return new Map(dates.map((date) => [date, { ...slice({ slice: date }).head, recordCount: 2, ...values }]));
}
