import { expect, test } from 'vitest';
import { classifyRecords } from '#shared/core/compare/classify-records.ts';
import {
  createScan,
  createSnapshot,
  DATE,
  leafRow,
  NEXT_DATE,
  slice,
  timesheet,
} from '#test/support/builders.ts';
import { wholeScan } from './run-comparison.ts';

const known = [
  slice({ rows: ['1_7', '2_7', '3_7'].map((id) => leafRow(timesheet({ id }))) }),
  slice({ slice: NEXT_DATE, rows: [leafRow(timesheet({ id: '4_7', date: NEXT_DATE }))] }),
];
const snapshot = createSnapshot(...known);

test('what another portion of the scan decides is left to it', () => {
  const scan = createScan([timesheet({ id: '3_7', hoursToPay: 'eight' })]);
  const portion = wholeScan(scan, snapshot.heads);
  const idsOf = (isInOtherPortion: (id: string) => boolean) => {
    const { absent, undecided } = classifyRecords(scan, snapshot, { ...portion, isInOtherPortion });
    return [absent, undecided].map((rows) => rows.map(({ row }) => row.id));
  };
  expect(idsOf(() => false)).toEqual([['1_7', '2_7'], ['3_7']]);
  expect(idsOf((id) => id !== '1_7')).toEqual([['1_7'], []]);
});

test('rows of a slice that was not scanned are not absent, although its leaf was read', () => {
  const absentOf = (slices: readonly string[]) => {
    const scan = createScan([], { slices });
    const { absent } = classifyRecords(scan, snapshot, wholeScan(scan, snapshot.heads));
    return absent.map(({ row }) => row.id);
  };
  expect(absentOf([DATE])).toEqual(['1_7', '2_7', '3_7']);
  expect(absentOf([NEXT_DATE])).toEqual(['4_7']);
});
