import { describe, expect, test } from 'vitest';
import { exampleEvent, exampleEvents } from '#kit/testing/example-event.ts';
import {
  SHORT_EVENT_TYPES,
  type ShortEventType,
  toEventType,
  toShortType,
} from '#shared/core/event-types.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { describableEventSchema, readableEventSchema, toSentence } from '#shared/people/words/sentences.ts';

/** Every type of the catalogue as people read it: what is told without names, and what is different with them. */

const NAMES: Names = {
  ...NO_NAMES,
  employees: new Map([['2001_4711', 'Ana Lee']]),
  departments: new Map([['501_4711', 'Kitchen']]),
};

const WITHOUT_NAMES: Readonly<Record<ShortEventType, string>> = {
  'timesheet.created':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov was added: 09:00 - 17:00, 7.5 h to pay.',
  'timesheet.changed':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov: finish 17:00 -> 17:30, hours 7.5 h -> 8 h, after approval.',
  'timesheet.approved':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov was approved on Fri 13 Nov at 10:15 with 7.5 h to pay.',
  'timesheet.approval_revoked':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov is no longer approved: the approval of Fri 13 Nov 10:15 was revoked on Tue 17 Nov between 10:10 and 10:11.',
  'timesheet.payroll_approved':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov was approved for payroll on Mon 16 Nov between 10:03 and 10:04 (reference PAYROLL-2026-11-15).',
  'timesheet.payroll_approval_revoked':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov is no longer approved for payroll: the approval PAYROLL-2026-11-15 was revoked on Tue 17 Nov between 10:09 and 10:10.',
  'timesheet.processed':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov was processed on Mon 16 Nov at 11:30 with 8 h to pay.',
  'timesheet.processing_reverted':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov is no longer processed (8 h to pay): the processing of Mon 16 Nov 11:30 was reverted on Tue 17 Nov between 09:19 and 09:20, after its pay period closed.',
  'timesheet.removed':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov was removed on Tue 17 Nov between 10:13 and 10:14: 09:00 - 17:30, 8 h to pay.',
  'employee.forgotten':
    'Timesheet 910044_4711 of connection main is forgotten here, because its employee is; whoever keeps a copy has to erase it as well.',
  'timesheet.clocked_in': 'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov: clocked in at 09:01.',
  'timesheet.clock_in_corrected':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov: clock-in 09:01 -> 09:00.',
  'timesheet.clock_in_removed':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov: the clock-in at 09:00 was removed on Tue 17 Nov between 10:12 and 10:13.',
  'timesheet.clocked_out': 'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov: clocked out at 17:04.',
  'timesheet.clock_out_corrected':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov: clock-out 17:04 -> 17:30.',
  'timesheet.clock_out_removed':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov: the clock-out at 17:30 was removed on Tue 17 Nov between 10:11 and 10:12.',
  'timesheet.clock_in_missing':
    'Timesheet 910044_4711 of employee 2001_4711 on Fri 13 Nov: no clock-in, planned 09:00 (15 minutes ago).',
  'timesheet.clock_out_missing':
    'Timesheet 910044_4711 of employee 2001_4711 on Fri 13 Nov: no clock-out, planned 17:00 (3 h ago).',
  'timesheet.snapshot':
    'Timesheet 910001_4711 of employee 2001_4711 on Thu 12 Nov as it stands: 09:00 - 17:30, 8 h to pay, not approved, not processed.',
  'pay_period.created': 'Pay period Weekly 9-15 Nov was added.',
  'pay_period.changed': 'Pay period Weekly 9-15 Nov: payroll company none -> 77_4711.',
  'pay_period.closed':
    'Pay period Weekly 9-15 Nov closed: 1,912.5 h, 51 employees, 380 timesheets; 2 not approved (employee 2018_4711 Fri 13 Nov 8 h, employee 2024_4711 Sat 14 Nov 6.5 h), 3 not processed; adds up with the workforce service.',
  'pay_period.reopened':
    'Pay period Weekly 9-15 Nov was reopened between 09:59 and 10:00; it was closed on Mon 16 Nov.',
  'pay_period.removed': 'Pay period Weekly 9-15 Nov was removed between 14:29 and 14:30.',
  'pay_period.readiness':
    'Pay period Weekly 9-15 Nov closes at 12:00 (in 4 h): 4 of 380 timesheets are not approved, 29 h of 3 employees; 12 approved ones wait for payroll.',
  'pay_period.statement':
    'Pay period Weekly 9-15 Nov is settled: closed at 1,912.5 h, +2 h in 2 timesheets after it (employee 2018_4711 Fri 13 Nov +1.5 h, employee 2024_4711 Sat 14 Nov +0.5 h); 1,914.5 h, 51 employees, 380 timesheets; all approved and processed; adds up with the workforce service.',
  'pay_period.snapshot': 'Pay period Weekly 9-15 Nov as it stands: open.',
  'employee.joined': 'Employee 2001_4711 joined department 501_4711.',
  'employee.moved': 'Employee 2001_4711 moved from department 501_4711 to department 502_4711.',
  'employee.left': 'Employee 2001_4711 left department 502_4711.',
  'employee.snapshot': 'Employee 2001_4711 as it stands.',
  'department.added': 'Department 501_4711 was added.',
  'department.renamed': 'Department 501_4711 has another name.',
  'department.manager_changed': 'Department 501_4711 is managed by employee 2001_4711 now.',
  'department.removed': 'Department 501_4711 was removed.',
  'department.snapshot': 'Department 501_4711 as it stands.',
  'baseline.completed':
    'The timesheets of main are now watched. Every change to them (2,410 of 10 Oct - 23 Nov) is reported from now on.',
  'feed.complete':
    'The timesheets of main are published completely. Everything until 09:53 is published, with 2 exceptions.',
  'trouble.began':
    'We cannot see timesheets of Mon 2 Nov of main since 08:17. Do not rely on figures that include them until we say so. Nothing gets lost, and everything else is up to date. Cause: source_failed. Ask whoever runs the source why it cannot list these dates.',
  'trouble.ended':
    'We see timesheets of Mon 2 Nov of main again since 09:04. We could not since 08:17. What changed meanwhile is told now, and figures are up to date again.',
};

/** In place of the ids. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/Timesheet 9100\d\d_4711 of employee 2001_4711 on/, 'Timesheet of Ana Lee (Kitchen) on'],
  [/(?<=^Department )501_4711|(?<=^Employee .*)department 501_4711/, 'Kitchen'],
  [/^Employee 2001_4711|(?<=managed by )employee 2001_4711/, 'Ana Lee'],
];

test('the samples are of every type', () => {
  expect(exampleEvents().map(({ type }) => toShortType(type))).toEqual(SHORT_EVENT_TYPES);
});

describe.each(SHORT_EVENT_TYPES)('%s', (type) => {
  test('uses ids where no names are shown', () => {
    expect(sentenceOf(type, NO_NAMES)).toBe(WITHOUT_NAMES[type]);
  });

  test('uses names where they are shown', () => {
    const named = NAMED.reduce((text, [id, name]) => text.replace(id, name), WITHOUT_NAMES[type]);
    expect(sentenceOf(type, NAMES)).toBe(named);
    expect(sentenceOf(type, NAMES).startsWith('Timesheet of Ana Lee (Kitchen)')).toBe(
      type.startsWith('timesheet.'),
    );
  });

  test('is the same when a later version adds members', () => {
    const event = withMore(exampleEvent(toEventType(type)));
    expect(
      toSentence(readableEventSchema.parse(event), { timeZone: 'Pacific/Auckland', names: NO_NAMES }),
    ).toBe(WITHOUT_NAMES[type]);
  });
});

test('what is not an event of this product is not reported', () => {
  const event = exampleEvent('workforce.timesheet.approved');
  const data = event.data;
  const strange: unknown[] = [
    null,
    {},
    { ...event, type: 'workforce.timesheet.eaten' },
    { ...event, specversion: '0.3' },
    { ...event, time: 'yesterday' },
    { ...event, sequence: 0 },
    { ...event, data: null },
    { ...event, data: { ...data, employeeId: 7 } },
    { ...event, data: { ...data, changed: 'hours' } },
    { ...event, data: { ...data, observed: { after: null } } },
  ];
  expect(describableEventSchema.safeParse(event).success).toBe(true);
  expect(strange.filter((each) => describableEventSchema.safeParse(each).success)).toEqual([]);
});

function sentenceOf(type: ShortEventType, names: Names): string {
  const event = readableEventSchema.parse(exampleEvent(toEventType(type)));
  return toSentence(event, { timeZone: 'Pacific/Auckland', names });
}

/** Another member in every object. */
function withMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMore);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => [name, withMore(each)]);
  return { ...Object.fromEntries(members), addedLater: { much: [1] } };
}
