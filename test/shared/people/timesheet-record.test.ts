import { expect, test } from 'vitest';
import { exampleEvent } from '#test/support/example-event.ts';
import { compose, printAll, waitingExample } from '#test/support/example-messages.ts';
import { CLOSED, type Data, hours, late, printScenes, type Scene, STAMP, several } from './scenes.ts';

const settling = (paid?: number) => [
  {
    ...{ id: 'f'.repeat(32), type: 'workforce.timesheet.processing_reverted', late: ['close'] },
    ...(paid === undefined ? {} : { hours: paid }),
  },
];
const { observed } = exampleEvent('workforce.timesheet.changed').data;
const state = (values: Data) => ({ ...hours(8, 8).current, approvedHours: null, ...values });
const change = (sequence: number, before: number, current: Data) =>
  late('timesheet.changed', sequence, { ...hours(before, 8), current });
const processed = (sequence: number, current: Data, settles: readonly object[]) =>
  late('timesheet.processed', sequence, {
    ...{ late: [], current, previous: { processed: null }, settles },
  });
const reverted = (sequence: number, current: Data) =>
  late('timesheet.processing_reverted', sequence, { current, previous: { processed: STAMP } });
const again = (subject: string, values: Data) => {
  const { current } = hours(7.5, 7.5);
  const created = { current: { ...current, ...values }, previous: null, changed: [] };
  return [
    late('timesheet.removed', 2, { current: null, previous: current, changed: [] }, subject),
    late('timesheet.created', 3, created, subject),
  ];
};
const approved = { approvedHours: STAMP };
const paid = { ...approved, processed: STAMP };

/** What people are asked for, by what happened to one timesheet of a closed pay period. */
const ASKED: readonly Scene[] = [
  ['approved', [late('timesheet.approved', 2)]],
  [
    'approved, and processed as it is',
    [late('timesheet.approved', 2, { current: state(paid), previous: { approvedHours: null } })],
  ],
  [
    'approved, for no hours',
    [late('timesheet.approved', 2, { current: state({ ...approved, hoursToPay: 0 }) })],
  ],
  ['no longer approved', [late('timesheet.approval_revoked', 2)]],
  ['its processing undone', [late('timesheet.processing_reverted', 2)]],
  ['added', [late('timesheet.created', 2)]],
  ['removed', [late('timesheet.removed', 2)]],
  ['removed when it was paid', [late('timesheet.removed', 2, { late: ['processing'] })]],
  [
    'removed, with no hours',
    [late('timesheet.removed', 2, { current: null, previous: state({ ...approved, hoursToPay: 0 }) })],
  ],
  ['fewer hours', [late('timesheet.changed', 2, hours(8, 7))]],
  ['other hours that nobody approved', [change(2, 7.5, state({}))]],
  ['another clock-out', [late('timesheet.clock_out_corrected', 2)]],
  [
    'of somebody else now',
    [
      late('timesheet.changed', 2, {
        ...{ current: state({ ...approved, employeeId: '1030_1' }) },
        ...{ previous: { employeeId: '7_1', hoursToPay: 7.5 }, changed: ['employeeId', 'hoursToPay'] },
      }),
    ],
  ],
  [
    'moved out of the period',
    [
      late('timesheet.changed', 2, {
        closedPeriods: [{ id: '9019_1', calendar: 'Weekly', effect: 'loses', hours: -7.5 }],
        ...{ current: state({ ...approved, date: '2026-11-16' }) },
        ...{ previous: { date: '2026-11-12', hoursToPay: 7.5 }, changed: ['date', 'hoursToPay'] },
      }),
    ],
  ],
  [
    'approved, and it is not known whether that was late',
    [late('timesheet.approved', 2, { closedPeriods: CLOSED.map((each) => ({ ...each, certain: false })) })],
  ],
  [
    'processed again, with the same hours',
    [waitingExample('timesheet.processed', { data: { settles: settling(8) } })],
  ],
  [
    'processed again, with other hours',
    [waitingExample('timesheet.processed', { data: { settles: settling(7.5) } })],
  ],
];

/** Several events of a timesheet are told as what is otherwise than before. */
const NET: readonly Scene[] = [
  ['changed twice', [late('timesheet.changed', 2, hours(7.5, 9)), late('timesheet.changed', 3, hours(9, 8))]],
  [
    'changed, and back',
    [late('timesheet.changed', 2, hours(7.5, 9)), late('timesheet.changed', 3, hours(9, 7.5))],
  ],
  // Each event of a look has the timesheet as it is after all of them.
  [
    'changed and approved at one look',
    [
      late('timesheet.changed', 2, hours(7.5, 8)),
      late('timesheet.approved', 3, { current: hours(7.5, 8).current, observed }),
    ],
  ],
  [
    'no longer approved and changed at one look',
    [late('timesheet.approval_revoked', 2, { current: state({}), observed }), change(3, 7.5, state({}))],
  ],
  [
    'approved since the last message, then changed',
    [
      late('timesheet.approved', 2, { current: hours(7.5, 7.5).current, previous: { approvedHours: null } }),
      late('timesheet.changed', 3, { ...hours(7.5, 9), late: ['approval', 'close'] }),
    ],
  ],
  [
    'changed, then processed',
    [
      change(2, 7.5, state(approved)),
      processed(3, state(paid), [{ ...settling()[0], type: 'workforce.timesheet.changed' }]),
    ],
  ],
  [
    'processed again, then changed',
    [processed(2, state({ ...paid, hoursToPay: 7.5 }), settling(7)), change(3, 7.5, state(paid))],
  ],
  [
    'its processing undone, done, and undone with other hours',
    [
      reverted(2, state({ ...approved, hoursToPay: 7.5 })),
      late('timesheet.processed', 3, { current: state(paid), previous: { processed: null } }),
      reverted(4, state(approved)),
    ],
  ],
  [
    'its processing undone and done, where the second names no closed period',
    [
      reverted(2, state(approved)),
      waitingExample('timesheet.processed', {
        sequence: 3,
        data: {
          ...{ current: state({ ...approved, processed: '2026-11-17T23:15:00.000Z' }) },
          ...{ previous: { processed: null }, settles: settling() },
        },
      }),
    ],
  ],
  ['removed and added again as it was', again('1_1', {})],
  ['removed and added again on another date', again('1_1', { date: '2026-11-13' })],
  [
    '11 removed and added again with other hours',
    several(11, (subject) => again(subject, { hoursToPay: 8 })),
  ],
  [
    '11 changed and processed',
    several(11, (subject) => [
      late('timesheet.changed', 2, hours(7.5, 8), subject),
      late('timesheet.processed', 3, { current: state(paid), previous: { processed: null } }, subject),
    ]),
  ],
  [
    '11 approved, which is taken back',
    several(11, (subject) => [
      late('timesheet.clock_out_corrected', 2, {}, subject),
      late('timesheet.approved', 3, {}, subject),
      late(
        'timesheet.approval_revoked',
        4,
        { current: exampleEvent('workforce.timesheet.clock_out_corrected').data.current },
        subject,
      ),
    ]),
  ],
];

test('a timesheet of a closed pay period says what to do, and what is otherwise than before', async () => {
  await expect(printScenes([...ASKED, ...NET])).toMatchFileSnapshot('golden/timesheet-record.txt');
});

test('it goes by the order of its events, not by when they were seen', () => {
  const first = late('timesheet.changed', 2, hours(7.5, 9));
  const second = late('timesheet.changed', 3, hours(9, 8));
  const swapped = [{ ...first, at: second.at + 5_000 }, second];
  expect(printAll(compose(swapped))).toEqual(printAll(compose([first, second])));
});

test('events that come to nothing are done with', () => {
  const events = [late('timesheet.changed', 2, hours(7.5, 9)), late('timesheet.changed', 3, hours(9, 7.5))];
  expect(compose(events)).toEqual([{ message: null, eventIds: events.map(({ id }) => id) }]);
});
