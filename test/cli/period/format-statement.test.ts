import { describe, expect, test } from 'vitest';
import { formatStatement } from '#cli/period/format-statement.ts';
import { exampleEvent } from '#kit/testing/example-event.ts';
import { toEvents } from '#shared/core/events/events.ts';
import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import { type EmployeeMembership, NO_MEMBERSHIP } from '#shared/core/periods/membership.ts';
import { createEventLog } from '#shared/flow/event-log.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { formatMembers, listMembers } from '#shared/operator/statement/members.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { type PeriodStatement, readStatement } from '#shared/period/flow/read-statement.ts';
import { buildCsvFiles } from '#shared/period/statement-csv.ts';
import {
  createChange,
  createEventContext,
  NOW,
  PAY_PERIODS,
  payPeriod,
  type SampleRecord,
  storedRow,
  timesheet,
} from '#test/support/builders.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';
import { seedStore } from '#test/support/seeded-store.ts';

const STAMP = '2026-03-05T00:30:00.000Z';
const DATES = ['2026-03-02', '2026-03-03'];
const PERIOD = { startDate: '2026-03-02', finishDate: '2026-03-03' };
const CLOSED = payPeriod({ ...PERIOD, closed: '2026-03-05' });
const SHEETS = [
  timesheet({ id: '1_7', date: DATES[0], hoursToPay: 8, approvedHours: STAMP, processed: STAMP }),
  timesheet({ id: '2_7', date: DATES[1], department: { id: '502_7', name: 'Bar' }, employeeId: '2002_7' }),
];

describe('the statement of a pay period', () => {
  test('has its closings from the log, and what is stored now', async () => {
    const statement = await read();
    expect(statement).toMatchObject({
      id: '3_7',
      connection: 'main',
      period: { calendar: 'Weekly', closed: '2026-03-05' },
      closings: [{ manifest: { hoursToPay: 13.5 } }],
      statements: [{ statement: { stage: 'final', hours: 1_012 } }],
      now: { complete: true, hoursToPay: 15.5, timesheets: 2, employees: 2, sharesDatesWith: [] },
    });
    expect(statement?.timesheets.map(({ id }) => id)).toEqual(['1_7', '2_7']);
  });

  test('is printed with each closing, what changed since, and what is left over', async () => {
    const statement = await read();
    const lines = formatStatement(
      { ...(statement as PeriodStatement), statements: [] },
      { moment: (text) => text.slice(0, 10) },
    );
    expect(lines).toEqual([
      'pay period 3_7 of main: Weekly 2026-03-02 to 2026-03-03, closed 2026-03-05',
      'closed 2026-03-05  13.5 h  2 employees  2 timesheets  1 not approved  1 not processed        adds up with the workforce service',
      'now                15.5 h  2 employees  2 timesheets  1 not approved  1 not processed  +2 h',
      '',
      'department  hours  employees  timesheets  not approved  not processed',
      '501_7       8      1          1           0             0',
      '502_7       7.5    1          1           1             1',
      '',
      'timesheet  employee  department  date        hours  missing',
      '2_7        2002_7    502_7       2026-03-03  7.5 h  no approval, no processing',
      '',
      'still open: not known; there is no statement of its closing',
    ]);
  });

  test('is printed with what is still open of a closed one, by name where there is one', async () => {
    const names = { ...NO_NAMES, employees: new Map([['2001_7', 'Ana Lee']]) };
    const at = { timesheetId: '1001_7', departmentId: '501_7', date: '2026-03-05', approved: true } as const;
    const stillOpen = [
      { ...at, employeeId: '2001_7', reason: 'changed', was: 7.5, hours: 8, difference: 0.5 },
      { ...at, employeeId: null, date: null, reason: 'removed', was: 2, hours: null, difference: -2 },
    ] as const;
    const statement = { ...((await read()) as PeriodStatement), stillOpen, knowsAdded: false };
    const lines = formatStatement(statement, { moment: (text) => text, names });
    expect(lines.slice(-5).map((line) => line.replaceAll(/ +/g, ' ').trim())).toEqual([
      'still open: 2 timesheets, -1.5 h',
      'timesheet employee department date to pay since it closed',
      '1001_7 Ana Lee 501_7 Thu 5 Mar +0.5 h changed 7.5 to 8 h',
      '1001_7 - 501_7 - -2 h removed, or of another period now',
      'still open: without what was added or removed; not all of it is known',
    ]);
  });

  test('is printed with the time when it was settled, and what made the difference', async () => {
    const statement = (await read()) as PeriodStatement;
    const final = exampleEvent('workforce.pay_period.statement');
    const statements = [
      { time: final.time, statement: final.data.statement },
    ] as PeriodStatement['statements'];
    const lines = formatStatement({ ...statement, statements }, { moment: (text) => text.slice(0, 10) });
    expect(lines.slice(2, 5).map((line) => line.replaceAll(/ +/g, ' ').trim())).toEqual([
      'settled 2026-11-17 1012 h 30 employees 135 timesheets 0 not approved 0 not processed +1.5 h adds up with the workforce service',
      'now 15.5 h 2 employees 2 timesheets 1 not approved 1 not processed +2 h',
      'final: closed at 1,010.5 h, +1.5 h in 3 timesheets after it; 1,012 h',
    ]);
  });

  test('is not compared where other calendars count too', async () => {
    const statement = await read({ others: [payPeriod({ id: '8_7', ...PERIOD })] });
    const lines = formatStatement(statement as PeriodStatement, { moment: (text) => text });
    expect(lines.find((line) => line.startsWith('now '))).not.toContain('+2 h');
    expect(lines).toContain(
      'now: all timesheets of these dates, other calendars included, so it is not compared',
    );
  });

  test('is of its own employees where other calendars share dates and theirs are known', async () => {
    const of = (calendar: string) => ({ periodId: '3_7', askedAt: NOW, calendar });
    const others = [payPeriod({ id: '8_7', ...PERIOD, calendar: 'Monthly' })];
    const known = await read({ others, employees: { '2001_7': of('Weekly'), '2002_7': of('Monthly') } });
    expect(known?.now).toMatchObject({
      timesheets: 1,
      hoursToPay: 8,
      sharesDatesWith: [],
      membersUnknown: 0,
    });
    expect(known?.timesheets.map(({ id }) => id)).toEqual(['1_7']);
    const partly = await read({ others, employees: { '2001_7': of('Weekly') } });
    expect(formatStatement(partly as PeriodStatement, { moment: (text) => text })).toContain(
      'now: without 1 timesheet whose pay period is not known yet',
    );
  });

  test('says which dates were never read', async () => {
    const statement = await read({ dates: DATES.slice(1) });
    expect(formatStatement(statement as PeriodStatement, { moment: (text) => text })).toContain(
      'now: without dates 2026-03-02 to 2026-03-02 that were never read completely',
    );
  });

  test('is none of a period that is not stored', async () => {
    expect(await read({ id: '9_7' })).toBeNull();
  });

  test('refuses dates that a poll changes meanwhile', async () => {
    await expect(read({ moving: true })).rejects.toMatchObject({ code: 'statement_moved' });
  });
});

test('its members are the timesheets that it counts, with what payroll needs of them', async () => {
  const { timesheets } = (await read()) as PeriodStatement;
  expect(listMembers({ timesheets })).toEqual([
    {
      timesheetId: '1_7',
      employeeId: '2001_7',
      date: DATES[0],
      hoursToPay: 8,
      approvedHours: STAMP,
      approvedPayroll: null,
      processed: STAMP,
    },
    expect.objectContaining({ timesheetId: '2_7', approvedHours: null }),
  ]);
  const [heading, , second] = formatMembers({ timesheets });
  expect(heading).toMatch(/^timesheet +employee +date +hours +approved +payroll approved +processed$/);
  expect(second).toMatch(/^2_7 +2002_7 +2026-03-03 +7.5 +- +- +-$/);
});

test('names of people and departments stand where they are stored', async () => {
  const statement = (await read()) as PeriodStatement;
  const names = {
    ...NO_NAMES,
    employees: new Map([['2002_7', 'Ben Fox']]),
    departments: new Map([['502_7', 'Kitchen']]),
  };
  const lines = formatStatement(statement, { moment: (text) => text, names, serviceName: 'Acme Time' });
  expect(lines).toContainEqual(expect.stringMatching(/^2_7 +Ben Fox +Kitchen +2026-03-03/));
  expect(lines).toContainEqual(expect.stringMatching(/^Kitchen +7.5/));
  expect(lines).toContainEqual(expect.stringMatching(/adds up with Acme Time$/));
  expect(formatMembers(statement, names)[2]).toMatch(/^2_7 +Ben Fox/);
});

describe('its files', () => {
  test('are one for each department, with a line for each timesheet', async () => {
    expect(buildCsvFiles((await read()) as PeriodStatement)).toEqual([
      {
        name: '3_7-501_7.csv',
        text: `\ufeff"timesheetId","employeeId","date","hoursToPay","approvedHours","approvedPayroll","processed"\r\n"1_7","2001_7","2026-03-02",8,"${STAMP}","","${STAMP}"\r\n`,
      },
      {
        name: '3_7-502_7.csv',
        text: expect.stringContaining('"2_7","2002_7","2026-03-03",7.5,"","",""\r\n'),
      },
    ]);
  });

  test('keep to their folder and to their cells, whatever the source sends', async () => {
    const odd = {
      departmentId: '../../x',
      employeeId: '=1+1',
      approvedPayroll: 'a "b", c',
      hoursToPay: -4.5,
    };
    const state = {
      ...(await read())?.timesheets[0]?.state,
      date: '2026-03-05',
      approvedHours: null,
      processed: null,
      ...odd,
    };
    const [file] = buildCsvFiles({
      id: '..',
      timesheets: [
        { id: '1_7', state },
        { id: '2_7', state },
      ],
    });
    expect(file?.name).toBe('_-_%2F..%2Fx.csv');
    expect(file?.text).toContain(`"1_7","'=1+1","2026-03-05",-4.5,"","a ""b"", c",""\r\n`);
    const [none] = buildCsvFiles({ id: '3_7', timesheets: [{ id: '1_7', state: { departmentId: null } }] });
    expect(none?.name).toBe('3_7-no-department.csv');
  });
});

interface Stored {
  readonly id?: string;
  readonly dates?: readonly string[];
  /** Other periods of the connection. */
  readonly others?: readonly SampleRecord[];
  readonly moving?: boolean;
  /** What is known of employees' calendars, by their ids. */
  readonly employees?: Readonly<Record<string, EmployeeMembership>>;
}

async function read({ id = '3_7', ...values }: Stored = {}): Promise<PeriodStatement | null> {
  const store = await stored(values);
  const read = () =>
    readStatement(
      id,
      { name: 'main', timeZone: 'UTC' },
      { store, log: createEventLog(store), range: { from: 0, to: NOW + 2 } },
    );
  const statement = await read();
  if (statement === null) return null;
  await closeBefore(statement.now, store);
  return await read();
}

async function stored({
  dates = DATES,
  others = [],
  moving = false,
  employees = {},
}: Stored): Promise<Store> {
  const store = createMemoryStore();
  const membership = { ...NO_MEMBERSHIP, employees: new Map(Object.entries(employees)) };
  const periods = [CLOSED, ...others].map((period) => storedRow(period));
  const slices = dates.map((date) => {
    return {
      slice: date,
      rows: SHEETS.filter((sheet) => sheet.date === date).map((sheet) => storedRow(sheet)),
    };
  });
  const lookedAt = Object.fromEntries(dates.map((date) => [`timesheets#${date}`, NOW]));
  await seedStore(store, {
    slices: [{ feed: 'pay-periods', rows: periods }, ...slices],
    state: { lookedAt },
  });
  let commits = 0;
  const loadHeads: Store['loadHeads'] = async (connection) => {
    if (moving) commits += 1;
    return (await store.loadHeads(connection)).map((head) => ({ ...head, changedAt: commits }));
  };
  return { ...store, loadHeads, loadMembership: async () => membership };
}

/** Logs the closing of the period as it was two hours before, and the statement of another one as its own. */
async function closeBefore(now: CloseManifest, store: Store): Promise<void> {
  const source = { timesheets: 2, employees: 2, hours: 13.5 };
  const manifest: CloseManifest = { ...now, hoursToPay: 13.5, source, addsUp: true, sharesDatesWith: [] };
  const context = createEventContext(PAY_PERIODS, { manifests: new Map([['3_7', manifest]]) });
  const { texts } = toEvents(createChange(payPeriod(PERIOD), CLOSED), context);
  const statement = { ...exampleEvent('workforce.pay_period.statement'), subject: '3_7' };
  const log = [{ topic: 'pay-periods', texts: [...texts, JSON.stringify(statement)] }] as const;
  await seedStore(store, { at: NOW + 1, log });
}
