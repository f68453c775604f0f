import { expect, test } from 'vitest';
import type { ShortEventType } from '#shared/core/event-types.ts';
import type { TroubleKind } from '#shared/core/trouble-kinds.ts';
import type { WaitingEvent } from '#shared/people/waiting-event.ts';
import {
  compose,
  EXAMPLE_NAMES,
  EXAMPLE_ZONE,
  printMessage,
  troubleData,
  waitingExample,
} from '#test/support/example-messages.ts';

/** A name that would be markup, a mention and a link in some medium, if one took it for more than text. */
const HOSTILE = '<!channel> *Bob* https://evil.example {{DATE(now)}} \u202egnirts';
const NAMES = {
  ...EXAMPLE_NAMES,
  employees: new Map([...EXAMPLE_NAMES.employees, ['6_1', HOSTILE], ['7_1', 'Ben Fox']]),
  departments: new Map([...EXAMPLE_NAMES.departments, ['204_1', 'Bar'], ['203_1', 'Front Desk']]),
};
const PERIODS = new Map([
  ['9019_1', { calendar: 'Weekly', startDate: '2026-11-09', finishDate: '2026-11-15' }],
]);
const CLOSED = [{ id: '9019_1', calendar: 'Weekly', effect: 'changes' as const }];
const LATE = { late: ['close'], closedPeriods: CLOSED };

type Data = Readonly<Record<string, unknown>>;

function late(type: ShortEventType, subject: string, data: Data = {}): WaitingEvent {
  return waitingExample(type, { subject, sequence: 7, data: { ...LATE, ...data } }, { delay: 'hour' });
}

function trouble(kind: TroubleKind, type: 'trouble.began' | 'trouble.ended', about?: string): WaitingEvent {
  const data = troubleData(kind, type);
  const of = about === undefined ? {} : { about: [about] };
  return waitingExample(type, { subject: about ?? kind, sequence: 7, data: { ...data, ...of } });
}

const clockOf = (subject: string, employeeId: string) =>
  waitingExample('timesheet.clock_in_missing', { subject, data: { employeeId } });

/** What happens, and what waits for a channel by then. */
const WEEK: readonly (readonly [what: string, events: readonly WaitingEvent[], isForPay?: false])[] = [
  ['The source is not reachable for a morning', [trouble('source_unreachable', 'trouble.began')]],
  ['the same, to operations', [trouble('source_unreachable', 'trouble.began')], false],
  ['It is again', [trouble('source_unreachable', 'trouble.ended')]],
  [
    'Three dates cannot be read',
    ['2026-11-11', '2026-11-12', '2026-11-13'].map((date) =>
      trouble('dates_unreadable', 'trouble.began', date),
    ),
  ],
  [
    'A table is restored: much is in doubt',
    [trouble('dates_doubtful', 'trouble.began'), trouble('feed_late', 'trouble.began')],
  ],
  ['A webhook is given up, which is for operations', [trouble('delivery_failed', 'trouble.began')], false],
  [
    'Three people have not clocked in, one of them with a hostile name',
    [clockOf('1_1', '1030_1'), clockOf('2_1', '6_1'), clockOf('3_1', '7_1')],
  ],
  [
    '300 late approvals in three departments',
    Array.from({ length: 300 }, (_, place) =>
      late('timesheet.approved', `${place}_1`, { departmentId: `${202 + (place % 3)}_1` }),
    ),
  ],
  ['Six late approvals', Array.from({ length: 6 }, (_, place) => late('timesheet.approved', `${place}_1`))],
  [
    'Approved, and taken back within the hour',
    [
      late('timesheet.approved', '1_1'),
      {
        ...late('timesheet.approval_revoked', '1_1', {
          current: { hoursToPay: 7.5, finishTime: '2026-11-12T04:00:00.000Z' },
        }),
        at: Date.parse('2026-11-20T00:00:00Z'),
      },
    ],
  ],
  [
    'A paid timesheet is removed',
    [late('timesheet.removed', '1_1', { late: ['processing', 'close'], employeeId: '6_1' })],
  ],
  ['A period closes with open timesheets', [waitingExample('pay_period.closed')]],
  [
    'It is reopened, after a late change',
    [late('timesheet.approved', '1_1'), waitingExample('pay_period.reopened', {}, { urgent: true })],
  ],
  [
    'It is settled, which includes what waited',
    [late('timesheet.approved', '1_1'), waitingExample('pay_period.settled')],
  ],
  [
    'A period closes that cannot be counted',
    [waitingExample('pay_period.closed', { data: { account: null } })],
  ],
  [
    'A period closes whose figures are in doubt',
    [waitingExample('pay_period.closed', { data: { account: doubtful() } })],
  ],
];

function doubtful(): Data {
  const none = { people: 0, timesheets: 0, hours: 0 };
  return {
    ...{
      verdict: 'not_yet',
      notReady: none,
      leftOver: [],
      source: null,
      difference: null,
      byDepartment: [],
      departments: 0,
    },
    ...{
      people: 30,
      timesheets: 134,
      hours: 1_004,
      ready: { people: 30, timesheets: 134, hours: 1_004 },
      unprocessed: 0,
    },
    reserves: [
      { kind: 'dates_failing', dates: { from: '2026-11-12', to: '2026-11-13' }, timesheets: null },
      { kind: 'members_unknown', dates: null, timesheets: 2 },
    ],
  };
}

test('of a bad week every message is worth reading', async () => {
  const connections = new Map([['main', { timeZone: EXAMPLE_ZONE, names: NAMES, periods: PERIODS }]]);
  const told = WEEK.map(([what, events, isForPay = true]) => {
    const now = Math.max(...events.map(({ at }) => at)) + 60_000;
    const messages = compose(events, { connections, isForPay, now }).flatMap(({ message }) => message ?? []);
    const said = messages.length === 0 ? ['(nothing)'] : messages.map(printMessage);
    return [`## ${what}`, ...said].join('\n\n');
  });
  await expect(`${told.join('\n\n')}\n`).toMatchFileSnapshot('golden/bad-week.txt');
});
