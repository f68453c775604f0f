import { describe, expect, test } from 'vitest';
import { SHORT_EVENT_TYPES, toEventType, toShortType } from '#shared/core/event-types.ts';
import {
  computeSeconds,
  findFreshnessClass,
  findPercentile,
  measureEvent,
} from '#shared/freshness/freshness.ts';
import { eventText } from './event-text.ts';

const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);
const LOOKS = { after: '2026-11-20T09:00:00.000Z', by: '2026-11-20T09:01:00.000Z' };

function startOf(data: Parameters<typeof eventText>[1]) {
  const measured = measureEvent(eventText('timesheet.clocked_in', data), {});
  return typeof measured === 'string' ? measured : measured.startedAt;
}

describe('the freshness of an event begins', () => {
  test('when the source says that it happened', () => {
    expect(startOf({ observed: LOOKS, occurredAt: '2026-11-20T09:00:40.000Z' })).toBe(at('09:00:40'));
  });

  test('with the last look at the old state, where the source says an earlier time, or none', () => {
    expect(startOf({ observed: LOOKS, occurredAt: '2026-11-20T01:00:00.000Z' })).toBe(at('09:00:00'));
    expect(startOf({ observed: LOOKS, occurredAt: null })).toBe(at('09:00:00'));
  });

  test('with that look, where the source says a date alone, or a time after it was seen', () => {
    expect(startOf({ observed: LOOKS, occurredAt: '2026-11-20' })).toBe(at('09:00:00'));
    expect(startOf({ observed: LOOKS, occurredAt: '2026-11-20T09:01:01.000Z' })).toBe(at('09:00:00'));
  });
});

describe('no freshness has', () => {
  test('what was there at the first look', () => {
    expect(startOf({ observed: { ...LOOKS, after: null } })).toBe('first_sight');
  });

  test('what was last seen before the table was restored; later events have one', () => {
    const text = eventText('timesheet.approved', { observed: LOOKS });
    expect(measureEvent(text, { restoredAt: at('09:00:30') })).toBe('restore');
    expect(measureEvent(text, { restoredAt: at('09:00:00') })).toMatchObject({ class: 'approvals' });
    expect(measureEvent(text, { restoredAt: at('09:01:01') })).toMatchObject({ class: 'approvals' });
  });

  test.each(['pay_period.statement', 'timesheet.snapshot', 'feed.lagging'] as const)('%s', (type) => {
    expect(measureEvent(eventText(type, { observed: LOOKS }), {})).toBe('untimed');
  });

  test('what is no event', () => {
    expect(measureEvent('{"type":"workforce.timesheet.approved"}', {})).toBe('untimed');
    expect(measureEvent('no JSON', {})).toBe('untimed');
  });
});

test('every type about a change that is paid by has a class', () => {
  const classes = Map.groupBy(SHORT_EVENT_TYPES, (type) => findFreshnessClass(toEventType(type)));
  expect(
    classes
      .get(null)
      ?.filter(
        (type) =>
          !/^(?:source|record|slice|poll|feed|publish|delivery|webhook|baseline|employee|department)\./.test(
            type,
          ),
      ),
  ).toEqual([
    'timesheet.snapshot',
    ...['pay_period.readiness', 'pay_period.statement', 'pay_period.snapshot'],
  ]);
  expect(classes.get('approvals')).toEqual([
    'timesheet.approved',
    'timesheet.approval_revoked',
    'timesheet.payroll_approved',
    'timesheet.payroll_approval_revoked',
  ]);
  expect(classes.get('clockings')).toHaveLength(10);
  expect(toShortType('workforce.timesheet.removed')).toBe('timesheet.removed');
  expect(findFreshnessClass('workforce.timesheet.removed')).toBe('changes');
});

test('the dates of an event are the one it has, and the one that it left', () => {
  const moved = { observed: LOOKS, current: { date: '2026-11-20' }, previous: { date: '2026-11-19' } };
  expect(measureEvent(eventText('timesheet.changed', moved), {})).toMatchObject({
    slices: ['2026-11-20', '2026-11-19'],
  });
  expect(measureEvent(eventText('pay_period.closed', { observed: LOOKS }), {})).toMatchObject({
    slices: ['all'],
  });
});

test('seconds are none where the clock of the receiver is behind', () => {
  expect(computeSeconds({ startedAt: at('09:00:00') }, at('09:00:01'))).toBe(1);
  expect(computeSeconds({ startedAt: at('09:00:00') }, at('08:59:59'))).toBe(0);
});

test('a percentile is the value that so many do not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(findPercentile(hundred, 0.5)).toBe(50);
  expect(findPercentile(hundred, 0.99)).toBe(99);
  expect(findPercentile(hundred, 1)).toBe(100);
  expect(findPercentile([7], 0.01)).toBe(7);
  expect(findPercentile([], 0.5)).toBeNull();
});
