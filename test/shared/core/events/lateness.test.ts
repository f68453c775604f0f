import { describe, expect, test } from 'vitest';
import { findLateness as findLatenessIn, type LatenessContext } from '#shared/core/events/lateness.ts';
import { findTransitions, type Transition } from '#shared/core/events/transitions.ts';
import type { PeriodFinder } from '#shared/core/periods/members.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import type { KnownPeriod } from '#shared/core/records/pay-period.ts';
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

const WEEK = knownPeriod({ id: 'W' });
const NEXT = knownPeriod({ id: 'N', startDate: '2026-03-09', finishDate: '2026-03-15' });
const MONTH = knownPeriod({
  ...{ id: 'M', calendar: 'Monthly', startDate: '2026-03-01', finishDate: '2026-03-31' },
});
const [CLOSED_WEEK, CLOSED_NEXT, CLOSED_MONTH] = [WEEK, NEXT, MONTH].map((each) => ({
  ...each,
  closed: true,
}));

/** These are all periods that there are. */
function among(...periods: readonly (KnownPeriod | undefined)[]): PeriodFinder {
  return createPeriodFinder(periods.filter((each) => each !== undefined));
}
const OPEN = among(WEEK);
const CLOSED = among(CLOSED_WEEK);

/** Each step between two timesheets, with after what it is late: `changed approval close`. */
function late(before: SourceRecord | null, after: SourceRecord | null, find: PeriodFinder): string {
  const steps = between(before && timesheet(before), after && timesheet(after));
  const words = steps.map((step) => [step.type.split('.')[1], ...findLateness(step, find).late]);
  return words.map((each) => each.join(' ')).join(', ');
}

const APPROVED = { approvedHours: STAMP };
const PROCESSED = { ...APPROVED, processed: LATER };
const FACTS = { clockIn: clocking(), clockOut: OUT, ...APPROVED, approvedPayroll: 'PAY-1' };
const AGAIN = { approvedHours: LATER, approvedPayroll: 'PAY-2', processed: LATER };
const ALL = { ...APPROVED, approvedPayroll: 'PAY-1', processed: STAMP };
const CLOCKED = { ...APPROVED, clockIn: clocking() };
const MOVED = { clockIn: clocking({ variance: 9 }) };
const HOURS = { hoursToPay: 8 };

/** `false`: a closed period makes none of its steps late. */
test.each<[string, SourceRecord | null, SourceRecord | null, string, byClose?: false]>([
  ['a change', {}, HOURS, 'changed'],
  ['after approval', APPROVED, { ...APPROVED, ...HOURS }, 'changed approval'],
  ['after processing', PROCESSED, { ...PROCESSED, ...HOURS }, 'changed approval processing'],
  ['a corrected clock time', CLOCKED, { ...CLOCKED, ...MOVED }, 'clock_in_corrected approval'],
  ['one that is removed', CLOCKED, APPROVED, 'clock_in_removed approval'],
  [
    'a reversal, by what stood before it, step by step',
    PROCESSED,
    HOURS,
    'processing_reverted approval processing, approval_revoked approval, changed',
  ],
  ['what is new', null, FACTS, 'created, clocked_in, clocked_out, approved, payroll_approved'],
  [
    'a fact after processing',
    { processed: STAMP },
    { processed: STAMP, ...FACTS },
    'clocked_in, clocked_out, approved, payroll_approved',
  ],
  ['processing', {}, { processed: STAMP }, 'processed', false],
  ['an approval over another', ALL, AGAIN, 'approved, payroll_approved, processed', false],
  ['a move into the period', { date: '2026-03-09' }, { date: '2026-03-05' }, 'changed'],
  ['a move out of it', { date: '2026-03-05' }, { date: '2026-03-09' }, 'changed'],
  ['a move beside it', { date: '2026-03-09' }, { date: '2026-03-10' }, 'changed', false],
])('what comes late, and also by the close of its period: %s', (...row) => {
  const [, before, after, expected, byClose = true] = row;
  expect(late(before, after, OPEN)).toBe(expected);
  expect(late(before, after, CLOSED)).toBe(byClose ? expected.replaceAll(/(?=,|$)/g, ' close') : expected);
});

test('of a pay period is late what happens while it is closed', () => {
  const before = payPeriod({ closed: '2026-03-09' });
  const steps = between(before, payPeriod({ closed: '2026-03-09', calendar: 'Monthly' }));
  expect(steps.map((step) => findLateness(step, OPEN).late)).toEqual([['close']]);
  expect(between(before, payPeriod()).map((step) => findLateness(step, OPEN).late)).toEqual([['close']]);
  expect(between(payPeriod(), before).map((step) => findLateness(step, CLOSED).late)).toEqual([[]]);
  expect(between(null, before).flatMap((step) => findLateness(step, CLOSED).late)).toEqual([]);
});

test('never late is what time alone brings or ends, nor what a pay period comes to', () => {
  const approved = { ...stateFrom(timesheet(APPROVED)), clockInMissing: null };
  const missing = { ...approved, clockInMissing: LATER };
  const steps = [...findTransitions(feedDefinition('timesheets'), approved, missing)];
  expect(steps.map((step) => [step.type, findLateness(step, CLOSED).late])).toEqual([
    ['timesheet.clock_in_missing', []],
  ]);
  const period = stateFrom(payPeriod({ closed: '2026-03-09' }));
  const settled: Transition = {
    ...{ type: 'pay_period.settled', kind: 'moment', fact: null, changed: [] },
    ...{ from: period, to: period, collapsed: false },
  };
  expect(findLateness(settled, CLOSED).late).toEqual([]);
});

describe('each closed period is named with what the change makes of it', () => {
  /** Periods of two calendars, and whose employees these are. */
  const owned = (periods: readonly (KnownPeriod | undefined)[], calendars: Record<string, string>) =>
    createPeriodFinder(
      periods.filter((each) => each !== undefined),
      calendars,
    );
  const both = owned([CLOSED_WEEK, CLOSED_MONTH], { '2001_7': 'Weekly', '2002_7': 'Monthly' });
  const openWeek = owned([WEEK, CLOSED_MONTH], { '2001_7': 'Weekly', '2002_7': 'Monthly' });
  const half = owned([CLOSED_WEEK, CLOSED_MONTH], { '2001_7': 'Weekly' });
  const halfOpen = owned([CLOSED_WEEK, MONTH], { '2001_7': 'Weekly' });
  const [ANA, BEN] = [{ employeeId: '2001_7' }, { employeeId: '2002_7' }];
  const [HERE, THERE] = [{ date: '2026-03-05' }, { date: '2026-03-10' }];

  test.each<[string, PeriodFinder, SourceRecord | null, SourceRecord | null, string]>([
    ['hours that change', CLOSED, {}, HOURS, 'W changes 0.5'],
    ['to the fourth digit', CLOSED, { hoursToPay: 0.1 }, { hoursToPay: 0.3 }, 'W changes 0.2'],
    ['something else', CLOSED, {}, { overnight: true }, 'W changes'],
    ['none where the close is not what makes it late', OPEN, APPROVED, { ...APPROVED, ...HOURS }, ''],
    ['nor by what is never late', CLOSED, {}, { processed: STAMP }, ''],
    ['nor where no period is known', () => null, {}, HOURS, ''],
    ['a new timesheet', CLOSED, null, { hoursToPay: 0.1, ...APPROVED }, 'W gains 0.1 | W changes'],
    ['one that is removed', CLOSED, { hoursToPay: 0.3 }, null, 'W loses -0.3'],
    [
      'a move between two',
      among(CLOSED_WEEK, CLOSED_NEXT),
      HERE,
      { ...THERE, hoursToPay: 9 },
      'W loses -7.5, N gains 9',
    ],
    ['a move to an open one', among(CLOSED_WEEK, NEXT), HERE, THERE, 'W loses -7.5'],
    ['a move from an open one', among(CLOSED_WEEK, NEXT), THERE, HERE, 'W gains 7.5'],
    ['an employee of another calendar', both, ANA, BEN, 'W loses -7.5, M gains 7.5'],
    ['where one of these is open', openWeek, ANA, BEN, 'M gains 7.5'],
    ['nothing of it, while it is not known of which it is', half, BEN, { ...BEN, ...HOURS }, 'W, M'],
    ['nor of which it is now', half, ANA, BEN, 'W, M'],
    ['nor of which it was', halfOpen, BEN, ANA, 'W'],
    ['none at all, where it may be of an open one', halfOpen, BEN, { ...BEN, ...HOURS }, ''],
    ['but on a new date it is in none of these', half, ANA, { ...BEN, date: '2026-04-20' }, 'W loses -7.5'],
  ])('%s', (...row) => {
    const [, find, before, after, expected] = row;
    const steps = between(before && timesheet(before), after && timesheet(after));
    const named = steps.map((step) =>
      findLateness(step, find)
        .closedPeriods.map(({ id, effect, hours }) => [id, effect, hours].filter((each) => each != null))
        .map((words) => words.join(' '))
        .join(', '),
    );
    expect(named.join(' | ')).toBe(expected);
  });

  test('twenty at most', () => {
    const many = Array.from({ length: 30 }, (_, index) => knownPeriod({ id: `${index}_7`, closed: true }));
    const [step] = between(timesheet(), timesheet(HOURS)) as [Transition];
    expect(findLateness(step, among(...many)).closedPeriods).toHaveLength(20);
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
