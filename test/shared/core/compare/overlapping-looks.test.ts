import { describe, expect, test } from 'vitest';
import type { Answer } from '#shared/core/compare/compare.ts';
import {
  DATE,
  EARLIER,
  leafRow,
  NEXT_DATE,
  NOW,
  SECOND_MS,
  scanOf,
  slice,
  timesheet,
} from '#test/support/builders.ts';
import { lookAt } from './looking.ts';

const GONE: Answer = { outcome: 'gone', requestedAt: NOW + SECOND_MS, receivedAt: NOW + 2 * SECOND_MS };
const BOTH_DATES = { slices: [DATE, NEXT_DATE] };

describe('a record that was seen on a date whose first look another poll installed meanwhile', () => {
  const moved = timesheet({ date: NEXT_DATE });
  const looked = lookAt({
    known: [slice({ rows: [leafRow(timesheet(), { sequence: 2 })] })],
    scan: scanOf([moved], BOTH_DATES),
  });

  test('keeps its row where it is known: the next poll tells that it moved', () => {
    expect(looked.questions.stale).toEqual([]);
    expect(looked.questions.absent).toEqual([]);
    expect(looked.changes).toEqual([]);
  });

  test('does not count as seen there', () => {
    expect(looked.comparison.unseen).toEqual(new Map([[DATE, { '1001_7': EARLIER }]]));
  });
});

describe('a record that went before what had happened to it was told', () => {
  test('goes without a word', () => {
    const known = [slice({ rows: [leafRow(timesheet(), { untold: true })] })];
    const looked = lookAt({ known, scan: scanOf([]), answers: { '1001_7': GONE } });
    expect(looked.changes).toMatchObject([{ id: '1001_7', standsIn: DATE, after: null, silent: true }]);
  });
});

describe('a record whose date was taken over twice, after an interrupted first look', () => {
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
    const { changes } = lookAt({ known, scan: scanOf([seen], { slices: [LATER_DATE] }) });
    expect(changes).toMatchObject([
      { standsIn: NEXT_DATE, sequence: 3, after: { slice: LATER_DATE } },
      { standsIn: DATE, silent: true },
    ]);
  });

  test('is removed once, with its sequence going on', () => {
    const { changes } = lookAt({ known, scan: scanOf([], BOTH_DATES), answers: { '1001_7': GONE } });
    expect(changes).toMatchObject([
      { standsIn: NEXT_DATE, sequence: 3, after: null },
      { standsIn: DATE, silent: true },
    ]);
  });
});

test('a record whose untold facts were taken back is not told of because its neighbour changed', () => {
  const neighbour = timesheet({ id: '1002_7' });
  const known = [slice({ rows: [leafRow(timesheet(), { untold: true }), leafRow(neighbour)] })];
  const { changes } = lookAt({ known, scan: scanOf([timesheet(), { ...neighbour, hoursToPay: 2 }]) });
  expect(changes.map(({ id }) => id)).toEqual(['1002_7']);
});
