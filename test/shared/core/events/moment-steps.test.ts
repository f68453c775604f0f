import { describe, expect, test } from 'vitest';
import { type Change, toEvents } from '#shared/core/events/events.ts';
import type { Moment } from '#shared/core/events/moments.ts';
import type { PeriodMemory } from '#shared/core/periods/period-memory.ts';
import {
  createChange,
  createEventContext,
  EARLIER,
  NOW,
  PAY_PERIODS,
  payPeriod,
} from '#test/support/builders.ts';

const OPEN = payPeriod();
const CLOSED = payPeriod({ closed: '2026-03-09' });
const MEMORY: PeriodMemory = {
  ...{ told: 'closed', at: NOW, closedAt: NOW, closings: 1, count: null, hasReserve: false },
  differsSince: null,
};
// What is in it is told as it is.
const ACCOUNT = { verdict: 'pay' };
const SETTLED: Moment = { step: 'settled', data: { settledBy: 'processed', account: ACCOUNT } };

describe('a moment of a pay period', () => {
  test('that time brings comes after what else happened to it, and changes nothing of it', () => {
    const { events, row } = tell(createChange(OPEN, { ...CLOSED, calendar: 'Other' }), SETTLED);
    expect(events.map(({ type }) => type)).toEqual([
      'workforce.pay_period.changed',
      'workforce.pay_period.closed',
      'workforce.pay_period.settled',
    ]);
    expect(events[1]?.data.account).toBeNull();
    expect(events[2]?.data).toMatchObject({
      ...{ current: { calendar: 'Other', closed: '2026-03-09' }, previous: {}, changed: [] },
      ...{ occurredAt: null, late: [], settledBy: 'processed', account: ACCOUNT },
    });
    expect(row?.sequence).toBe(5);
  });

  test('without a change is the only event, and the row remembers it', () => {
    const memory = { remindedAt: EARLIER };
    const observed = { after: EARLIER, by: NOW };
    const due: Moment = { step: 'due', data: { summaries: ['08:00'], account: ACCOUNT } };
    const { events, row } = tell(createChange(OPEN, OPEN, { memory, observed }), due);
    expect(events).toMatchObject([
      {
        type: 'workforce.pay_period.due',
        sequence: 3,
        data: { current: { closed: null }, collapsed: false, summaries: ['08:00'], account: ACCOUNT },
      },
    ]);
    expect(row).toMatchObject({ sequence: 3, memory });
  });

  test('of its closing is told with that alone', () => {
    const { events } = tell(createChange(OPEN, { ...CLOSED, calendar: 'Other' }), {
      step: null,
      data: { account: ACCOUNT },
    });
    expect(events.map(({ data }) => data.account)).toEqual([undefined, ACCOUNT]);
  });

  test('is not told of a period that was removed', () => {
    const { events, row } = tell(createChange(CLOSED, null), SETTLED);
    expect(events.map(({ type }) => type)).toEqual(['workforce.pay_period.removed']);
    expect(row).toBeNull();
  });

  test('is remembered while the period changes otherwise', () => {
    const renamed = { ...CLOSED, calendar: 'Other' };
    const { row } = tell(createChange(CLOSED, renamed, { row: { memory: { period: MEMORY } } }));
    expect(row?.memory?.period).toEqual(MEMORY);
  });
});

function tell(change: Change, moment?: Moment) {
  const moments = new Map(moment === undefined ? [] : [['3_7', moment]]);
  const { texts, row } = toEvents(change, createEventContext(PAY_PERIODS, { moments }));
  const events = texts.map(
    (text) => JSON.parse(text) as { type: string; sequence: number; data: Record<string, unknown> },
  );
  return { events, row };
}
