import { describe, expect, test } from 'vitest';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import {
  type ClosedCount,
  describeOpenTimesheet,
  listOpenTimesheets,
} from '#shared/period/open-timesheets.ts';
import { type SampleRecord, storedRow, timesheet } from '#test/support/builders.ts';

/** What is still open of a closed pay period: it closed with 7.5 h of timesheet 1001_7, which was approved. */

const STAMP = '2026-03-09T01:00:00.000Z';
const CLOSED_AT = Date.parse('2026-03-09T00:00:00.000Z');
const APPROVED = { approvedHours: '2026-03-06T01:00:00.000Z' };
/** Matters that came after the closing: sequence 3, times 8, plus the bit of the closing. */
const AFTER_CLOSE = 3 * 8 + 4;

test.each<[string, Partial<SampleRecord> | null, StoredRow['sent'], Partial<ClosedCount>, string | null]>([
  ['is as it was', APPROVED, {}, {}, null],
  ['has other hours', { ...APPROVED, hoursToPay: 8 }, {}, {}, 'changed 7.5 to 8 h +0.5'],
  ['was processed with other hours', { ...APPROVED, hoursToPay: 8, processed: STAMP }, {}, {}, null],
  [
    'changed after it was processed',
    { ...APPROVED, hoursToPay: 9, processed: STAMP },
    { 'open:paid': 80_000 },
    {},
    'changed 8 to 9 h +1',
  ],
  ['is gone', null, {}, {}, 'removed, or of another period now -7.5'],
  ['may be gone', null, {}, { isComparable: false }, null],
  ['is new', APPROVED, {}, { ledger: [] }, 'added +7.5'],
  ['is new and not approved', {}, {}, { ledger: [] }, 'added, not approved +7.5'],
  [
    'came after it was processed elsewhere',
    { ...APPROVED, processed: STAMP },
    { 'open:gained': 1 },
    { ledger: [] },
    'added +7.5',
  ],
  ['is not approved any more', {}, { 'open:approvedHours': AFTER_CLOSE }, {}, 'approval revoked -7.5'],
  ['was never approved', {}, {}, { unapproved: new Set(['1001_7']) }, null],
  ['is approved since', { approvedHours: STAMP }, {}, { unapproved: new Set(['1001_7']) }, 'approved +7.5'],
  ['is approved since, by its stamp', { approvedHours: STAMP }, {}, { unapproved: null }, 'approved +7.5'],
  ['was approved before, by its stamp', APPROVED, {}, { unapproved: null }, null],
  ['is not processed any more', APPROVED, { 'open:processed': AFTER_CLOSE }, {}, 'processing undone +7.5'],
  ['was not processed when it closed, undone before', APPROVED, { 'open:processed': 3 * 8 }, {}, null],
])('a timesheet that %s', (...[, values, sent, period, expected]) => {
  const rows = values === null ? [] : [storedRow(timesheet(values), { sent })];
  const [open] = listOpenTimesheets(closed({ rows, ...period }));
  const said = open === undefined ? null : `${describeOpenTimesheet(open)} ${sign(open.difference)}`;
  expect(said).toBe(expected);
});

describe('once the period is settled, its ledger holds what came late', () => {
  const moved = { isSettled: true, ledger: [['1001_7', 80_000, 5_000]] } as const;

  test('a processed timesheet is held against that', () => {
    const rows = [storedRow(timesheet({ ...APPROVED, hoursToPay: 8, processed: STAMP }))];
    expect(listOpenTimesheets(closed({ rows, ...moved }))).toEqual([]);
  });

  test('one that was not processed is held against the closing', () => {
    const rows = [storedRow(timesheet({ ...APPROVED, hoursToPay: 8 }))];
    expect(listOpenTimesheets(closed({ rows, ...moved }))).toMatchObject([
      { was: 7.5, hours: 8, difference: 0.5 },
    ]);
  });

  test('what had come late before its last closing was in the figures of that', () => {
    const rows = [storedRow(timesheet({ ...APPROVED, hoursToPay: 8 }))];
    expect(listOpenTimesheets(closed({ rows, ...moved, movedBefore: new Map([['1001_7', 5_000]]) }))).toEqual(
      [],
    );
  });
});

function closed(values: Partial<ClosedCount>): ClosedCount {
  return {
    ...{ rows: [], ledger: [['1001_7', 75_000]], isSettled: false, movedBefore: new Map() },
    ...{ unapproved: new Set(), closedAt: CLOSED_AT, timeZone: 'UTC', isComparable: true },
    ...values,
  };
}

function sign(hours: number): string {
  return hours > 0 ? `+${hours}` : String(hours);
}
