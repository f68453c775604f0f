import { describe, expect, test } from 'vitest';
import { PRESETS } from '#shared/core/definitions/event-definition.ts';
import type { PublishedType, ShortEventType } from '#shared/core/event-types.ts';
import { type ChannelInterest, matchChannels } from '#shared/people/channels.ts';
import { buildEvents, STAMP } from '#test/shared/core/events/history.ts';
import { createChange, timesheet } from '#test/support/builders.ts';

const TIME = '2026-03-05T01:31:00Z';
const EVERYTHING = { tells: PRESETS, for: 'operations' } as const;

describe('a channel is told of', () => {
  test.each<[ShortEventType, object, Omit<ChannelInterest, 'name'>, boolean]>([
    ['pay_period.closed', {}, {}, true],
    ['pay_period.closed', {}, { tells: ['approvals', 'troubles'] }, false],
    ['pay_period.due', { reminder: { before: '1h' } }, {}, true],
    ['pay_period.due', { reminder: null }, {}, false],
    ['pay_period.created', {}, EVERYTHING, false],
    ['timesheet.changed', { late: ['close'] }, {}, true],
    ['timesheet.changed', { late: ['approval', 'processing'] }, {}, true],
    ['timesheet.changed', { late: ['approval'] }, EVERYTHING, false],
    ['timesheet.changed', { late: [] }, EVERYTHING, false],
    ['timesheet.processed', { settles: [{ late: ['processing'] }] }, {}, true],
    ['timesheet.processed', { settles: [] }, {}, false],
    ['timesheet.clock_in_missing', {}, {}, false],
    ['timesheet.clock_in_missing', {}, { tells: ['missing-clockings'] }, true],
    ['trouble.began', { kind: 'source_unreachable' }, {}, true],
    ['trouble.began', { kind: 'source_unreachable' }, { for: 'operations' }, true],
    ['trouble.began', { kind: 'source_unreachable' }, { tells: ['closings'] }, false],
    ['trouble.began', { kind: 'webhook_disabled' }, {}, false],
    ['trouble.began', { kind: 'webhook_disabled' }, { for: 'operations' }, true],
    ['pay_period.closed', {}, { for: 'operations' }, false],
  ])('%s with %j by %j: %s', (type, data, channel, isTold) => {
    expect(match(type, data, channel).length > 0).toBe(isTold);
  });

  test('the news of its departments and calendars, and what has none', () => {
    const interest = { departments: ['1'], calendars: ['Weekly'], tells: PRESETS } as const;
    const late = { late: ['close'] };
    const isTold = (type: ShortEventType, data: object) =>
      match(type, { ...late, ...data }, interest).length > 0;
    expect(isTold('timesheet.changed', { current: { departmentId: '1' } })).toBe(true);
    expect(isTold('timesheet.changed', { current: { departmentId: '2' } })).toBe(false);
    expect(isTold('pay_period.closed', { current: { calendar: 'Weekly' } })).toBe(true);
    expect(isTold('pay_period.closed', { current: { calendar: 'Monthly' } })).toBe(false);
    expect(isTold('trouble.began', { kind: 'source_unreachable' })).toBe(true);
  });

  test('a timesheet that leaves its department, and of what is taken back by that', () => {
    const before = timesheet({ department: { id: '1', name: 'Bar' }, approvedHours: STAMP });
    const events = [
      ...buildEvents(createChange(before, timesheet({ department: { id: '2', name: 'Kitchen' } }))),
      ...buildEvents(createChange(before, null)),
    ];
    expect(events.length).toBe(3);
    for (const { type, data } of events) {
      const found = matchChannels(
        { type: type as PublishedType, time: TIME, data: { ...data, late: ['close'] } },
        { channels: [{ name: 'bar', departments: ['1'] }], timeZone: 'UTC' },
      );
      expect(found).toEqual([{ channel: 'bar', urgent: false, delay: 'minute' }]);
    }
  });

  test('a period that is reopened at once, and of nothing else', () => {
    expect(match('pay_period.reopened')).toEqual([{ channel: 'payroll', urgent: true, delay: 'now' }]);
    expect(match('pay_period.closed')).toEqual([{ channel: 'payroll', urgent: false, delay: 'now' }]);
  });

  test('how a missing clocking ended, if it is told of these', () => {
    const ended = { current: {}, previous: { clockInMissing: TIME } };
    const end = { channel: 'payroll', urgent: false, delay: 'minute', endsClocking: true };
    expect(match('timesheet.approved', ended)).toEqual([]);
    expect(match('timesheet.approved', ended, { tells: ['missing-clockings'] })).toEqual([end]);
  });

  test('a settlement, unless it says what the closing said', () => {
    const settled = (changes: object) =>
      match('pay_period.settled', { account: { verdict: 'pay', changes } });
    expect(settled({ verdict: 'pay', complete: true, timesheets: 0 })).toEqual([]);
    expect(settled({ verdict: 'pay', complete: true, timesheets: 1 })).toHaveLength(1);
    expect(settled({ verdict: 'not_yet', complete: true, timesheets: 0 })).toHaveLength(1);
  });

  test('a reminder in quiet hours, if they last until its deadline has almost passed', () => {
    const quietHours = { from: '00:00', to: '09:00', weekends: false };
    const due = (closesAt: string) =>
      match('pay_period.due', { reminder: { before: '1h' }, account: { closesAt } }, { quietHours })[0]
        ?.urgent;
    expect(due('2026-03-05T08:00:00.000Z')).toBe(true);
    expect(due('2026-03-05T12:00:00.000Z')).toBe(false);
  });

  test('data that makes no sense, as if there were none', () => {
    const data = { current: 'x', previous: [], late: 7, settles: [1], reminder: 'soon' };
    expect(match('timesheet.changed', data)).toEqual([]);
    expect(match('pay_period.closed', { current: { calendar: 5 } }, { calendars: ['Weekly'] })).toHaveLength(
      1,
    );
  });
});

function match(type: ShortEventType, data: object = {}, channel: Omit<ChannelInterest, 'name'> = {}) {
  return matchChannels(
    { type: `workforce.${type}` as PublishedType, time: TIME, data },
    { channels: [{ name: 'payroll', ...channel }], timeZone: 'UTC' },
  );
}
