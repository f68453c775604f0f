import { describe, expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import { alertRuleSchema } from '#shared/config/schema/alert-rule.ts';
import type { Alert } from '#shared/core/alerts/alert.ts';
import { buildAlert } from '#shared/core/alerts/build-alert.ts';
import { composeMessages } from '#shared/core/alerts/digest.ts';
import type { RecordEventType } from '#shared/core/event-types.ts';
import { describableEventSchema } from '#shared/core/messages/sentences.ts';
import { NO_NAMES } from '#shared/core/names/names.ts';

const NAMES = {
  ...NO_NAMES,
  employees: new Map([['2001_4711', 'Ana Lee']]),
  departments: new Map([
    ['501_4711', 'Kitchen'],
    ['502_4711', 'Bar'],
  ]),
};

describe('people are told', () => {
  test('who has not clocked in, since when it was planned, and that it has come', () => {
    expect(messageOf(sample('timesheet.clock_in_missing'))).toEqual([
      'Timesheet of Ana Lee (Kitchen) on Fri 13 Nov: no clock-in, planned 09:00 (15 minutes ago).',
      'Ana Lee, Kitchen, Fri 13 Nov: no clock-in, planned 09:00 (15 minutes ago)',
    ]);
    expect(messageOf(sample('timesheet.clock_in_missing_cleared'))).toEqual([
      'Timesheet of Ana Lee (Kitchen) on Fri 13 Nov: clocked in at 09:22 after all, planned 09:00.',
      'Ana Lee, Kitchen, Fri 13 Nov: clocked in at 09:22 after all, planned 09:00',
    ]);
  });

  test('nothing of who came before the message was sent', () => {
    const alerts = [sample('timesheet.clock_in_missing'), sample('timesheet.clock_in_missing_cleared')];
    expect(composeMessages(alerts)).toMatchObject([{ message: null, alertIds: alerts.map(({ id }) => id) }]);
  });

  test('of twenty at once in one message, by department', () => {
    const [composed, ...others] = composeMessages(
      Array.from({ length: 20 }, (_, at) =>
        sample('timesheet.clock_in_missing', { id: at, data: at < 14 ? {} : { departmentId: '502_4711' } }),
      ),
    );
    expect(others).toEqual([]);
    expect(composed?.message).toMatchObject({
      title: '20 clock-ins missing in 2 departments',
      lines: ['Kitchen: 14 clock-ins missing.', 'Bar: 6 clock-ins missing.'],
      more: 0,
    });
  });
});

describe('a clocking is no longer missing', () => {
  test.each([
    [{ includesLeave: true }, 'no clock-in expected any more: on leave.'],
    [{ approvedHours: '2026-11-12T20:20:00.000Z' }, 'no clock-in expected any more: approved as it is.'],
    [{ approvedPayroll: 'PAYROLL-1' }, 'no clock-in expected any more: approved for payroll as it is.'],
    [{ processed: '2026-11-12T20:20:00.000Z' }, 'no clock-in expected any more: processed as it is.'],
    [{ startTime: '2026-11-12T21:30:00.000Z' }, 'no clock-in expected any more: planned 10:30 now.'],
  ])('by %j', (values, words) => {
    const { line } = sample('timesheet.clock_in_missing_cleared', {
      data: current({ clockIn: null, ...values }),
    });
    expect(line.endsWith(words)).toBe(true);
  });

  test.each([
    [{ clockIn: null, clockOut: null }, 'no clock-out expected any more: the clock-in was removed.'],
    [{ clockOut: null, finishTime: '2026-11-13T19:00:00.000Z' }, 'planned Sat 14 Nov 08:00 now.'],
    [{ clockOut: { localTime: null } }, 'clocked out after all, planned 17:00.'],
  ])('by %j', (values, words) => {
    const { line } = sample('timesheet.clock_out_missing_cleared', { data: current(values) });
    expect(line.endsWith(words)).toBe(true);
  });
});

test('a wait of hours is said in hours', () => {
  const { line } = sample('timesheet.clock_in_missing', {
    data: { observed: { after: null, by: '2026-11-12T22:34:59.000Z' } },
  });
  expect(line).toContain('planned 09:00 (2.5 h ago)');
});

test('a rule for late changes cannot ask for what is missing, which is never late', () => {
  const rule = { types: ['workforce.timesheet.clock_in_missing'], when: { late: true } };
  expect(alertRuleSchema.safeParse(rule).error?.issues[0]?.message).toContain('is never late');
});

function current(values: object): object {
  const { data } = JSON.parse(buildSampleEvent('timesheet.clock_in_missing_cleared'));
  return { current: { ...data.current, ...values } };
}

function messageOf(alert: Alert): unknown[] {
  const { title, headline } = composeMessages([alert])[0]?.message ?? {};
  return [title, headline];
}

function sample(type: RecordEventType, { id, data = {} }: { id?: number; data?: object } = {}): Alert {
  const event = JSON.parse(buildSampleEvent(type));
  const other = id === undefined ? {} : { id: `event-${id}`, subject: `${id}_4711` };
  const described = describableEventSchema.parse({ ...event, ...other, data: { ...event.data, ...data } });
  const match = { channel: 'kitchen', urgent: false, words: '{sentence}' };
  return buildAlert(described, { match, names: NAMES, timeZone: 'Pacific/Auckland', namesConnection: false });
}
