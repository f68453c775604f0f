import { describe, expect, test } from 'vitest';
import { findLateness as findLatenessIn, type LatenessContext } from '#shared/core/events/lateness.ts';
import { findTransitions, type Transition } from '#shared/core/events/transitions.ts';
import type { PeriodFinder } from '#shared/core/periods/members.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { LATER, STAMP } from '#test/shared/core/events/history.ts';
import { between, stateFrom } from '#test/shared/core/events/steps.ts';
import {
  clocking,
  createPeriodFinder,
  knownPeriod,
  NOW,
  payPeriod,
  timesheet,
} from '#test/support/builders.ts';

const OUT = clocking({ id: '7002_7', localTime: '2026-03-05T17:00:00' });

describe('what comes late', () => {
  const open = createPeriodFinder([knownPeriod()]);
  const closed = createPeriodFinder([knownPeriod({ closed: true })]);
  const late = (before: SourceRecord, after: SourceRecord | null, find = open) =>
    between(timesheet(before), after === null ? null : timesheet(after)).map((step) => [
      step.type.replace('timesheet.', ''),
      findLateness(step, find).late,
    ]);

  test('is a change after approval, processing or the close of its pay period', () => {
    expect(late({}, { hoursToPay: 8 })).toEqual([['changed', []]]);
    const approved = { approvedHours: STAMP };
    expect(late(approved, { ...approved, hoursToPay: 8 })).toEqual([['changed', ['approval']]]);
    const processed = { ...approved, processed: LATER };
    expect(late(processed, { ...processed, hoursToPay: 8 })).toEqual([
      ['changed', ['approval', 'processing']],
    ]);
    expect(late({}, { hoursToPay: 8 }, closed)).toEqual([['changed', ['close']]]);
    expect(late(processed, { ...processed, hoursToPay: 8 }, closed)).toEqual([
      ['changed', ['approval', 'processing', 'close']],
    ]);
  });

  test('is a corrected or removed clock time', () => {
    const before = { clockIn: clocking(), approvedHours: STAMP };
    expect(late(before, { ...before, clockIn: clocking({ variance: 9 }) })).toEqual([
      ['clock_in_corrected', ['approval']],
    ]);
    expect(late(before, { approvedHours: STAMP })).toEqual([['clock_in_removed', ['approval']]]);
  });

  test('is a reversal, by what stood before it, step by step', () => {
    expect(late({ approvedHours: STAMP, processed: LATER }, { hoursToPay: 8 }, closed)).toEqual([
      ['processing_reverted', ['approval', 'processing', 'close']],
      ['approval_revoked', ['approval', 'close']],
      ['changed', ['close']],
    ]);
  });

  test('is what is new on a date whose pay period is closed', () => {
    const facts = { clockIn: clocking(), clockOut: OUT, approvedHours: STAMP, approvedPayroll: 'PAY-1' };
    const steps = between(null, timesheet(facts));
    expect(
      steps.map((step) => [step.type.replace('timesheet.', ''), findLateness(step, closed).late]),
    ).toEqual([
      ['created', ['close']],
      ['clocked_in', ['close']],
      ['clocked_out', ['close']],
      ['approved', ['close']],
      ['payroll_approved', ['close']],
    ]);
    expect(steps.flatMap((step) => findLateness(step, open).late)).toEqual([]);
    expect(late({ processed: STAMP }, { processed: STAMP, ...facts }, closed)).toEqual(
      ['clocked_in', 'clocked_out', 'approved', 'payroll_approved'].map((type) => [type, ['close']]),
    );
    expect(late({ processed: STAMP }, { processed: STAMP, ...facts }).flatMap(([, after]) => after)).toEqual(
      [],
    );
  });

  test('is never processing, nor an approval over another', () => {
    const approved = { approvedHours: STAMP, approvedPayroll: 'PAY-1', processed: STAMP };
    const again = { approvedHours: LATER, approvedPayroll: 'PAY-2', processed: LATER };
    expect(late({}, { processed: STAMP }, closed)).toEqual([['processed', []]]);
    expect(late(approved, again, closed)).toEqual([
      ['approved', []],
      ['payroll_approved', []],
      ['processed', []],
    ]);
  });

  test('is a move out of a closed period, and a move into one', () => {
    expect(late({ date: '2026-03-09' }, { date: '2026-03-05' }, closed)).toEqual([['changed', ['close']]]);
    expect(late({ date: '2026-03-05' }, { date: '2026-03-09' }, closed)).toEqual([['changed', ['close']]]);
    expect(late({ date: '2026-03-09' }, { date: '2026-03-10' }, closed)).toEqual([['changed', []]]);
  });

  test('of a pay period is what happens while it is closed', () => {
    const before = payPeriod({ closed: '2026-03-09' });
    const steps = between(before, payPeriod({ closed: '2026-03-09', calendar: 'Monthly' }));
    expect(steps.map((step) => findLateness(step, open).late)).toEqual([['close']]);
    expect(between(before, payPeriod()).map((step) => findLateness(step, open).late)).toEqual([['close']]);
    expect(between(payPeriod(), before).map((step) => findLateness(step, closed).late)).toEqual([[]]);
    expect(between(null, before).flatMap((step) => findLateness(step, closed).late)).toEqual([]);
  });

  test('is never what time alone brings or ends, nor what a pay period comes to', () => {
    const approved = { ...stateFrom(timesheet({ approvedHours: STAMP })), clockInMissing: null };
    const missing = { ...approved, clockInMissing: LATER };
    const steps = [...findTransitions(feedDefinition('timesheets'), approved, missing)];
    expect(steps.map((step) => [step.type, findLateness(step, closed).late])).toEqual([
      ['timesheet.clock_in_missing', []],
    ]);
    const period = stateFrom(payPeriod({ closed: '2026-03-09' }));
    const settled: Transition = {
      ...{ type: 'pay_period.settled', kind: 'moment', fact: null, changed: [] },
      ...{ from: period, to: period, collapsed: false },
    };
    expect(findLateness(settled, closed).late).toEqual([]);
  });

  test('names the closed periods where the close is what makes it late', () => {
    const named = (before: SourceRecord, after: SourceRecord, find = closed) =>
      between(timesheet(before), timesheet(after)).map((step) => findLateness(step, find).closedPeriods);
    const weekly = { id: '3_7', calendar: 'Weekly', effect: 'changes' };
    expect(named({}, { hoursToPay: 8 })).toEqual([[{ ...weekly, hours: 0.5 }]]);
    expect(named({}, { overnight: true })).toEqual([[weekly]]);
    expect(named({ approvedHours: STAMP }, { approvedHours: STAMP, hoursToPay: 8 }, open)).toEqual([[]]);
    expect(named({}, { processed: STAMP })).toEqual([[]]);
    expect(named({}, { hoursToPay: 8 }, () => null)).toEqual([[]]);
    const many = Array.from({ length: 30 }, (_, index) => knownPeriod({ id: `${index}_7`, closed: true }));
    expect(named({}, { hoursToPay: 8 }, createPeriodFinder(many))[0]).toHaveLength(20);
  });
});

describe('each closed period is named with what the change makes of it', () => {
  const WEEKLY = { id: '3_7', calendar: 'Weekly' };
  const NEXT = { id: '5_7', calendar: 'Weekly' };
  const MONTHLY = { id: '4_7', calendar: 'Monthly' };
  const week = knownPeriod({ closed: true });
  const next = knownPeriod({ ...NEXT, startDate: '2026-03-09', finishDate: '2026-03-15', closed: true });
  const month = knownPeriod({ ...MONTHLY, startDate: '2026-03-01', finishDate: '2026-03-31', closed: true });
  const named = (before: SourceRecord | null, after: SourceRecord | null, find: PeriodFinder) =>
    between(before && timesheet(before), after && timesheet(after)).map(
      (step) => findLateness(step, find).closedPeriods,
    );

  test('one gains and one loses the hours of a timesheet that moves between them', () => {
    const find = createPeriodFinder([week, next]);
    expect(named({ date: '2026-03-05' }, { date: '2026-03-10', hoursToPay: 9 }, find)).toEqual([
      [
        { ...WEEKLY, effect: 'loses', hours: -7.5 },
        { ...NEXT, effect: 'gains', hours: 9 },
      ],
    ]);
    const isOpen = createPeriodFinder([week, { ...next, closed: false }]);
    expect(named({ date: '2026-03-05' }, { date: '2026-03-10' }, isOpen)).toEqual([
      [{ ...WEEKLY, effect: 'loses', hours: -7.5 }],
    ]);
    expect(named({ date: '2026-03-10' }, { date: '2026-03-05' }, isOpen)).toEqual([
      [{ ...WEEKLY, effect: 'gains', hours: 7.5 }],
    ]);
  });

  test('of a new timesheet it gains the hours, of a removed one it loses them', () => {
    const find = createPeriodFinder([week]);
    expect(named(null, { hoursToPay: 0.1, approvedHours: STAMP }, find)).toEqual([
      [{ ...WEEKLY, effect: 'gains', hours: 0.1 }],
      [{ ...WEEKLY, effect: 'changes' }],
    ]);
    expect(named({ hoursToPay: 0.3 }, null, find)).toEqual([[{ ...WEEKLY, effect: 'loses', hours: -0.3 }]]);
    // 0.3 - 0.1 is 0.19999999999999998.
    expect(named({ hoursToPay: 0.1 }, { hoursToPay: 0.3 }, find)[0]).toMatchObject([{ hours: 0.2 }]);
  });

  test('an employee of another calendar takes his timesheet from one to the other', () => {
    const calendars = { '2001_7': 'Weekly', '2002_7': 'Monthly' };
    const moved = [{ employeeId: '2001_7' }, { employeeId: '2002_7' }] as const;
    expect(named(...moved, createPeriodFinder([week, month], calendars))).toEqual([
      [
        { ...WEEKLY, effect: 'loses', hours: -7.5 },
        { ...MONTHLY, effect: 'gains', hours: 7.5 },
      ],
    ]);
    const isOpen = createPeriodFinder([{ ...week, closed: false }, month], calendars);
    expect(named(...moved, isOpen)).toEqual([[{ ...MONTHLY, effect: 'gains', hours: 7.5 }]]);
  });

  test('nothing is said of what it makes of them while it is not known to which one a timesheet belongs', () => {
    const calendars = { '2001_7': 'Weekly' };
    const find = createPeriodFinder([week, month], calendars);
    expect(named({ employeeId: '2002_7' }, { employeeId: '2002_7', hoursToPay: 9 }, find)).toEqual([
      [WEEKLY, MONTHLY],
    ]);
    expect(named({ employeeId: '2001_7' }, { employeeId: '2002_7' }, find)).toEqual([[WEEKLY, MONTHLY]]);
    // It may have been of the week before.
    const isOpen = createPeriodFinder([week, { ...month, closed: false }], calendars);
    expect(named({ employeeId: '2002_7' }, { employeeId: '2001_7' }, isOpen)).toEqual([[WEEKLY]]);
    expect(named({ employeeId: '2002_7' }, { employeeId: '2002_7', hoursToPay: 9 }, isOpen)).toEqual([[]]);
    // Whichever it was before, on its new date it is in none of these.
    const away = { employeeId: '2001_7', date: '2026-04-20' };
    expect(named({ employeeId: '2001_7' }, { ...away, employeeId: '2002_7' }, find)).toEqual([
      [{ ...WEEKLY, effect: 'loses', hours: -7.5 }],
    ]);
  });
});

describe('what was before the close is not after it', () => {
  const BETWEEN = { after: NOW - 90_000, by: NOW - 30_000 };
  const week = knownPeriod({ closed: true, closedStamp: '2026-03-06', closedBetween: BETWEEN });
  const find = createPeriodFinder([week]);
  const observed = { after: NOW - 300_000, by: NOW };
  const judge = (before: SourceRecord, after: SourceRecord, values: Partial<LatenessContext> = {}) =>
    between(timesheet(before), timesheet(after)).map((step) =>
      findLateness(step, find, { observed, ...values }),
    )[0];
  const iso = (instant: number) => new Date(instant).toISOString();

  test('an approval is as late as its stamp says', () => {
    const approve = (instant: number) =>
      judge({}, { approvedHours: iso(instant) }, { occurredAt: iso(instant) });
    expect(approve(BETWEEN.after - 1_000)).toEqual({ late: [], closedPeriods: [] });
    expect(approve(BETWEEN.by + 1_000)).toEqual({
      late: ['close'],
      closedPeriods: [{ id: '3_7', calendar: 'Weekly', effect: 'changes' }],
    });
    expect(approve(BETWEEN.by - 1_000)).toEqual({
      late: ['close'],
      closedPeriods: [{ id: '3_7', calendar: 'Weekly', effect: 'changes', certain: false }],
    });
  });

  test('a clock time says when somebody clocked, not when it was recorded', () => {
    const out = { clockOut: clocking({ localTime: '2026-03-05T17:00:00' }) };
    const occurredAt = '2026-03-05T04:00:00.000Z';
    expect(judge({}, out, { occurredAt, observed: { after: BETWEEN.by, by: NOW } })).toMatchObject({
      late: ['close'],
    });
    // He clocked before the closing, and nobody can say whether that was recorded before it.
    const beforeClose = { occurredAt: iso(BETWEEN.after - 60_000), observed: { after: null, by: NOW } };
    expect(judge({}, out, beforeClose)?.closedPeriods).toMatchObject([{ certain: false }]);
  });

  test('where two periods may be meant, both must have closed before', () => {
    const month = knownPeriod({
      id: '4_7',
      calendar: 'Monthly',
      closed: true,
      closedBetween: { after: NOW, by: NOW + 1 },
    });
    const both = createPeriodFinder([week, month]);
    const steps = between(timesheet(), timesheet({ hoursToPay: 8 }));
    expect(steps.map((step) => findLateness(step, both, { observed }).late)).toEqual([[]]);
  });
});

/** How late a step is that was seen long after every closing. */
function findLateness(step: Transition, findPeriods: PeriodFinder, values: Partial<LatenessContext> = {}) {
  const observed = { after: NOW - 60_000, by: NOW };
  return findLatenessIn(step, {
    ...{ id: '1_7', observed, occurredAt: null, timeZone: 'UTC', findPeriods },
    ...values,
  });
}
