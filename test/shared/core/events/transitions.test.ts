import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVENT_CATALOGUE, SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { findTransitions, type Transition } from '#shared/core/events/transitions.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import { feedDefinition, parseRow, toState } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord, State } from '#shared/core/records/fields.ts';
import { holds } from '#test/shared/core/properties.ts';
import { clocking, detail, payPeriod, textOf, timesheet } from '#test/support/builders.ts';
import { changes, LATER, STAMP } from './history.ts';
import { between, stateFrom } from './steps.ts';

const OUT = clocking({ id: '7002_7', localTime: '2026-03-05T17:00:00' });

describe('a lone step', () => {
  const [IN, MOVED] = [clocking(), clocking({ variance: 2 })];
  test.each<[string, SourceRecord, SourceRecord, isCollapsed?: boolean]>([
    ['timesheet.changed', {}, { hoursToPay: 8 }],
    ['timesheet.changed', {}, { details: [detail({ hours: 8 })] }],
    ['timesheet.approved', {}, { approvedHours: STAMP }],
    ['timesheet.approved', { approvedHours: STAMP }, { approvedHours: LATER }, true],
    ['timesheet.approval_revoked', { approvedHours: STAMP }, {}],
    ['timesheet.payroll_approved', {}, { approvedPayroll: 'PAY-1' }],
    ['timesheet.payroll_approved', { approvedPayroll: 'PAY-1' }, { approvedPayroll: 'PAY-2' }, true],
    ['timesheet.payroll_approval_revoked', { approvedPayroll: 'PAY-1' }, {}],
    ['timesheet.processed', {}, { processed: STAMP }],
    ['timesheet.processed', { processed: STAMP }, { processed: LATER }, true],
    ['timesheet.processing_reverted', { processed: STAMP }, {}],
    ['timesheet.clocked_in', {}, { clockIn: IN }],
    ['timesheet.clock_in_corrected', { clockIn: IN }, { clockIn: MOVED }],
    ['timesheet.clock_in_corrected', { clockIn: IN }, { clockIn: clocking({ id: '7009_7' }) }],
    ['timesheet.clock_in_removed', { clockIn: IN }, {}],
    ['timesheet.clocked_out', {}, { clockOut: OUT }],
    ['timesheet.clock_out_corrected', { clockOut: OUT }, { clockOut: { ...OUT, id: '7003_7' } }],
    ['timesheet.clock_out_removed', { clockOut: OUT }, {}],
    ['pay_period.changed', {}, { finishDate: '2026-03-09' }],
    ['pay_period.closed', {}, { closed: '2026-03-09' }],
    ['pay_period.closed', { closed: '2026-03-09' }, { closed: '2026-03-10' }, true],
    ['pay_period.reopened', { closed: '2026-03-09' }, {}],
  ])(
    'is %s, collapsed where it stands over an old one: %j to %j',
    (type, before, after, isCollapsed = false) => {
      const record = type.startsWith('pay') ? payPeriod : timesheet;
      const steps = between(record(before), record(after));
      expect(steps.map((step) => [step.type, step.collapsed])).toEqual([[type, isCollapsed]]);
      expect(steps[0]?.from).toEqual(stateFrom(record(before)));
      expect(steps[0]?.changed).toEqual(Object.keys({ ...before, ...after }));
    },
  );

  test('is created or removed', () => {
    expect(typesOf(between(null, timesheet()))).toEqual(['timesheet.created']);
    expect(typesOf(between(timesheet({ processed: STAMP }), null))).toEqual(['timesheet.removed']);
    expect(typesOf(between(null, payPeriod()))).toEqual(['pay_period.created']);
    expect(typesOf(between(payPeriod(), null))).toEqual(['pay_period.removed']);
    expect(between(timesheet(), null)[0]).toMatchObject({ from: stateFrom(timesheet()), collapsed: false });
  });

  test('of every type of a record is in the catalogue', () => {
    const ours = FEED_NAMES.map(feedDefinition).flatMap((definition) => [
      definition.created,
      definition.changed,
      definition.removed,
      ...Object.values(definition.changedBy ?? {}),
      ...[...definition.facts, ...(definition.derived ?? [])].flatMap(({ forward, reversal, corrected }) => [
        forward,
        reversal ?? forward,
        corrected ?? forward,
      ]),
    ]);
    const catalogue = Object.entries(EVENT_CATALOGUE).filter(([, topic]) => topic !== 'operations');
    // Moments of an account and snapshots are no steps in the life of a record.
    const others = SHORT_EVENT_TYPES.filter((type) => /\.(?:due|recounted|settled|snapshot)$/.test(type));
    expect([...new Set<string>(ours), ...others].sort()).toEqual(catalogue.map(([type]) => type).sort());
  });
});

describe('several steps in one gap', () => {
  const everything = {
    clockIn: clocking(),
    clockOut: OUT,
    approvedHours: STAMP,
    approvedPayroll: 'PAY-1',
    processed: LATER,
  };

  const types = (steps: readonly Transition[]) => typesOf(steps).join(' ').replaceAll('timesheet.', '');

  test.each<[string, SourceRecord | null, SourceRecord, string]>([
    [
      'taken back, backwards through life',
      everything,
      {},
      'processing_reverted payroll_approval_revoked approval_revoked clock_out_removed clock_in_removed',
    ],
    ['forwards through life', {}, everything, 'clocked_in clocked_out approved payroll_approved processed'],
    [
      'reversals, the change, corrections and forward steps',
      { clockIn: clocking(), approvedHours: STAMP, processed: LATER },
      { clockIn: clocking({ variance: 3 }), clockOut: OUT, hoursToPay: 8, approvedPayroll: 'PAY-1' },
      'processing_reverted approval_revoked changed clock_in_corrected clocked_out payroll_approved',
    ],
    [
      'of a new record created, and then a step for each fact on it',
      null,
      everything,
      'created clocked_in clocked_out approved payroll_approved processed',
    ],
  ])('come as %s', (...[, before, after, expected]) => {
    expect(types(between(before && timesheet(before), timesheet(after)))).toBe(expected);
  });

  test('of a new record begin with it alone', () => {
    const [first, second] = between(null, timesheet(everything));
    expect([first?.from, second?.from]).toEqual([null, stateFrom(timesheet())]);
    expect(types(between(null, payPeriod({ closed: '2026-03-09' })))).toBe(
      'pay_period.created pay_period.closed',
    );
  });
});

describe('a row that was stored before a field was appended', () => {
  test('says nothing about fields it did not have: they are baselined silently', () => {
    const definition = feedDefinition('timesheets');
    const after = timesheet({
      approvedHours: STAMP,
      approvedPayroll: 'PAY-1',
      processed: LATER,
      hoursToPay: 8,
    });
    const row = parseRow(textOf(timesheet()));
    const steps = findTransitions(definition, toState(definition, row.slice(0, 16)), stateFrom(after));
    expect(steps.map(({ type, changed }) => [type, changed])).toEqual([
      ['timesheet.changed', ['hoursToPay']],
      ['timesheet.approved', ['approvedHours']],
    ]);
    const shorter = toState(definition, row.slice(0, 9));
    expect(findTransitions(definition, shorter, stateFrom(after))).toEqual([]);
  });

  test('shows a clock record as it was, without a member that it did not have', () => {
    const { beacon: _, ...clockIn } = stateFrom(timesheet({ clockIn: clocking() })).clockIn as SourceRecord;
    const stored = { ...stateFrom(timesheet()), clockIn } as State;
    const after = stateFrom(timesheet({ clockIn: clocking({ variance: 9 }), hoursToPay: 8 }));
    const steps = findTransitions(feedDefinition('timesheets'), stored, after);
    expect(steps.map(({ type, from }) => [type, from?.clockIn])).toEqual([
      ['timesheet.changed', clockIn],
      ['timesheet.clock_in_corrected', clockIn],
    ]);
  });
});

describe('any change', () => {
  test('published step by step leads from the state before to the state after', () => {
    holds(
      fc.property(changes, ([before, after]) => {
        const steps = between(before, after);
        let state = before === null ? null : stateFrom(before);
        for (const step of steps) {
          expect(step.from).toEqual(state);
          state = following(state, step, after);
        }
        expect(state).toEqual(after === null ? null : stateFrom(after));
      }),
      500,
    );
  });

  test('is collapsed in all its steps or, when alone, only as a new stamp over an old one', () => {
    holds(
      fc.property(changes, ([before, after]) => {
        const steps = between(before, after);
        const [only] = steps;
        const overAnother = only?.kind === 'forward' && before?.[only.fact?.field ?? ''] !== null;
        const expected = steps.length > 1 || overAnother;
        expect(steps.every(({ collapsed }) => collapsed === expected)).toBe(true);
      }),
      500,
    );
  });
});

/** The next state, told by a step alone: all but its facts for a new record, the named fields otherwise. */
function following(state: State | null, step: Transition, after: SourceRecord | null): State | null {
  if (after === null) return null;
  const goal = stateFrom(after);
  if (step.kind !== 'created') {
    return { ...state, ...Object.fromEntries(step.changed.map((name) => [name, goal[name]])) };
  }
  const given = feedDefinition('timesheets').facts.filter(({ field }) => Object.hasOwn(goal, field));
  const facts = given.map(({ field }) => [field, null] as const);
  return { ...goal, ...Object.fromEntries(facts) };
}

function typesOf(steps: readonly Transition[]): string[] {
  return steps.map(({ type }) => type);
}
