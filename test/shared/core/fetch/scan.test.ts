import { describe, expect, test } from 'vitest';
import {
  beginScan,
  endScan,
  isComplete,
  parseRow,
  recordsBySlice,
  takePage,
} from '#shared/core/fetch/scan.ts';
import { listPayPeriods } from '#shared/core/outcome/summarize-scan.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import {
  COMPLETE_WALK,
  createScan,
  createScannedRecords,
  DATE,
  hint,
  leafRow,
  NEXT_DATE,
  NOW,
  page,
  payPeriod,
  timesheet,
} from '#test/support/builders.ts';

describe('a scan', () => {
  test('began when its first page was requested, and is complete when its walk was', () => {
    const scan = beginScan(feedDefinition('timesheets'), [DATE]);
    expect([scan.startedAt, isComplete(scan)]).toEqual([null, false]);
    takePage(scan, page([], { requestedAt: NOW, receivedAt: NOW + 5 }));
    takePage(scan, page([], { requestedAt: NOW + 6, receivedAt: NOW + 9 }));
    expect(scan.startedAt).toBe(NOW);
    expect(isComplete(endScan(scan, COMPLETE_WALK))).toBe(true);
  });

  test('holds each record with its watched values and the times of its page', () => {
    const scan = createScan([timesheet()]);
    expect([...scan.records.values()]).toEqual(createScannedRecords([timesheet()]));
    expect([...scan.records.values()].map(parseRow)).toEqual([leafRow(timesheet()).state]);
  });

  test('reads a page anew unless nothing in it can change', () => {
    const records = [timesheet({ hoursToPay: 1 })];
    const first = createScan(records);
    records[0] = timesheet({ hoursToPay: 2 });
    expect([...createScan(records).records.values()]).not.toEqual([...first.records.values()]);

    const shallow = Object.freeze([{ ...timesheet({ hoursToPay: 1 }) }]);
    const before = createScan(shallow);
    Object.assign(shallow[0] ?? {}, { hoursToPay: 2 });
    expect([...createScan(shallow).records.values()]).not.toEqual([...before.records.values()]);
  });

  test('takes the same from a page that is kept, with the times of this scan', () => {
    const records = Object.freeze(
      [timesheet({ id: '1_7' }), timesheet({ id: '2_7', date: NEXT_DATE }), { id: 'x\ud83d' }].map((each) =>
        Object.freeze(each),
      ),
    );
    const times = { requestedAt: NOW + 1, receivedAt: NOW + 2 };
    const scans = [createScan(records), createScan(records, { page: times })];
    const [first, again] = scans.map((scan) => [...scan.records.values()]);
    expect(again).toEqual(first?.map((record) => ({ ...record, ...times })));
    expect(scans.map(({ records, unplaced }) => [records.size, unplaced])).toEqual([
      [1, [{ id: 'x\ufffd', issues: ['id'], kind: 'string' }]],
      [1, [{ id: 'x\ufffd', issues: ['id'], kind: 'string' }]],
    ]);
    expect(createScan(records, { slices: [NEXT_DATE] }).records.size).toBe(1);
  });

  test('merges a repeated id: the copy that came last counts, with its date and times', () => {
    const scan = createScan([timesheet()], { slices: [DATE, NEXT_DATE] });
    takePage(scan, page([timesheet({ date: NEXT_DATE })], { requestedAt: NOW + 1, receivedAt: NOW + 2 }));
    expect([...scan.records.values()]).toMatchObject([
      { slice: NEXT_DATE, requestedAt: NOW + 1, receivedAt: NOW + 2 },
    ]);
    expect([...recordsBySlice(scan)].map(([name, records]) => [name, records.length])).toEqual([
      [DATE, 0],
      [NEXT_DATE, 1],
    ]);
  });

  test('keeps the copy that was asked for last, also when a page that was asked for earlier comes later', () => {
    const scan = createScan([timesheet()], { slices: [DATE, NEXT_DATE] });
    const [first] = scan.records.values();
    const earlier = { requestedAt: NOW - 60_000, receivedAt: NOW + 2 };
    takePage(scan, page([timesheet({ date: NEXT_DATE })], earlier));
    expect([...scan.records.values()]).toEqual([first]);
  });

  test('sets aside what one page holds twice with different values, also if another page holds it once', () => {
    const copies = [timesheet(), timesheet({ hoursToPay: 1, date: NEXT_DATE }), timesheet({ hoursToPay: 2 })];
    const bad = { id: '1001_7', kind: 'two values', issues: ['date', 'hoursToPay'], isListedTwice: true };
    for (const records of [copies, copies.toReversed()]) {
      const scan = createScan([...records, timesheet({ id: '2_7' }), timesheet({ id: '2_7' })]);
      expect(scan.unplaced).toEqual([bad]);
      takePage(scan, page([timesheet()], { requestedAt: NOW + 1 }));
      const ended = endScan(scan, COMPLETE_WALK);
      expect([...ended.records.keys()]).toEqual(['2_7']);
      expect(ended.unplaced).toEqual([bad]);
    }
  });

  test('leaves records of other dates out', () => {
    const scan = createScan([timesheet(), timesheet({ id: '2_7', date: NEXT_DATE })]);
    expect([...scan.records.keys()]).toEqual(['1001_7']);
  });

  test('sets aside what has no id or no date, naming no value', () => {
    const scan = createScan([null, { id: '' }, timesheet({ date: 'CANARY' }), timesheet({ id: '2_7' })]);
    expect(scan.unplaced).toEqual([
      { id: null, issues: ['id'], kind: 'null' },
      { id: null, issues: ['id'], kind: 'string' },
      { id: '1001_7', issues: ['date'], kind: 'string' },
    ]);
    expect([...scan.records.keys()]).toEqual(['2_7']);
  });

  test('of pay periods notes calendar, dates, closing and totals of the good ones', () => {
    const records = [
      payPeriod(),
      payPeriod({ id: '4_7', calendar: 'Monthly', closed: '2026-03-05', hours: 0 }),
      payPeriod({ id: '5_7', startDate: 7 }),
    ];
    const scan = createScan(records, { slices: ['all'], feed: 'pay-periods' });
    const dates = { startDate: '2026-03-02', finishDate: '2026-03-08' };
    const look = { requestedAt: expect.any(Number), receivedAt: expect.any(Number) };
    const closed = { closed: true, closedStamp: '2026-03-05' };
    expect(scan.payPeriods).toEqual([
      { id: '3_7', calendar: 'Weekly', ...dates, closed: false, totals: '1204.25/31/154', look },
      { id: '4_7', calendar: 'Monthly', ...dates, ...closed, totals: '0/31/154', look },
    ]);
    expect(createScan([timesheet()]).payPeriods).toEqual([]);
  });

  test('of pay periods keeps what is known of those that it shows as bad or leaves out: a list proves no removal', () => {
    const records = [
      payPeriod(),
      payPeriod({ id: '4_7', startDate: 7 }),
      payPeriod({ id: '5_7', closed: 7 }),
    ];
    const scan = createScan(records, { slices: ['all'], feed: 'pay-periods' });
    const closed = hint({ id: '4_7', closed: true });
    const leftOut = hint({ id: '6_7' });
    const known = [hint({ totals: 'older' }), closed, leftOut];
    expect(listPayPeriods(scan, known)).toEqual([{ ...hint(), look: expect.anything() }, closed, leftOut]);
  });

  test('of pay periods notes a repeated one once, as it came last, and keeps what is known of one in doubt', () => {
    const scan = { slices: ['all'], feed: 'pay-periods' } as const;
    const again = createScan([payPeriod(), payPeriod({ hours: 1 })], scan);
    expect(again.payPeriods).toMatchObject([{ id: '3_7', totals: '1/31/154' }]);
    const twice = createScan([payPeriod(), payPeriod({ closed: '2026-03-05' })], scan);
    expect(twice.payPeriods).toEqual([]);
    expect(listPayPeriods(twice, [hint()])).toEqual([hint()]);
  });
});
