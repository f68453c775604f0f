import { describe, expect, test } from 'vitest';
import type { RemovalCheck } from '#shared/core/compare/change.ts';
import { toEvents } from '#shared/core/events/events.ts';
import {
  createEventContext,
  createScan,
  DATE,
  EARLIER,
  EPOCH,
  leafRow,
  NEXT_DATE,
  NOW,
  type SampleRecord,
  SECOND_MS,
  slice,
  timesheet,
} from '#test/support/builders.ts';
import { type ComparisonSetup, createFoundAnswer, runComparison } from './run-comparison.ts';

const ASKED = { requestedAt: NOW + SECOND_MS, receivedAt: NOW + 2 * SECOND_MS };
const GONE: RemovalCheck = { outcome: 'gone', ...ASKED };
const onNextDate = timesheet({ date: NEXT_DATE });

describe('a record that stands in two slices, after an interrupted baseline', () => {
  const twice = [knownSlice([timesheet()]), knownSlice([onNextDate], NEXT_DATE)];
  const scan = (records: readonly SampleRecord[]) => createScan(records, { slices: [DATE, NEXT_DATE] });

  test('is tidied away, silently, where it was not seen', () => {
    const compared = runComparison({ known: twice, scan: scan([onNextDate]) });
    expect([compared.classified.absent, compared.classified.undecided]).toEqual([[], []]);
    expect(compared.changes).toMatchObject([{ rowSlice: DATE, after: null, silent: true }]);
    expect(compared.changes.flatMap((change) => toEvents(change, createEventContext()).texts)).toEqual([]);
  });

  test('is changed where it was seen and tidied away where it was not', () => {
    const { changes } = runComparison({ known: twice, scan: scan([{ ...onNextDate, hoursToPay: 8 }]) });
    expect(changes.map(({ rowSlice, silent }) => [rowSlice, silent ?? false])).toEqual([
      [DATE, true],
      [NEXT_DATE, false],
    ]);
  });

  test('is removed once', () => {
    const { changes } = runComparison({ known: twice, scan: scan([]), answers: { '1001_7': GONE } });
    expect(changes.map(({ silent }) => silent ?? false)).toEqual([false, true]);
    expect(changes.flatMap((change) => toEvents(change, createEventContext()).types)).toEqual([
      'timesheet.removed',
    ]);
  });

  test('moves once', () => {
    const answers = found(timesheet({ date: '2026-03-20' }));
    const { changes } = runComparison({ known: twice, scan: scan([]), answers });
    expect(changes.map(({ after, silent }) => [after?.slice, silent ?? false])).toEqual([
      ['2026-03-20', false],
      [undefined, true],
    ]);
  });

  test('is not taken for such a one when its new slice is not loaded', () => {
    const compared = runComparison({ known: [knownSlice([timesheet()])], scan: scan([onNextDate]) });
    expect([compared.classified.stale, compared.classified.absent, compared.changes]).toEqual([[], [], []]);
    expect(compared.classified.undecided.map(({ slice: date }) => date)).toEqual([DATE]);
  });

  test('keeps both rows while nobody knows what became of it', () => {
    const answers: Record<string, RemovalCheck> = { '1001_7': { outcome: 'unknown', askedAt: NOW } };
    const { changes } = runComparison({ known: twice, scan: scan([]), answers });
    expect(changes.map(({ rowSlice, after }) => [rowSlice, after?.slice])).toEqual([
      [DATE, DATE],
      [NEXT_DATE, NEXT_DATE],
    ]);
  });

  test('moves to where the older row stands, which is removed once', () => {
    const { changes } = runComparison({
      known: [rowOn(DATE, 3), rowOn(NEXT_DATE, 1)],
      scan: scan([]),
      answers: found(onNextDate),
    });
    expect(changes.map(({ rowSlice, after, silent }) => [rowSlice, after?.slice, silent ?? false])).toEqual([
      [NEXT_DATE, undefined, true],
      [DATE, NEXT_DATE, false],
    ]);
  });

  test('is removed from both beside another record', () => {
    const other = timesheet({ id: '2_7', date: NEXT_DATE });
    const rows = [leafRow(onNextDate), leafRow(other, { sequence: 1 })];
    const { changes } = runComparison({
      known: [rowOn(DATE, 1), slice({ slice: NEXT_DATE, rows })],
      scan: scan([]),
      answers: { '1001_7': GONE, '2_7': GONE },
    });
    expect(changes.map(({ id, rowSlice, silent }) => [id, rowSlice, silent ?? false]).sort()).toEqual([
      ['1001_7', DATE, false],
      ['1001_7', NEXT_DATE, true],
      ['2_7', NEXT_DATE, false],
    ]);
  });

  test('stays where the newer row stands', () => {
    const { changes } = runComparison({
      known: [rowOn(DATE, 1), rowOn(NEXT_DATE, 3)],
      scan: createScan([]),
      answers: found(onNextDate),
    });
    expect(changes.map(({ rowSlice, silent }) => [rowSlice, silent ?? false])).toEqual([[DATE, true]]);
  });

  test.each<[string, number | undefined, number | undefined, string]>([
    ['the one seen later', EARLIER, EARLIER + SECOND_MS, NEXT_DATE],
    ['the one seen later, in whatever order', EARLIER + SECOND_MS, EARLIER, DATE],
    ['the only one seen', undefined, EARLIER, NEXT_DATE],
    ['the first of two never seen', undefined, undefined, DATE],
  ])('is removed from %s, where nothing was published of it', (...[, seenHere, seenThere, latest]) => {
    const { changes } = runComparison({
      known: [rowOn(DATE, 0, seenHere), rowOn(NEXT_DATE, 0, seenThere)],
      scan: scan([]),
      answers: { '1001_7': GONE },
    });
    expect(changes.map(({ rowSlice, silent }) => [rowSlice, silent ?? false])).toEqual([
      [latest, false],
      [latest === DATE ? NEXT_DATE : DATE, true],
    ]);
  });

  test('is tidied away as of the scan', () => {
    const { changes } = runComparison({ known: twice, scan: scan([onNextDate]) });
    const at = NOW - SECOND_MS;
    expect(changes).toMatchObject([{ silent: true, seenAt: at, observed: { by: at } }]);
  });

  function rowOn(date: string, sequence: number, seenAt?: number) {
    const row = leafRow(timesheet({ date }), { sequence, ...(seenAt === undefined ? {} : { seenAt }) });
    return slice({ slice: date, rows: [row], head: { observedAt: null } });
  }
});

describe('a record that was removed from two slices', () => {
  const buriedOn = (date: string, sequence: number) =>
    slice({ slice: date, tombstones: [{ id: '1001_7', epoch: EPOCH, sequence, removedAt: EARLIER }] });

  test.each([
    [3, 1, DATE],
    [1, 3, NEXT_DATE],
    [3, 3, DATE],
  ])('goes on from its latest event: %i and %i', (here, there, tombstoneSlice) => {
    const { changes } = runComparison({
      known: [buriedOn(DATE, here), buriedOn(NEXT_DATE, there)],
      scan: createScan([timesheet()]),
    });
    expect(changes).toMatchObject([{ sequence: 3, tombstoneSlice }]);
  });
});

function knownSlice(records: readonly SampleRecord[], date = DATE): ComparisonSetup['known'][number] {
  return slice({ slice: date, rows: records.map((record) => leafRow(record, { sequence: 2 })) });
}

function found(record: SampleRecord): Record<string, RemovalCheck> {
  return { [record.id]: createFoundAnswer(record, createScan([]), ASKED) };
}
