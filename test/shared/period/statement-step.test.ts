import { describe, expect, test } from 'vitest';
import type { Change } from '#shared/core/compare/change.ts';
import { computeEventId } from '#shared/core/events/envelope.ts';
import { type EventContext, toEvents } from '#shared/core/events/events.ts';
import { returnsClosed, type StatementPlan } from '#shared/core/events/plan-statement.ts';
import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import type { Statement } from '#shared/core/periods/statement.ts';
import type { StatementMemory } from '#shared/core/periods/statement-memory.ts';
import {
  createChange,
  createEventContext,
  EARLIER,
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
    expect(row).toMatchObject({ sequence: 5, statement: MEMORY });
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
    const { events, row } = tell(createChange(CLOSED, CLOSED, { row: { statement: MEMORY } }), { plan });
    expect(events).toEqual([]);
    expect(row?.statement).toEqual(plan.memory);
    const forgotten = { statement: null, memory: null, ledger: null };
    const without = tell(createChange(CLOSED, CLOSED, { row: { statement: MEMORY } }), { plan: forgotten });
    expect(without.row).not.toHaveProperty('statement');
  });

  test('is remembered while the period changes otherwise', () => {
    const renamed = createChange(CLOSED, { ...CLOSED, calendar: 'Other' }, { row: { statement: MEMORY } });
    expect(tell(renamed).row?.statement).toEqual(MEMORY);
    expect(tell(createChange(CLOSED, { ...CLOSED, calendar: 'Other' })).row).not.toHaveProperty('statement');
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

describe('a pay period that returns after it was removed', () => {
  const returned = (record: typeof CLOSED, closed = '2026-03-09') =>
    createChange(null, record, {
      tombstoneSlice: 'all',
      sequence: 4,
      closing: { closed, statement: MEMORY },
    });

  test('as closed as it was has no closing again, and remembers its statement', () => {
    const { events, row } = tell(returned(CLOSED));
    expect(events.map(({ type }) => type)).toEqual(['workforce.pay_period.created']);
    expect(events[0]?.data.current).toMatchObject({ closed: '2026-03-09' });
    expect(row).toMatchObject({ statement: MEMORY, sent: {} });
  });

  test.each([
    ['closed at another time', returned(CLOSED, '2026-03-10')],
    ['that was open when it was removed', createChange(null, CLOSED, { tombstoneSlice: 'all' })],
  ])('%s is told as closed', (_, change) => {
    expect(tell(change).events.map(({ type }) => type)).toEqual([
      'workforce.pay_period.created',
      'workforce.pay_period.closed',
    ]);
  });

  test.each<[string, Change, Record<string, string | null> | null, boolean]>([
    ['with the same instant', returned(CLOSED), { closed: '2026-03-09' }, true],
    ['with another', returned(CLOSED), { closed: '2026-03-10' }, false],
    ['open', returned(OPEN), { closed: null }, false],
    ['open, without what is remembered', returned(OPEN), {}, false],
    ['to be removed', returned(OPEN), null, false],
    [
      'without having been removed',
      createChange(CLOSED, CLOSED, { closing: { closed: '2026-03-09' } }),
      { closed: '2026-03-09' },
      false,
    ],
    ['of which no closing was told', createChange(null, CLOSED), { closed: '2026-03-09' }, false],
  ])('%s returns closed: %o %o %s', (...[, change, after, expected]) => {
    expect(returnsClosed(change, after)).toBe(expected);
  });
});

interface Given {
  readonly plan?: StatementPlan;
  readonly manifests?: EventContext['manifests'];
}

function tell(change: Change, { plan, manifests = new Map() }: Given = {}) {
  const statements = plan === undefined ? {} : { statements: new Map([['3_7', plan]]) };
  const { texts, row } = toEvents(change, createEventContext(PAY_PERIODS, { manifests, ...statements }));
  const events = texts.map(
    (text) => JSON.parse(text) as { id: string; type: string; data: Record<string, unknown> },
  );
  return { events, row };
}
