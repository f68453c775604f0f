import { describe, expect, test } from 'vitest';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { buildSnapshotEvent } from '#shared/core/events/snapshot-events.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import {
  createPeriodFinder,
  EARLIER,
  knownPeriod,
  PAY_PERIODS,
  payPeriod,
  storedRow,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';

const ROW = storedRow(timesheet(), { epoch: EARLIER, sequence: 4 });

describe('the snapshot of a record', () => {
  test('has its state, the position of its latest event, and the time of its epoch', () => {
    expect(snapshotOf(ROW)).toMatchObject({
      ...{ type: 'workforce.timesheet.snapshot', subject: '1001_7', time: '2026-03-05T01:00:00.000Z' },
      ...{ epoch: '2026-03-05T01:00:00.000Z', sequence: 4 },
      data: {
        ...{ timesheetId: '1001_7', employeeId: '2001_7', departmentId: '501_7', organisationId: '1_7' },
        current: { date: '2026-03-05', hoursToPay: 7.5, details: [{ id: '8001_7' }] },
        ...{ previous: null, changed: [], occurredAt: null, collapsed: false, late: [] },
        observed: { after: null, by: '2026-03-05T01:00:00.000Z' },
        payPeriods: [{ id: '3_7', calendar: 'Weekly', state: 'open' }],
      },
    });
  });

  test('says what is told as missing of it', () => {
    const { data } = snapshotOf({ ...ROW, memory: { missing: { clockIn: EARLIER } } });
    expect(data.current).toMatchObject({ clockInMissing: '2026-03-05T01:00:00.000Z' });
  });

  test('that was never readable is none', () => {
    expect(buildSnapshotEvent(TIMESHEETS, { ...ROW, text: null }, () => null)).toBeNull();
  });

  test('of a pay period has its id alone', () => {
    const { type, data } = snapshotOf(storedRow(payPeriod(), { epoch: EARLIER }), PAY_PERIODS);
    expect(type).toBe('workforce.pay_period.snapshot');
    expect(data).toMatchObject({ payPeriodId: '3_7', current: { calendar: 'Weekly' } });
    for (const name of ['timesheetId', 'employeeId', 'payPeriods']) expect(data).not.toHaveProperty(name);
  });

  test.each([
    ['timesheet.snapshot', TIMESHEETS, ROW],
    ['pay_period.snapshot', PAY_PERIODS, storedRow(payPeriod())],
  ] as const)('fits its schema: %s', (type, feed, record) => {
    expect(eventSchema(type).safeParse(snapshotOf(record, feed)).error?.issues).toBeUndefined();
  });

  test('has one id for the same state in the same pay periods, and another for any other', () => {
    const ids = [
      snapshotOf(ROW),
      snapshotOf({ ...ROW, sequence: 5 }),
      snapshotOf(storedRow(timesheet({ hoursToPay: 8 }), { epoch: EARLIER, sequence: 4 })),
      snapshotOf({ ...ROW, epoch: EARLIER + 1 }),
      snapshotOf(ROW, { ...TIMESHEETS, connection: 'other' }),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(snapshotOf(structuredClone(ROW)).id).toBe(ids[0]);
  });
});

interface SnapshotEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

function snapshotOf(row: StoredRow, feed: FeedKey = TIMESHEETS): SnapshotEvent {
  return JSON.parse(
    buildSnapshotEvent(feed, row, createPeriodFinder([knownPeriod()])) ?? '',
  ) as SnapshotEvent;
}
