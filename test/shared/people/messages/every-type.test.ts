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
import { EXAMPLE_NAMES } from '#test/support/example-alert.ts';

/** Every type of the catalogue as people read it: what is told without names, and what is different with them. */

const WITHOUT_NAMES: Readonly<Record<ShortEventType, string>> = {
  'timesheet.created':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov was added: 09:00 - 17:00, 7.5 h to pay.',
  'timesheet.changed':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov: finish 17:00 -> 17:30, hours 7.5 h -> 8 h, after approval.',
  'timesheet.approved':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov was approved at 18:15 with 7.5 h to pay.',
  'timesheet.approval_revoked':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov is no longer approved: the approval of Thu 12 Nov 18:15 was revoked on Wed 18 Nov between 10:10 and 10:11.',
  'timesheet.payroll_approved':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov was approved for payroll on Fri 13 Nov between 09:00 and 09:15 (reference PAYROLL-2026-11-13-1170_1).',
  'timesheet.payroll_approval_revoked':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov is no longer approved for payroll: the approval PAYROLL-2026-11-13-1170_1 was revoked on Wed 18 Nov between 10:09 and 10:10.',
  'timesheet.processed':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov was processed on Fri 13 Nov at 13:02 with 8 h to pay.',
  'timesheet.processing_reverted':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov is no longer processed (8 h to pay): the processing of Fri 13 Nov 13:02 was reverted on Wed 18 Nov between 09:19 and 09:20, after its pay period closed.',
  'timesheet.removed':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov was removed on Wed 18 Nov between 10:13 and 10:14: 09:00 - 17:30, 8 h to pay.',
  'employee.forgotten':
    'Timesheet 101554_1 of connection main is forgotten here, because its employee is; whoever keeps a copy has to erase it as well.',
  'timesheet.clocked_in': 'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov: clocked in at 09:01.',
  'timesheet.clock_in_corrected':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov: clock-in 09:01 -> 09:00.',
  'timesheet.clock_in_removed':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov: the clock-in at 09:00 was removed on Wed 18 Nov between 10:12 and 10:13.',
  'timesheet.clocked_out': 'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov: clocked out at 17:04.',
  'timesheet.clock_out_corrected':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov: clock-out 17:04 -> 17:30.',
  'timesheet.clock_out_removed':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov: the clock-out at 17:30 was removed on Wed 18 Nov between 10:11 and 10:12.',
  'timesheet.clock_in_missing':
    'Timesheet 101554_1 of employee 1030_1 on Fri 13 Nov: no clock-in, planned 09:00 (15 minutes ago).',
  'timesheet.clock_out_missing':
    'Timesheet 101554_1 of employee 1030_1 on Fri 13 Nov: no clock-out, planned 17:00 (3 h ago).',
  'timesheet.snapshot':
    'Timesheet 101550_1 of employee 1030_1 on Thu 12 Nov as it stands: 09:00 - 17:30, 8 h to pay, not approved, not processed.',
  'pay_period.created': 'Pay period Weekly 9-22 Nov was added.',
  'pay_period.changed': 'Pay period Weekly 9-15 Nov: last day Sun 22 Nov -> Sun 15 Nov.',
  'pay_period.due':
    'Pay period Weekly 9-15 Nov closes at 10:30 (in 2 h): 3 of 135 timesheets are not approved, 23.5 h of 3 people.',
  'pay_period.closed':
    'Pay period Weekly 9-15 Nov closed. Not yet: 3 not approved (23.5 h); 987 h ready (132 timesheets of 30 people); adds up with the workforce service.',
  'pay_period.recounted':
    'Pay period Weekly 9-15 Nov was counted again. Pay 1,004 h now (134 timesheets of 30 people); adds up with the workforce service; nothing changed since the last figures.',
  'pay_period.reopened':
    'Pay period Weekly 9-15 Nov was reopened between 09:59 and 10:00; it was closed on Tue 17 Nov; 1,012 h ready (135 timesheets of 30 people); nothing changed since the last figures.',
  'pay_period.settled':
    'Pay period Weekly 9-15 Nov is settled. Pay 1,012 h in all (135 timesheets of 30 people); adds up with the workforce service; +25 h in 3 timesheets since it closed.',
  'pay_period.removed': 'Pay period Weekly 9-15 Nov was removed between 14:29 and 14:30, after it closed.',
  'pay_period.snapshot': 'Pay period Weekly 9-15 Nov as it stands: closed on Wed 18 Nov.',
  'employee.joined': 'Employee 1030_1 joined department 202_1.',
  'employee.moved': 'Employee 1030_1 moved from department 202_1 to department 201_1.',
  'employee.left': 'Employee 1030_1 left department 201_1.',
  'employee.snapshot': 'Employee 1030_1 as it stands.',
  'department.added': 'Department 202_1 was added.',
  'department.renamed': 'Department 202_1 has another name.',
  'department.manager_changed': 'Department 202_1 is managed by employee 1030_1 now.',
  'department.removed': 'Department 202_1 was removed.',
  'department.snapshot': 'Department 202_1 as it stands.',
  'baseline.completed':
    'The timesheets of main are now watched. Every change to them (226 of 31 Oct - 11 Nov) is reported from now on.',
  'feed.complete':
    'The timesheets of main are published completely. Everything until 17:30 is published, with 1 exception.',
  'trouble.began':
    'We cannot see timesheets of Wed 11 Nov of main since 17:00. Do not rely on figures that include them until we say so. Nothing gets lost, and everything else is up to date. Cause: source_failed. Ask whoever runs the source why it cannot list these dates.',
  'trouble.ended':
    'We see timesheets of Wed 11 Nov of main again since 17:51. We could not since 17:00. What changed meanwhile is told now, and figures are up to date again.',
};

/** In place of the ids. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/Timesheet 10155\d_1 of employee 1030_1 on/, 'Timesheet of Ana Lee (Kitchen) on'],
  [/(?<=^Department )202_1|(?<=^Employee .*)department 202_1/, 'Kitchen'],
  [/^Employee 1030_1|(?<=managed by )employee 1030_1/, 'Ana Lee'],
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
    expect(sentenceOf(type, EXAMPLE_NAMES)).toBe(named);
    expect(sentenceOf(type, EXAMPLE_NAMES).startsWith('Timesheet of Ana Lee (Kitchen)')).toBe(
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
