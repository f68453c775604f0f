import { expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import type { OperationType } from '#shared/core/event-types.ts';
import { say, withData } from './sample-sentences.ts';

/** What else can be told of the watching and the delivering than the samples show. */

test.each<[OperationType, object, string]>([
  [
    'source.unreachable',
    { reason: 'source_forbidden', failedPolls: 1 },
    'The timesheets of connection main have not been readable since 15:05: the workforce service refuses the credential (1 poll failed: source_forbidden); until they are, hours, approvals and closings may be out of date, and what changes is told afterwards; whoever runs the notifier finds the cause with npm run notifier -- doctor.',
  ],
  [
    'source.unreachable',
    { reason: null, failingSince: '2026-11-12T02:05:00.000Z' },
    'The timesheets of connection main have not been readable since Thu 12 Nov 15:05: the workforce service gives no usable answer (5 polls failed); until they are, hours, approvals and closings may be out of date, and what changes is told afterwards; whoever runs the notifier finds the cause with npm run notifier -- doctor.',
  ],
  [
    'record.quarantined',
    { recordId: null, issues: ['id'] },
    'A timesheet without an id of connection main cannot be read and is ignored until it can (invalid: id).',
  ],
  [
    'record.quarantined',
    { feed: 'pay-periods', recordId: '3_7', issues: [] },
    'Pay period 3_7 of connection main cannot be read and is ignored until it can.',
  ],
  [
    'record.quarantined',
    { issues: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
    'Timesheet 910002_4711 of connection main cannot be read and is ignored until it can (invalid: a, b, c, d, e, 2 more).',
  ],
  [
    'baseline.completed',
    { feed: 'pay-periods', from: 'all', to: 'all', records: 26 },
    'The pay periods of connection main are now watched (26); every change to them is reported from now on.',
  ],
  [
    'slice.shrunk',
    { feed: 'pay-periods', slice: 'all' },
    '41 of 55 pay periods on connection main disappeared at once; they are not reported as removed until that is certain.',
  ],
  [
    'slice.unreadable',
    { feed: 'pay-periods', slice: 'all', attempts: 1 },
    'The pay periods on connection main have not been readable since 08:17 (1 attempt failed: source_failed); numbers that include them may be incomplete until they are; they are tried again at 08:24, everything else is read as usual; whoever runs the notifier finds the cause with npm run notifier -- doctor.',
  ],
  [
    'feed.lagging',
    {
      worst: [
        { class: 'hot', dates: [], lateSeconds: 45 },
        { class: 'later', dates: [], lateSeconds: 400_000 },
      ],
    },
    'The timesheets of connection main have been read late since 09:26: the days around today by 45 s, later by 5 days; changes are reported that much later.',
  ],
  [
    'feed.lagging',
    { worst: [] },
    'The timesheets of connection main have been read late since 09:26; changes are reported that much later.',
  ],
  [
    'slice.mass_change',
    { field: 'processed' },
    'All at once, 41 of 55 timesheets of Fri 13 Nov on connection main are no longer processed (seen at 13:17, confirmed at 13:19).',
  ],
  [
    'slice.mass_change',
    { field: 'shift' },
    'All at once, 41 of 55 timesheets of Fri 13 Nov on connection main lost their shift (seen at 13:17, confirmed at 13:19).',
  ],
  [
    'source.form_changed',
    { fields: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((field) => ({ field, kinds: [] })) },
    'The timesheets of connection main have come in a different form since 14:40: 277 of 277 cannot be read (a, b, c, d, e, 2 more); until they can, hours, approvals and closings may be out of date, and what changes is told afterwards; whoever runs the notifier finds the cause with npm run notifier -- doctor.',
  ],
  [
    'source.form_changed',
    { fields: [{ field: 'department', kinds: ['null', 'string'] }] },
    'The timesheets of connection main have come in a different form since 14:40: 277 of 277 cannot be read (department is null or string); until they can, hours, approvals and closings may be out of date, and what changes is told afterwards; whoever runs the notifier finds the cause with npm run notifier -- doctor.',
  ],
  [
    'source.form_changed',
    { fields: [] },
    'The timesheets of connection main have come in a different form since 14:40: 277 of 277 cannot be read; until they can, hours, approvals and closings may be out of date, and what changes is told afterwards; whoever runs the notifier finds the cause with npm run notifier -- doctor.',
  ],
  [
    'publish.failed',
    { reason: 'expired', events: 0, records: [], eventIds: [] },
    'Events about timesheets of connection main, found at 16:11, can no longer be published: the event log no longer holds them; subscribers will not receive them.',
  ],
  [
    'delivery.failed',
    { attempts: 0, reason: 'disabled', eventId: 'e1' },
    'The webhook payroll-system did not accept the event timesheet.approved e1; it was not tried (disabled).',
  ],
  [
    'delivery.failed',
    { attempts: 1, reason: 'timeout', eventId: 'e1' },
    'The webhook payroll-system did not accept the event timesheet.approved e1; given up after 1 attempt (timeout).',
  ],
])('%s with %j', (type, data, line) => {
  expect(say(withData(JSON.parse(buildSampleEvent(type)), data))).toBe(line);
});
