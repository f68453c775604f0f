import { beforeAll, expect, test } from 'vitest';
import { formatPeriod } from '#cli/period/format-period.ts';
import { formatMembers, listMembers } from '#cli/period/members.ts';
import { createEventLog } from '#shared/flow/event-log.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { readPeriod } from '#shared/period/flow/read-period.ts';
import type { PeriodReading } from '#shared/period/reading.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const WEEK = { startDate: '2026-03-04', finishDate: '2026-03-06' };
const UNTOTALLED = { hours: null, numberEmployees: null, numberTimesheets: null };
const STAMP = '2026-03-05T01:00:00Z';
const NAMES = {
  ...NO_NAMES,
  employees: new Map([['2001_7', 'Ana Lee']]),
  departments: new Map([['501_7', 'Kitchen']]),
};

let world: PollHarness;

beforeAll(async () => {
  world = new PollHarness();
  world.lists['pay-periods'] = [payPeriod({ ...WEEK, ...UNTOTALLED })];
  const approved = { approvedHours: STAMP };
  world.put(
    timesheet({ id: '1_7', employeeId: '2001_7', date: '2026-03-04', ...approved }),
    timesheet({ id: '2_7', employeeId: '2002_7', date: '2026-03-05' }),
    timesheet({ id: '3_7', employeeId: '2001_7', date: '2026-03-06', ...approved }),
  );
  await world.poll();
  await world.poll();
});

test('an open period says first whether payroll may be run, and then of what it says so', async () => {
  expect(await show()).toEqual([
    'Not yet: 1 not approved (7.5 h)',
    'pay period 3_7 of main: Weekly 4-6 Mar, open',
    '',
    ' people timesheets hours',
    'ready 1 2 15 h',
    'not ready 1 1 7.5 h',
    'all 2 3 22.5 h',
    expect.stringMatching(/^counted as of \w{3} \d+ Mar \d\d:\d\d, through Fri 6 Mar$/),
    '',
    'department people timesheets ready not ready not approved not processed',
    'Kitchen 2 3 15 h 7.5 h 1 3',
    '',
    'left over: 1 timesheet',
    'timesheet employee department date hours missing',
    '2_7 2002_7 Kitchen Thu 5 Mar 7.5 h no approval',
  ]);
});

test('a closed one says what it was told as, and what changed since: in its figures, and what of it is open', async () => {
  world.lists['pay-periods'] = [payPeriod({ ...WEEK, ...UNTOTALLED, closed: '2026-03-05' })];
  await world.pollFor(7);
  world.change({ approvedHours: STAMP }, ['2_7']);
  world.change({ hoursToPay: 9 }, ['1_7']);
  world.remove('3_7');
  await world.poll({ all: true });
  const lines = await show();
  const told = lines.findIndex((line) => line.startsWith('told as'));
  expect(lines[0]).toBe('Pay 16.5 h now');
  expect(lines.slice(told, told + 2)).toEqual([
    'told as ready not ready verdict',
    expect.stringMatching(/^closed .* 15 h 7.5 h Not yet: 1 not approved \(7.5 h\)$/),
  ]);
  const changed = lines.findIndex((line) => line.startsWith('changed since'));
  expect(lines.slice(changed - 3)).toEqual([
    '',
    'nothing is left over',
    '',
    expect.stringMatching(
      /^changed since .*, in the figures above: \+1.5 h in 3 timesheets; still open: 3 timesheets, \+1.5 h$/,
    ),
    'timesheet employee department date was now difference why',
    '2_7 2002_7 Kitchen Thu 5 Mar 0 h 7.5 h +7.5 h approved still open',
    '3_7 - - - 7.5 h - -7.5 h removed still open',
    '1_7 Ana Lee Kitchen Wed 4 Mar 7.5 h 9 h +1.5 h changed still open',
  ]);
  world.change({ processed: STAMP }, ['1_7']);
  await world.poll({ all: true });
  const after = await show();
  expect(after.filter((line) => line.endsWith('still open'))).toEqual([
    expect.stringMatching(/^2_7 .* approved still open$/),
    expect.stringMatching(/^3_7 .* removed still open$/),
  ]);
});

test('what is not known is said so', async () => {
  const reading = await read();
  const { account } = reading;
  const reserves = [
    { kind: 'dates_unread', dates: { from: '2026-03-04', to: '2026-03-05' }, timesheets: null },
  ];
  const doubtful = { ...reading, account: { ...account, reserves, changes: null } } as PeriodReading;
  const lines = tidy(formatPeriod(doubtful, { timeZone: 'UTC', now: world.now, names: NAMES }));
  expect(lines).toEqual(
    expect.arrayContaining([
      'in doubt: dates of 4-5 Mar are not read',
      'changed since it was told: not known',
      'not compared with the totals of the workforce service',
    ]),
  );
});

test('its members are the timesheets that it counts, with what payroll needs of them', async () => {
  const reading = await read();
  expect(listMembers(reading)[0]).toEqual({
    ...{ timesheetId: '1_7', employeeId: '2001_7', date: '2026-03-04', hoursToPay: 9 },
    ...{ approvedHours: expect.any(String), approvedPayroll: null, processed: expect.any(String) },
  });
  const [heading, first] = tidy(formatMembers(reading, NAMES));
  expect(heading).toBe('timesheet employee date hours approved payroll approved processed');
  expect(first).toMatch(/^1_7 Ana Lee 2026-03-04 9 2026-/);
});

async function read(): Promise<PeriodReading> {
  const { connection, store, now } = world;
  const range = { from: 0, to: now + 1 };
  const reading = await readPeriod('3_7', connection, { store, log: createEventLog(store), range });
  if (reading === null) throw new Error('the period is not stored');
  return reading;
}

async function show(): Promise<string[]> {
  return tidy(formatPeriod(await read(), { timeZone: 'UTC', now: world.now, names: NAMES }));
}

/** Without the columns and the style of a terminal. */
function tidy(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(/ +/g, ' ').trimEnd());
}
