import { describe, expect, test } from 'vitest';
import { type ClosedPeriodFinder, findLateness } from '#shared/core/events/lateness.ts';
import { findClosedPeriods } from '#shared/core/plan/pay-period-dates.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import { clocking, hint, payPeriod, timesheet } from '#test/support/builders.ts';
import { LATER, STAMP } from './sample-events.ts';
import { between } from './steps.ts';

const OUT = clocking({ id: '7002_7', localTime: '2026-03-05T17:00:00' });

describe('what comes late', () => {
  const open = finderOf([hint()]);
  const closed = finderOf([hint({ closed: true })]);
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

  test('is judged by the date the timesheet had before', () => {
    expect(late({ date: '2026-03-09' }, { date: '2026-03-05' }, closed)).toEqual([['changed', []]]);
    expect(late({ date: '2026-03-05' }, { date: '2026-03-09' }, closed)).toEqual([['changed', ['close']]]);
  });

  test('of a pay period is what happens while it is closed', () => {
    const before = payPeriod({ closed: '2026-03-09' });
    const steps = between(before, payPeriod({ closed: '2026-03-09', calendar: 'Monthly' }));
    expect(steps.map((step) => findLateness(step, open).late)).toEqual([['close']]);
    expect(between(before, payPeriod()).map((step) => findLateness(step, open).late)).toEqual([['close']]);
    expect(between(payPeriod(), before).map((step) => findLateness(step, closed).late)).toEqual([[]]);
    expect(between(null, before).flatMap((step) => findLateness(step, closed).late)).toEqual([]);
  });

  test('names the closed periods where the close is what makes it late', () => {
    const named = (before: SourceRecord, after: SourceRecord, find = closed) =>
      between(timesheet(before), timesheet(after)).map((step) => findLateness(step, find).closedPeriods);
    const weekly = { id: '3_7', calendar: 'Weekly' };
    expect(named({}, { hoursToPay: 8 })).toEqual([[weekly]]);
    expect(named({ approvedHours: STAMP }, { approvedHours: STAMP, hoursToPay: 8 }, open)).toEqual([[]]);
    expect(named({}, { processed: STAMP })).toEqual([[]]);
    const many = finderOf(Array.from({ length: 30 }, (_, index) => hint({ id: `${index}_7`, closed: true })));
    expect(named({}, { hoursToPay: 8 }, many)[0]).toHaveLength(20);
  });
});

function finderOf(periods: readonly PayPeriodHint[]): ClosedPeriodFinder {
  return (date) => findClosedPeriods(periods, date);
}
