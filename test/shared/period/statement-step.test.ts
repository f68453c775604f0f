import { describe, expect, test } from 'vitest';
import { computeEventId } from '#shared/core/events/envelope.ts';
import { type Change, type EventContext, toEvents } from '#shared/core/events/events.ts';
import type { StatementPlan } from '#shared/core/events/plan-statement.ts';
import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import type { Statement } from '#shared/core/periods/statement.ts';
import type { StatementMemory } from '#shared/core/periods/statement-memory.ts';
import {
  createChange,
  createEventContext,
  EARLIER,
  NOW,
  PAY_PERIODS,
  payPeriod,
  position,
} from '#test/support/builders.ts';

const OPEN = payPeriod();
const CLOSED = payPeriod({ closed: '2026-03-09' });
const MEMORY: StatementMemory = {
  closings: 1,
  closedHours: 8,
  last: null,
  count: null,
  moved: { late: 0, reopened: 0, recounted: 0 },
  awaits: 'final',
  closedAt: EARLIER,
};
// What is in them is told as it is.
const STATEMENT = { stage: 'closed', hours: 8 } as unknown as Statement;
const MANIFEST = { timesheets: 154 } as unknown as CloseManifest;

describe('the statement of a pay period', () => {
  test('comes after what else happened to it, and changes nothing of it', () => {
    const plan = { statement: STATEMENT, memory: MEMORY, ledger: null };
    const { events, row } = tell(createChange(OPEN, { ...CLOSED, calendar: 'Other' }), { plan });

    expect(events.map(({ type }) => type)).toEqual([
      'workforce.pay_period.changed',
      'workforce.pay_period.closed',
      'workforce.pay_period.statement',
    ]);
    expect(events[2]).toMatchObject({ id: computeEventId(PAY_PERIODS, '3_7', position(5)), sequence: 5 });
    expect(events[2]?.data).toMatchObject({
      current: { calendar: 'Other', closed: '2026-03-09' },
      previous: {},
      changed: [],
      occurredAt: null,
      late: [],
      statement: STATEMENT,
    });
    expect(events.map(({ data }) => 'statement' in data)).toEqual([false, false, true]);
    expect(row).toMatchObject({ sequence: 5, memory: { statement: MEMORY } });
  });

  test('that is due without a change is the only event', () => {
    const { events } = tell(createChange(CLOSED, CLOSED), {
      plan: { statement: STATEMENT, memory: MEMORY, ledger: null },
    });
    expect(events.map(({ type, data }) => [type, data.collapsed])).toEqual([
      ['workforce.pay_period.statement', false],
    ]);
  });

  test('that is not told changes what the row remembers alone', () => {
    const plan = { statement: null, memory: { ...MEMORY, awaits: null }, ledger: null };
    const { events, row } = tell(createChange(CLOSED, CLOSED, { row: { memory: { statement: MEMORY } } }), {
      plan,
    });
    expect(events).toEqual([]);
    expect(row?.memory?.statement).toEqual(plan.memory);
    const forgotten = { statement: null, memory: null, ledger: null };
    const without = tell(createChange(CLOSED, CLOSED, { row: { memory: { statement: MEMORY } } }), {
      plan: forgotten,
    });
    expect(without.row).not.toHaveProperty('memory');
  });

  test('is remembered while the period changes otherwise', () => {
    const renamed = createChange(
      CLOSED,
      { ...CLOSED, calendar: 'Other' },
      { row: { memory: { statement: MEMORY } } },
    );
    expect(tell(renamed).row?.memory?.statement).toEqual(MEMORY);
    expect(tell(createChange(CLOSED, { ...CLOSED, calendar: 'Other' })).row).not.toHaveProperty('memory');
  });

  test('is not told of a period that was removed', () => {
    const plan = { statement: STATEMENT, memory: MEMORY, ledger: null };
    const { events, row } = tell(createChange(CLOSED, null), { plan });
    expect(events.map(({ type }) => type)).toEqual(['workforce.pay_period.removed']);
    expect(row).toBeNull();
  });
});

describe('the closing of a pay period', () => {
  test('comes with its count, when there is one', () => {
    const manifests = new Map([['3_7', MANIFEST]]);
    const { events } = tell(createChange(OPEN, { ...CLOSED, calendar: 'Other' }), { manifests });
    expect(events.map(({ data }) => data.closeManifest)).toEqual([undefined, MANIFEST]);
    const [uncounted] = tell(createChange(OPEN, CLOSED)).events;
    expect(uncounted?.data).not.toHaveProperty('closeManifest');
  });
});

test('how far an open one is comes as an event that changes nothing of it, and its row remembers the moment', () => {
  const memory = { remindedAt: EARLIER };
  const observed = { after: EARLIER, by: NOW };
  const change = createChange(OPEN, OPEN, { memory, observed });
  const { events, row } = tell(change, {
    readiness: new Map([['3_7', { deadline: null, summaries: ['08:00'] }]]),
  });
  expect(events).toMatchObject([
    {
      ...{ type: 'workforce.pay_period.readiness', sequence: 3, time: '2026-03-05T01:01:00.000Z' },
      data: {
        ...{ payPeriodId: '3_7', current: { closed: null }, previous: {}, changed: [], late: [] },
        ...{ occurredAt: null, collapsed: false, deadline: null, summaries: ['08:00'] },
        observed: { after: '2026-03-05T01:00:00.000Z', by: '2026-03-05T01:01:00.000Z' },
      },
    },
  ]);
  expect(row).toMatchObject({ sequence: 3, memory });
});

interface Given {
  readonly plan?: StatementPlan;
  readonly manifests?: NonNullable<EventContext['manifests']>;
  readonly readiness?: NonNullable<EventContext['readiness']>;
}

function tell(change: Change, { plan, ...numbers }: Given = {}) {
  const statements = plan === undefined ? {} : { statements: new Map([['3_7', plan]]) };
  const { texts, row } = toEvents(change, createEventContext(PAY_PERIODS, { ...numbers, ...statements }));
  const events = texts.map(
    (text) => JSON.parse(text) as { id: string; type: string; data: Record<string, unknown> },
  );
  return { events, row };
}
