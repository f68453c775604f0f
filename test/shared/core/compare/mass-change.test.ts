import { describe, expect, test } from 'vitest';
import { type LossReport, updateLosses } from '#shared/core/compare/held-losses.ts';
import { LossCount } from '#shared/core/compare/loss-count.ts';
import { guardLosses, type LossGuardInput, type MassChange } from '#shared/core/compare/mass-change.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { createHead, type SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { DATE, DAY_MS, leafRow, MINUTE_MS, NEXT_DATE, NOW, timesheet } from '#test/support/builders.ts';

const FIELD = 'approvedHours';
const KEY = `${DATE} ${FIELD}`;
const SINCE = NOW - 2 * MINUTE_MS;
const HELD = { [KEY]: { field: FIELD, since: SINCE, records: 20 } };
const CONFIRMED = { field: FIELD, records: 20, known: 30, since: SINCE, at: NOW - MINUTE_MS };
const CHANGE: MassChange = {
  ...{ slice: DATE, field: FIELD, records: 20, published: 0, known: 30 },
  ...{ since: SINCE, at: NOW, isConfirmed: false },
};

describe('a loss that is held', () => {
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

  test('was confirmed by an ended poll: what that one left to publish is believed, and no more', () => {
    const head = { confirmedLosses: [{ ...CONFIRMED, published: 2 }] };
    expect(guarded(18, { held: HELD }, head)).toEqual([]);
    expect(guarded(19, { held: HELD }, head)).toMatchObject([
      { records: 19, since: NOW, isConfirmed: false },
    ]);
  });
});

describe('the state of a feed', () => {
  test('keeps since when a loss was first held, whichever scan of a poll held it last', () => {
    const again = { ...CHANGE, since: NOW };
    expect(reported([CHANGE, again]).state.massChange).toEqual(HELD);
  });

  test('forgets a loss on a date that is not scanned after a day, and before it, on a scanned one, by its scan', () => {
    const decided = { committed: new Set([DATE]) };
    expect(reported([], { window: [NEXT_DATE] }).state).toEqual({ massChange: HELD });
    expect(reported([], { window: [NEXT_DATE], ...decided }).state).toEqual({ massChange: HELD });
    expect(reported([], { window: [NEXT_DATE], now: SINCE + DAY_MS }).state).toEqual({});
    expect(reported([], decided).state).toEqual({});
  });

  test('reports a confirmed loss in place of an ended poll, once none can be about to', () => {
    const heads = new Map([[DATE, head({ confirmedLosses: [CONFIRMED] })]]);
    const waiting = reported([], { heads, now: CONFIRMED.at + 15 * MINUTE_MS - 1 });
    expect(waiting).toEqual({ state: { massChange: HELD }, operations: [] });
    const late = reported([], { heads, now: CONFIRMED.at + 15 * MINUTE_MS });
    expect(late.state).toEqual({});
    expect(late.operations).toMatchObject([{ type: 'slice.mass_change', data: { records: 20, known: 30 } }]);
  });
});

test('what a record lost on another slice counts once, unless that slice knows it too', () => {
  const count = new LossCount(feedDefinition('timesheets'));
  const row = (sequence: number) => ({ ...leafRow(timesheet({ [FIELD]: 'x' })), id: '1_7', sequence });
  const { state } = leafRow(timesheet({ [FIELD]: null }));
  count.addElsewhere({ slice: DATE, row: row(1) }, state);
  count.addElsewhere({ slice: NEXT_DATE, row: row(2) }, state);
  count.addElsewhere({ slice: DATE, row: row(1) }, state);
  expect(count.sum(new Set(['1_7']), new Map())).toEqual(new Map([[NEXT_DATE, new Map([[FIELD, 1]])]]));
  expect(count.sum(new Set(), new Map())).toEqual(new Map());
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
  return guardLosses(losses, {
    heads: new Map([[DATE, head(values)]]),
    vanishing: { share: 0.5, records: 10, minutes: 30 },
    held: undefined,
    countUnseen: () => 0,
    slices: new Set([DATE]),
    at: NOW,
    ...input,
  });
}

function reported(massChanges: readonly MassChange[], report: Partial<LossReport> = {}) {
  return updateLosses(
    { massChange: HELD },
    { massChanges, committed: new Set(), window: [DATE], heads: new Map(), now: NOW, ...report },
  );
}
