import { expect, test } from 'vitest';
import type { TroubleKind } from '#shared/core/trouble-kinds.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import {
  compose,
  EXAMPLE_NAMES,
  EXAMPLE_ZONE,
  printAll,
  troubleData,
  waitingExample,
} from '#test/support/example-messages.ts';
import { hours, inMain, LATE, late, printScenes, type Scene, several } from './scenes.ts';

/** A name that would be markup, a mention and a link in some medium, if one took it for more than text. */
const HOSTILE = '<!channel> *Bob* https://evil.example {{DATE(now)}} \u202egnirts';
const NAMES = inMain({
  ...EXAMPLE_NAMES,
  employees: new Map([...EXAMPLE_NAMES.employees, ['6_1', HOSTILE], ['7_1', 'Ben Fox']]),
  departments: new Map([...EXAMPLE_NAMES.departments, ['204_1', 'Bar'], ['203_1', 'Front Desk']]),
});

const approved = (subject: string) => [late('timesheet.approved', 2, {}, subject)];
const closed = waitingExample('pay_period.closed', { sequence: 3 });
const reopened = waitingExample('pay_period.reopened', { sequence: 4 });
const settled = waitingExample('pay_period.settled', { sequence: 4 });
const due = waitingExample('pay_period.due');

/** An event so long after another one was seen. */
const after = ({ at }: { readonly at: number }, minutes: number) => ({
  time: new Date(at + minutes * 60_000).toISOString(),
});

const PERIOD: readonly Scene[] = [
  ['A handful of late approvals', several(2, approved)],
  [
    '300 late approvals in three departments',
    several(300, (subject) => {
      const departmentId = `${202 + (Number.parseInt(subject, 10) % 3)}_1`;
      return [late('timesheet.approved', 2, { departmentId }, subject)];
    }),
    NAMES,
  ],
  [
    'An approval and a removal: several things to do',
    [...several(1, approved), late('timesheet.removed', 2, { departmentId: null }, '7_1')],
  ],
  ['A period closes with open timesheets', [closed], NAMES],
  ['It is reopened, after a late change', [...several(1, approved), { ...reopened, urgent: true }]],
  ['It is settled, which includes what waited', [...several(1, approved), settled]],
  [
    'It changes after its figures were counted',
    [
      closed,
      waitingExample('timesheet.changed', {
        ...after(closed, 1),
        data: { ...LATE, ...hours(7.5, 8) },
      }),
    ],
  ],
  ['It closes and cannot be counted', [waitingExample('pay_period.closed', { data: { account: null } })]],
  [
    'It closes with figures in doubt',
    [
      waitingExample('pay_period.closed', {
        data: {
          account: {
            ...{ verdict: 'not_yet', people: 30, timesheets: 134, hours: 1_004, unprocessed: 0 },
            ...{ source: null, difference: null, byDepartment: [], departments: 0, leftOver: [] },
            ready: { people: 30, timesheets: 134, hours: 1_004 },
            notReady: { people: 0, timesheets: 0, hours: 0 },
            reserves: [
              { kind: 'dates_failing', dates: { from: '2026-11-12', to: '2026-11-13' }, timesheets: null },
              { kind: 'members_unknown', dates: null, timesheets: 2 },
            ],
          },
        },
      }),
    ],
  ],
  [
    'It is reopened, and its dates were never read',
    [
      waitingExample('pay_period.reopened', {
        data: {
          account: {
            ...exampleEvent('workforce.pay_period.reopened').data.account,
            reserves: [
              { kind: 'dates_unread', dates: { from: '2026-11-09', to: '2026-11-15' }, timesheets: null },
            ],
          },
        },
      }),
    ],
  ],
  ['It closed and was reopened before anybody heard: it is as it was', [closed, reopened]],
  [
    'The same, and what is to be held back stays',
    [
      closed,
      ...several(1, approved),
      late('timesheet.processing_reverted', 2, { late: ['processing', 'close'] }),
      reopened,
    ],
  ],
  ['It closed and was settled before anybody heard: nothing is held against it', [closed, settled]],
];

const DUE: readonly Scene[] = [
  ['A deadline of a period that closed meanwhile', [due, waitingExample('pay_period.closed')]],
  [
    'One of a period that was reopened before',
    [reopened, waitingExample('pay_period.due', after(reopened, 1))],
  ],
  [
    'The same, before anybody heard of the closing',
    [closed, reopened, waitingExample('pay_period.due', after(reopened, 1))],
  ],
  [
    'Deadlines of two periods: the nearest first',
    [
      waitingExample('pay_period.due', {
        subject: '9014_1',
        data: {
          current: { ...exampleEvent('workforce.pay_period.due').data.current, calendar: 'Fortnightly' },
          account: { closesAt: '2026-11-17T01:30:00.000Z' },
        },
      }),
      due,
    ],
  ],
];

const missing = (subject: string, employeeId = '1030_1') =>
  waitingExample('timesheet.clock_in_missing', { subject, data: { employeeId } });
const absence = exampleEvent('workforce.timesheet.clock_in_missing').data.current;
const ends = { endsClocking: true };
const came = waitingExample(
  'timesheet.clocked_in',
  {
    ...{ subject: '1_1', sequence: 9 },
    data: {
      current: {
        ...{ ...absence, clockInMissing: null },
        clockIn: {
          ...exampleEvent('workforce.timesheet.clocked_in').data.current.clockIn,
          localTime: '2026-11-13T09:22:10',
        },
      },
      occurredAt: '2026-11-12T20:22:10.000Z',
      previous: { clockIn: null, clockInMissing: absence?.clockInMissing },
      changed: ['clockIn', 'clockInMissing'],
    },
  },
  ends,
);
const removed = waitingExample(
  'timesheet.removed',
  {
    ...{ subject: '1_1', sequence: 9 },
    data: { current: null, previous: absence ?? {}, changed: [], late: [] },
  },
  ends,
);

const CLOCKINGS: readonly Scene[] = [
  [
    'Three people have not clocked in, one of them with a hostile name',
    [missing('1_1'), missing('2_1', '6_1'), missing('3_1', '7_1')],
    NAMES,
  ],
  ['A clock-in came before anybody was told that it was missing', [missing('1_1'), came]],
  ['It came after that', [came]],
  ['A timesheet was removed before anybody was told of its missing clock-in', [missing('1_1'), removed]],
  ['It was removed after that', [removed]],
];

const trouble = (kind: TroubleKind, type: 'trouble.began' | 'trouble.ended', members: object = {}) =>
  waitingExample(type, {
    ...{ subject: kind, sequence: 2, ...members },
    data: { ...troubleData(kind, type), ...('subject' in members ? { about: [members.subject] } : {}) },
  });
const forOperations = { isForPay: false };

const TROUBLES: readonly Scene[] = [
  ['The source is not reachable', [trouble('source_unreachable', 'trouble.began')]],
  ['The same, to operations', [trouble('source_unreachable', 'trouble.began')], forOperations],
  ['It is again', [trouble('source_unreachable', 'trouble.ended')]],
  [
    'It was again before anybody was told',
    [
      trouble('source_unreachable', 'trouble.began'),
      trouble('source_unreachable', 'trouble.ended', { sequence: 3 }),
    ],
  ],
  [
    'Three dates cannot be read',
    ['2026-11-11', '2026-11-12', '2026-11-13'].map((subject) =>
      trouble('dates_unreadable', 'trouble.began', { subject }),
    ),
  ],
  [
    'A table is restored: much is in doubt',
    [trouble('dates_doubtful', 'trouble.began'), trouble('feed_late', 'trouble.began')],
  ],
  [
    'A webhook is given up, which is for operations',
    [trouble('delivery_failed', 'trouble.began')],
    forOperations,
  ],
];

const UNUSUAL: readonly Scene[] = [
  [
    'The data of an event cannot be read, and others are told all the same',
    [
      {
        ...waitingExample('pay_period.closed'),
        text: JSON.stringify({
          ...exampleEvent('workforce.pay_period.closed'),
          data: { payPeriodId: 7 },
        }),
      },
      waitingExample('pay_period.due', { subject: '7_1' }),
    ],
  ],
  [
    'There are several connections',
    [waitingExample('pay_period.closed')],
    {
      connections: new Map(
        ['main', 'south'].map((name) => [name, { timeZone: EXAMPLE_ZONE, names: EXAMPLE_NAMES }]),
      ),
    },
  ],
];

test('of whatever happens, what belongs together is one message that is worth reading', async () => {
  const scenes = [...PERIOD, ...DUE, ...CLOCKINGS, ...TROUBLES, ...UNUSUAL];
  await expect(printScenes(scenes)).toMatchFileSnapshot('golden/scenes.txt');
});

test('what is told of one pay period is in its thread', () => {
  const threads = [[closed], [due], [due, waitingExample('pay_period.due', { subject: '7_1' })]].map(
    (events) => compose(events)[0]?.message?.thread,
  );
  expect(threads).toEqual(['main#9019_1', 'main#9019_1', undefined]);
});

test('ids beyond 2,000 come without content, and urgent messages come first', () => {
  const urgent = waitingExample('pay_period.reopened', { subject: '7_1' }, { urgent: true });
  const composed = compose([...several(2_001, approved), urgent]);
  expect(composed.map(({ message, eventIds }) => [message?.urgent ?? null, eventIds.length])).toEqual([
    [true, 1],
    [false, 2_000],
    [null, 1],
  ]);
});

test('what cannot be rendered says where to look, with the error, and keeps nobody from the others', () => {
  const employees = { size: 1, get: fail } as unknown as ReadonlyMap<string, string>;
  const other = waitingExample('pay_period.settled', { subject: '7_1' });
  const composed = compose([...several(3, approved), other], inMain({ ...EXAMPLE_NAMES, employees }));
  expect(composed.map(({ error }) => error)).toEqual([new Error('on purpose'), undefined]);
  expect(printAll(composed)).toEqual([
    expect.stringMatching(/^Timesheet 0_1: a message cannot be shown[\s\S]*\nand 2 more$/),
    expect.stringMatching(/^Pay 1,012 h for /),
  ]);
});

function fail(): never {
  throw new Error('on purpose');
}
