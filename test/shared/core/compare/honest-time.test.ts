import { describe, expect, test } from 'vitest';
import type { Coverage } from '#shared/core/snapshot/feed-state.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import {
  createScan,
  DATE,
  EARLIER,
  EPOCH,
  leafRow,
  MINUTE_MS,
  NEXT_DATE,
  NOW,
  type SampleRecord,
  SECOND_MS,
  type SliceContents,
  slice,
  timesheet,
} from '#test/support/builders.ts';
import { createFoundAnswer, runComparison } from './run-comparison.ts';

const REVISION = 4;
const BETWEEN = EARLIER + 30 * SECOND_MS;
const LONG_AGO = EARLIER - 60 * MINUTE_MS;
const changed = timesheet({ hoursToPay: 8 });

describe('the last time the old state was seen', () => {
  test('is the last scan that was committed', () => {
    expect(afterOf({})).toBe(EARLIER);
  });

  test('is not the first scan when that left the slice otherwise than it saw it', () => {
    expect(afterOf({ head: { baselinedAt: LONG_AGO, observedAt: null } })).toBeNull();
    expect(afterOf({ head: { baselinedAt: LONG_AGO, observedAt: null }, seenAt: LONG_AGO })).toBe(LONG_AGO);
  });

  test('is a later scan that found the slice as committed', () => {
    expect(afterOf({ coverage: { at: BETWEEN, revision: REVISION } })).toBe(BETWEEN);
  });

  test('is no scan of an earlier or a later revision: it saw something else', () => {
    for (const revision of [REVISION - 1, REVISION + 1]) {
      expect(afterOf({ coverage: { at: BETWEEN, revision } })).toBe(EARLIER);
    }
  });

  test('is no earlier scan than the one that was committed', () => {
    expect(afterOf({ coverage: { at: LONG_AGO, revision: REVISION } })).toBe(EARLIER);
  });

  test('is what a scan noted of a record that it could not read', () => {
    const unseen = { '1001_7': LONG_AGO, '2_7': null };
    expect(afterOf({ coverage: { at: BETWEEN, revision: REVISION, unseen } })).toBe(LONG_AGO);
    expect(afterOf({ coverage: { at: BETWEEN, revision: REVISION, unseen: { '1001_7': null } } })).toBeNull();
    expect(afterOf({ coverage: { at: BETWEEN, revision: REVISION, unseen: { '2_7': null } } })).toBe(BETWEEN);
  });

  test('is when the row itself was seen, when that is later', () => {
    expect(afterOf({ seenAt: BETWEEN })).toBe(BETWEEN);
    expect(afterOf({ seenAt: LONG_AGO })).toBe(EARLIER);
    const unseen = { '1001_7': LONG_AGO };
    expect(afterOf({ seenAt: EARLIER, coverage: { at: BETWEEN, revision: REVISION, unseen } })).toBe(EARLIER);
  });

  test('of a record that its list leaves out is when it was seen by id', () => {
    const unlisted = { asks: 1, askedAt: BETWEEN };
    expect(afterOf({ seenAt: LONG_AGO, unlisted })).toBe(LONG_AGO);
    expect(afterOf({ unlisted })).toBeNull();
  });

  test('is no scan that lies ahead of this one; clocks may differ by seconds', () => {
    const afterLook = (at: number) => afterOf({ coverage: { at, revision: REVISION } });
    expect(afterLook(NOW + 24 * 60 * MINUTE_MS)).toBe(EARLIER);
    expect(afterLook(NOW + 3 * SECOND_MS)).toBeLessThanOrEqual(NOW);
    expect(afterOf({ seenAt: NOW + 24 * 60 * MINUTE_MS })).toBe(EARLIER);
    expect(afterOf({ head: { observedAt: NOW + 24 * 60 * MINUTE_MS } })).toBeNull();
  });

  test('of a new record is the last scan of its slice', () => {
    const coverage = { [DATE]: { at: BETWEEN, revision: REVISION } };
    const { changes } = runComparison({ known: [slice()], scan: createScan([timesheet()]), coverage });
    expect(changes[0]?.observed).toEqual({ after: BETWEEN, by: NOW });
  });

  test('of a returning record is its removal, when that was later', () => {
    const tombstones = [{ id: '1001_7', epoch: EPOCH, sequence: 3, removedAt: BETWEEN }];
    const { changes } = runComparison({ known: [slice({ tombstones })], scan: createScan([timesheet()]) });
    expect(changes[0]?.observed.after).toBe(BETWEEN);
  });

  test('of a moved record is the last scan of the slice it left', () => {
    const coverage = {
      [DATE]: { at: BETWEEN, revision: REVISION },
      [NEXT_DATE]: { at: NOW - SECOND_MS, revision: REVISION },
    };
    const moved = timesheet({ date: NEXT_DATE });
    const known = [slice({ rows: [leafRow(timesheet())] }), slice({ slice: NEXT_DATE })];
    const { changes } = runComparison({
      known,
      scan: createScan([moved], { slices: [NEXT_DATE] }),
      coverage,
    });
    expect(changes[0]?.observed.after).toBe(BETWEEN);
  });
});

describe('the first time the new state was seen', () => {
  test('is when the answer with it came, and it was certainly so when it was asked for', () => {
    const times = { requestedAt: NOW + MINUTE_MS, receivedAt: NOW + 2 * MINUTE_MS };
    const { changes } = runComparison({
      known: [slice({ rows: [leafRow(timesheet())] })],
      scan: createScan([changed], { page: times }),
    });
    expect(changes[0]).toMatchObject({ observed: { by: times.receivedAt }, seenAt: times.requestedAt });
  });
});

describe('records that a complete scan could not read', () => {
  const known = [
    slice({ rows: [leafRow(timesheet()), leafRow(timesheet({ id: '2_7' }), { seenAt: BETWEEN })] }),
  ];
  const bad = (id: string) => timesheet({ id, hoursToPay: 'many' });
  const unseenOf = (
    records: readonly SampleRecord[],
    more: Partial<Parameters<typeof runComparison>[0]> = {},
  ) => runComparison({ known, scan: createScan(records), ...more }).comparison.unseen.get(DATE);

  test('are noted with when they were last seen', () => {
    expect(unseenOf([bad('1001_7'), bad('2_7')])).toEqual({ '1001_7': EARLIER, '2_7': BETWEEN });
  });

  test('keep what was noted of them before', () => {
    const coverage = { [DATE]: { at: BETWEEN, revision: REVISION, unseen: { '1001_7': LONG_AGO } } };
    expect(unseenOf([bad('1001_7'), timesheet({ id: '2_7' })], { coverage })).toEqual({ '1001_7': LONG_AGO });
  });

  test('are also those that are new', () => {
    expect(unseenOf([timesheet(), timesheet({ id: '2_7' }), bad('3_7')])).toEqual({ '3_7': EARLIER });
  });

  test('are also those that are missing, as long as nobody knows why', () => {
    const record = timesheet({ id: '2_7' });
    expect(unseenOf([record])).toEqual({ '1001_7': EARLIER });
    expect(unseenOf([record], {})).toEqual({
      '1001_7': EARLIER,
    });
    expect(
      unseenOf([record], { answers: { '1001_7': { outcome: 'gone', requestedAt: NOW, receivedAt: NOW } } }),
    ).toBeUndefined();
    const times = { requestedAt: NOW, receivedAt: NOW };
    expect(
      unseenOf([record], { answers: { '1001_7': createFoundAnswer(timesheet(), createScan([]), times) } }),
    ).toBeUndefined();
  });

  test('are not noted of an incomplete scan', () => {
    expect(unseenOf([], { scan: createScan([bad('1001_7')], { complete: false }) })).toBeUndefined();
  });
});

interface Past {
  readonly head?: NonNullable<SliceContents['head']>;
  readonly coverage?: Coverage;
  readonly seenAt?: number;
  readonly unlisted?: NonNullable<LeafRow['unlisted']>;
}

/** `observed.after` of a change that is found now. */
function afterOf({ head = {}, coverage, ...values }: Past): number | null | undefined {
  const row = leafRow(timesheet(), values);
  const { changes } = runComparison({
    known: [slice({ rows: [row], head })],
    scan: createScan([changed]),
    coverage: coverage === undefined ? {} : { [DATE]: coverage },
  });
  return changes[0]?.observed.after;
}
