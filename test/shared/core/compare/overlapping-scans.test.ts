import { describe, expect, test } from 'vitest';
import type { RemovalCheck } from '#shared/core/compare/change.ts';
import {
  createScan,
  DATE,
  EARLIER,
  leafRow,
  NEXT_DATE,
  NOW,
  SECOND_MS,
  slice,
  timesheet,
} from '#test/support/builders.ts';
import { runComparison } from './run-comparison.ts';

const GONE: RemovalCheck = { outcome: 'gone', requestedAt: NOW + SECOND_MS, receivedAt: NOW + 2 * SECOND_MS };
const BOTH_DATES = { slices: [DATE, NEXT_DATE] };

describe('a record that was seen on a date whose baseline another poll installed meanwhile', () => {
  const moved = timesheet({ date: NEXT_DATE });
  const compared = runComparison({
    known: [slice({ rows: [leafRow(timesheet(), { sequence: 2 })] })],
    scan: createScan([moved], BOTH_DATES),
  });

  test('keeps its row where it is known: the next poll publishes that it moved', () => {
    expect(compared.classified.stale).toEqual([]);
    expect(compared.classified.absent).toEqual([]);
    expect(compared.changes).toEqual([]);
  });

  test('does not count as seen there', () => {
    expect(compared.comparison.unseen).toEqual(new Map([[DATE, { '1001_7': EARLIER }]]));
  });
});

describe('a record that was removed before what had happened to it was published', () => {
  test('goes without a word', () => {
    const known = [slice({ rows: [leafRow(timesheet(), { untold: true })] })];
    const compared = runComparison({ known, scan: createScan([]), answers: { '1001_7': GONE } });
    expect(compared.changes).toMatchObject([{ id: '1001_7', rowSlice: DATE, after: null, silent: true }]);
  });
});

describe('a record whose date was baselined twice, after an interrupted baseline', () => {
  const LATER_DATE = '2026-03-07';
  const known = [
    slice({ rows: [leafRow(timesheet())] }),
    slice({
      slice: NEXT_DATE,
      rows: [leafRow(timesheet({ date: NEXT_DATE, hoursToPay: 8 }), { sequence: 3 })],
    }),
    slice({ slice: LATER_DATE, rows: [] }),
  ];

  test('goes on from where it was seen last, and the other row goes without a word', () => {
    const seen = timesheet({ date: LATER_DATE, hoursToPay: 8 });
    const { changes } = runComparison({ known, scan: createScan([seen], { slices: [LATER_DATE] }) });
    expect(changes).toMatchObject([
      { rowSlice: NEXT_DATE, sequence: 3, after: { slice: LATER_DATE } },
      { rowSlice: DATE, silent: true },
    ]);
  });

  test('is removed once, with its sequence going on', () => {
    const { changes } = runComparison({
      known,
      scan: createScan([], BOTH_DATES),
      answers: { '1001_7': GONE },
    });
    expect(changes).toMatchObject([
      { rowSlice: NEXT_DATE, sequence: 3, after: null },
      { rowSlice: DATE, silent: true },
    ]);
  });
});

test('a record whose unpublished facts were taken back is not published because its neighbour changed', () => {
  const neighbour = timesheet({ id: '1002_7' });
  const known = [slice({ rows: [leafRow(timesheet(), { untold: true }), leafRow(neighbour)] })];
  const { changes } = runComparison({
    known,
    scan: createScan([timesheet(), { ...neighbour, hoursToPay: 2 }]),
  });
  expect(changes.map(({ id }) => id)).toEqual(['1002_7']);
});
