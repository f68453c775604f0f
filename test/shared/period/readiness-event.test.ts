import { describe, expect, test } from 'vitest';
import { eventSchema } from '#shared/core/definitions/event-schemas.ts';
import { computeEventId } from '#shared/core/events/envelope.ts';
import type { Readiness } from '#shared/core/periods/readiness-data.ts';
import { type EpochRule, NO_EPOCHS } from '#shared/core/snapshot/epochs.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import { toReadinessEvent } from '#shared/period/readiness-event.ts';
import type { DueReadiness } from '#shared/period/readiness-moments.ts';
import { EARLIER, leafRow, MINUTE_MS, NOW, PAY_PERIODS, payPeriod } from '#test/support/builders.ts';

const DUE: DueReadiness = {
  deadline: NOW + 60 * MINUTE_MS,
  reminder: { before: '1h', at: EARLIER },
  summaries: ['08:00'],
  momentAt: EARLIER,
  through: '2026-03-04',
};
const READINESS: Readiness = {
  through: '2026-03-04',
  complete: true,
  missing: null,
  asOf: '2026-03-05T01:00:00.000Z',
  members: 'asked',
  membersUnknown: 0,
  sharesDatesWith: ['4_7'],
  timesheets: 2,
  employees: 2,
  approved: 0,
  unapproved: 2,
  unapprovedEmployees: 2,
  unapprovedHours: 15,
  hoursToPay: 15,
  payrollUnapproved: null,
  departments: 1,
  byDepartment: [
    { departmentId: '501_7', timesheets: 2, unapproved: 2, unapprovedEmployees: 2, unapprovedHours: 15 },
  ],
  waiting: [
    {
      timesheetId: '1_7',
      sequence: 0,
      employeeId: null,
      departmentId: null,
      date: '2026-03-02',
      hours: 7.5,
      missing: ['clock_out', 'approval'],
    },
  ],
};

describe('the event of a moment', () => {
  test('says all that there is to say of the period, and is remembered with its row', () => {
    const { texts, types, row, sequence, epoch } = tell({
      epoch: EARLIER - 1,
      sequence: 4,
      sent: { closed: 3 },
    });

    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      {
        specversion: '1.0',
        id: computeEventId(PAY_PERIODS, '3_7', { epoch: '2026-03-05T00:59:59.999Z', sequence: 5 }),
        source: '/connections/main/pay-periods',
        type: 'workforce.pay_period.readiness',
        subject: '3_7',
        time: '2026-03-05T01:01:00.000Z',
        datacontenttype: 'application/json',
        dataschema: 'urn:workforce-change-notifier:schema:pay_period.readiness:1',
        connection: 'main',
        epoch: '2026-03-05T00:59:59.999Z',
        sequence: 5,
        partitionkey: '/connections/main/pay-periods/3_7',
        traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
        data: {
          payPeriodId: '3_7',
          current: {
            calendar: 'Weekly',
            startDate: '2026-03-02',
            finishDate: '2026-03-08',
            closed: null,
            payRollCompanyId: null,
            payRollProvider: 'PaySys',
          },
          previous: {},
          changed: [],
          observed: { after: '2026-03-05T01:00:00.000Z', by: '2026-03-05T01:01:00.000Z' },
          occurredAt: null,
          collapsed: false,
          late: [],
          deadline: '2026-03-05T02:01:00.000Z',
          reminder: { before: '1h', at: '2026-03-05T01:00:00.000Z' },
          summaries: ['08:00'],
          readiness: READINESS,
          stillOpen: null,
        },
      },
    ]);
    expect(types).toEqual(['pay_period.readiness']);
    expect([sequence, epoch]).toEqual([5, EARLIER - 1]);
    expect(row).toEqual({
      ...leafRow(payPeriod()),
      epoch: EARLIER - 1,
      sequence: 5,
      sent: { closed: 3 },
      remindedAt: EARLIER,
    });
  });

  test('of a calendar without a deadline has a summary alone', () => {
    const [text = ''] = tell({}, { ...DUE, deadline: null, reminder: null }).texts;
    expect(JSON.parse(text)).toMatchObject({ data: { deadline: null, reminder: null } });
  });

  test('fits its schema', () => {
    for (const row of [{}, { epoch: EARLIER }]) {
      const event: unknown = JSON.parse(tell(row).texts[0] ?? '');
      expect(eventSchema('pay_period.readiness').safeParse(event).error?.issues).toBeUndefined();
    }
  });

  test('after a restore begins a new epoch of the period', () => {
    const told = tell({ epoch: EARLIER, sequence: 4 }, DUE, { notBefore: NOW, restoredAt: NOW });
    expect(told).toMatchObject({ epoch: NOW, sequence: 1, row: { epoch: NOW, sequence: 1, sent: {} } });
  });

  test('leaves the record as it was seen: the change is silent', () => {
    const { change } = tell({ epoch: EARLIER, sequence: 4 });
    expect(change).toMatchObject({
      silent: true,
      epoch: EARLIER,
      sequence: 4,
      rowSlice: 'all',
      seenAt: EARLIER,
    });
    expect(change.after).toEqual({ slice: 'all', row: change.before?.row.state });
    expect(tell({ seenAt: EARLIER + 7 }).change.seenAt).toBe(EARLIER + 7);
  });
});

function tell(row: Partial<LeafRow>, due = DUE, epochs: EpochRule = NO_EPOCHS) {
  const known = { slice: 'all', row: leafRow(payPeriod(), row) };
  const news = { known, due, now: NOW, readiness: READINESS, stillOpen: null };
  return toReadinessEvent(news, { feed: PAY_PERIODS, epochs });
}
