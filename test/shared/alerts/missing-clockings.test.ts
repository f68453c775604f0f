import { describe, expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import type { Alert } from '#shared/alerts/alert.ts';
import { buildAlert } from '#shared/alerts/build-alert.ts';
import { composeMessages } from '#shared/alerts/digest/digest.ts';
import type { PartOfDay } from '#shared/alerts/quiet-hours.ts';
import { matchRules, readFacts } from '#shared/alerts/rules.ts';
import { alertRuleSchema } from '#shared/config/schema/alert-rule.ts';
import { describableEventSchema } from '#shared/core/definitions/sentences.ts';
import type { RecordEventType } from '#shared/core/event-types.ts';
import { NO_NAMES } from '#shared/names/names.ts';

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
      'Ana Lee (Kitchen) has not clocked in; the shift began at 09:00',
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

describe('who was told of a missing clock-in, by a rule for nothing else, hears', () => {
  const MISSING = { clockInMissing: '2026-11-12T20:15:00.000Z' };
  const previous = { ...JSON.parse(buildSampleEvent('timesheet.removed')).data.previous, ...MISSING };

  test.each([
    ['that it came', 'timesheet.clock_in_missing_cleared', {}, 'clocked in at 09:22 after all'],
    ['that its timesheet was removed', 'timesheet.removed', { previous }, '; no clock-in expected any more.'],
    [
      'that the timesheet is now of another employee',
      'timesheet.changed',
      moved('employeeId', '2002_4711'),
      'employee 2002_4711 -> Ana Lee, still no clock-in.',
    ],
    [
      'that it is now of another date',
      'timesheet.changed',
      moved('date', '2026-11-12'),
      'date Thu 12 Nov -> Fri 13 Nov, still no clock-in.',
    ],
  ] as const)('%s', (...[, type, data, words]) => {
    expect(channelsOf(type, data)).toEqual(['kitchen']);
    expect(sample(type, { data }).line).toContain(words);
  });

  test.each([
    ['of the removal of another timesheet', 'timesheet.removed', {}],
    ['of hours that changed meanwhile', 'timesheet.changed', moved('hoursToPay', 7)],
    ['of another date after it came', 'timesheet.changed', moved('date', '2026-11-12', {})],
  ] as const)('nothing %s', (_, type, data) => {
    expect(channelsOf(type, data)).toEqual([]);
  });

  test('the end of what was told at a time of day, at any time', () => {
    // Missing since 09:15, removed at 11:35.
    expect(channelsOf('timesheet.removed', { previous }, { from: '09:00', to: '10:00' })).toEqual([
      'kitchen',
    ]);
    expect(channelsOf('timesheet.removed', { previous }, { from: '11:00', to: '12:00' })).toEqual([]);
  });

  function moved(field: string, before: unknown, missing: object = MISSING): object {
    const { data } = JSON.parse(buildSampleEvent('timesheet.clock_in_missing'));
    const { clockInMissing: _, ...state } = data.current;
    return {
      current: { ...state, date: '2026-11-13', ...missing },
      previous: { [field]: before },
      changed: [field],
      late: [],
    };
  }

  function channelsOf(type: RecordEventType, data: object, timeOfDay?: PartOfDay): string[] {
    const event = JSON.parse(buildSampleEvent(type));
    const time = '2026-11-12T22:35:00.000Z';
    const facts = readFacts({ ...event, time, data: { ...event.data, ...data } }, 'Pacific/Auckland');
    const rule = { types: ['workforce.timesheet.clock_in_missing' as const], when: { timeOfDay } };
    return matchRules(facts, [{ ...rule, urgent: true, words: '{sentence}' }], ['kitchen']).map(
      ({ channel, urgent }) => `${channel}${urgent ? ', urgent' : ''}`,
    );
  }
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
  const { title, heading } = composeMessages([alert])[0]?.message ?? {};
  return [title, heading];
}

function sample(type: RecordEventType, { id, data = {} }: { id?: number; data?: object } = {}): Alert {
  const event = JSON.parse(buildSampleEvent(type));
  const other = id === undefined ? {} : { id: `event-${id}`, subject: `${id}_4711` };
  const described = describableEventSchema.parse({ ...event, ...other, data: { ...event.data, ...data } });
  const match = { channel: 'kitchen', urgent: false, words: '{sentence}' };
  return buildAlert(described, { match, names: NAMES, timeZone: 'Pacific/Auckland', namesConnection: false });
}
