import { describe, expect, test } from 'vitest';
import { exampleEvent } from '#kit/testing/example-event.ts';
import type { RecordEventType } from '#shared/core/event-types.ts';
import { toEventType } from '#shared/core/event-types.ts';
import type { Alert } from '#shared/people/alert.ts';
import { composeMessages } from '#shared/people/digest/digest.ts';
import { matchChannels } from '#shared/people/match-channels.ts';
import { alertOf, describableExample, EXAMPLE_NAMES } from '#test/support/example-alert.ts';

const NAMES = {
  ...EXAMPLE_NAMES,
  departments: new Map([...EXAMPLE_NAMES.departments, ['204_1', 'Bar'] as const]),
};

describe('people are told', () => {
  test('who has not clocked in, since when it was planned', () => {
    expect(messageOf(sample('timesheet.clock_in_missing'))).toEqual([
      'Timesheet of Ana Lee (Kitchen) on Fri 13 Nov: no clock-in, planned 09:00 (15 minutes ago).',
      'Ana Lee has not clocked in; the shift began at 09:00',
    ]);
  });

  test('nothing of who came before the message was sent', () => {
    const missing = sample('timesheet.clock_in_missing');
    const { subject, epoch, at } = missing;
    const next = { subject, epoch, at: at + 60_000, sequence: (missing.sequence ?? 0) + 1 };
    const alerts = [missing, { ...sample('timesheet.clocked_in', { endsClocking: true }), ...next }];
    expect(composeMessages(alerts)).toMatchObject([{ message: null, alertIds: alerts.map(({ id }) => id) }]);
    const asked = [missing, { ...sample('timesheet.clocked_in'), ...next }];
    expect(composeMessages(asked)[0]?.message).not.toBeNull();
  });

  test('of twenty at once in one message, by department', () => {
    const [composed, ...others] = composeMessages(
      Array.from({ length: 20 }, (_, at) =>
        sample('timesheet.clock_in_missing', { id: at, data: at < 14 ? {} : { departmentId: '204_1' } }),
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

describe('who is told of missing clockings alone hears', () => {
  const MISSING = { clockInMissing: '2026-11-12T20:15:00.000Z' };
  const previous = { ...exampleEvent('workforce.timesheet.removed').data.previous, ...MISSING };

  test.each([
    ['that it came', 'timesheet.clocked_in', { previous: MISSING }],
    ['that its timesheet was removed', 'timesheet.removed', { previous }],
    ['that leave was granted', 'timesheet.changed', changed({ includesLeave: false, ...MISSING })],
    ['that the hours were approved', 'timesheet.approved', { previous: MISSING }],
  ] as const)('%s', (...[, type, data]) => {
    expect(channelsOf(type, data)).toEqual(['kitchen']);
  });

  test.each([
    ['of the removal of another timesheet', 'timesheet.removed', {}],
    ['of another clock-in', 'timesheet.clocked_in', {}],
    ['of hours that changed meanwhile', 'timesheet.changed', changed({ hoursToPay: 7 })],
  ] as const)('nothing %s', (_, type, data) => {
    expect(channelsOf(type, data)).toEqual([]);
  });

  function changed(before: object): object {
    return { previous: before, changed: Object.keys(before), late: [] };
  }

  function channelsOf(type: RecordEventType, data: object): string[] {
    const event = exampleEvent(toEventType(type));
    const time = '2026-11-12T22:35:00.000Z';
    const told = { ...event, time, data: { ...event.data, ...data } };
    const channels = [{ name: 'kitchen', tells: ['missing-clockings' as const] }];
    return matchChannels(told, { channels, timeZone: 'Pacific/Auckland' }).map(({ channel }) => channel);
  }
});

test('a wait of hours is said in hours', () => {
  const { line } = sample('timesheet.clock_in_missing', {
    data: { observed: { after: null, by: '2026-11-12T22:34:59.000Z' } },
  });
  expect(line).toContain('planned 09:00 (2.5 h ago)');
});

function messageOf(alert: Alert): unknown[] {
  const { title, heading } = composeMessages([alert])[0]?.message ?? {};
  return [title, heading];
}

interface Other {
  readonly id?: number;
  readonly data?: object;
  readonly endsClocking?: true;
}

function sample(type: RecordEventType, { id, data = {}, ...end }: Other = {}): Alert {
  const other = id === undefined ? {} : { id: `event-${id}`, subject: `${id}_1` };
  const match = { channel: 'kitchen', urgent: false, ...end };
  return alertOf(describableExample(type, { ...other, data }), { match, names: NAMES });
}
