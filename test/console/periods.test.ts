import { expect, test } from 'vitest';
import type { PeriodRow } from '#console/answers/periods.ts';
import { startConsole } from '#console/server/open-console.ts';
import { readPeriod } from '#console/server/periods/read-period.ts';
import { compareRows, createPeriodReader } from '#console/server/periods/read-periods.ts';
import { rememberBuckets } from '#console/server/remember.ts';
import { addDays, toLocalDate } from '#shared/core/dates.ts';
import { readState } from '#shared/core/snapshot/stored-state.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { walkRows } from '#shared/flow/stored-records.ts';
import { payPeriod, storedRow, timesheet } from '#test/support/builders.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';
import { seedStore } from '#test/support/seeded-store.ts';
import { NOW } from './fake-log.ts';
import { enter } from './visitor.ts';
import { watchTimesheets } from './watched-timesheets.ts';

const TODAY = toLocalDate(NOW, 'UTC');
const PERIOD = { startDate: addDays(TODAY, -3), finishDate: addDays(TODAY, 3) };
const STAMP = `${TODAY}T00:00:00.000Z`;

test('the board says whether payroll may be run, and what is ready and what is not', async () => {
  const context = await watch(
    { approvedHours: STAMP, processed: STAMP },
    { approvedHours: STAMP },
    { processed: STAMP },
    {},
  );
  const { periods } = await createPeriodReader(context)();
  expect(periods).toMatchObject([
    {
      ...{ id: '3_7', state: 'open', stateSays: 'open', isToPay: false, timesheets: 4, unprocessed: 2 },
      ...{ ready: { timesheets: 3 }, notReady: { timesheets: 1 }, changes: null, open: null, isOld: false },
      verdict: expect.stringMatching(/^Not yet: 1 not approved \(7.5 h\)/),
    },
  ]);
  const { row, left, leftOver, departments } = await readPeriod({ id: '3_7', connection: 'main' }, context);
  expect(row).toEqual(periods[0]);
  expect([left, leftOver.map(({ missing }) => missing)]).toEqual([1, ['no approval']]);
  expect(departments).toMatchObject([{ timesheets: 4, notReady: { timesheets: 1 } }]);
});

test('a count from before a pause of polls is old, until it counts anew', async () => {
  const context = await watch({});
  const later = (minutes: number) => {
    const system = { ...context.target.system, now: () => NOW + minutes * 60_000 };
    return { ...context, target: { ...context.target, system } };
  };
  const read = async (minutes: number) => (await createPeriodReader(later(minutes))()).periods[0];
  expect(await read(5)).toMatchObject({ isOld: false });
  expect(await read(60)).toMatchObject({
    isOld: true,
    countedAt: expect.stringMatching(/^2026-11-20T08:58/),
  });
});

test('a file has the name that `period --csv` gives it, encoded once', async () => {
  const context = await watch({ approvedHours: STAMP }, {});
  const running = await startConsole({
    open: async () => ({ ...context, examine: async () => [] }),
    port: 0,
  });
  const visitor = await enter(running.address);
  for (const [file, id] of [
    ['pay', '1_7'],
    ['left-over', '2_7'],
  ] as const) {
    const response = await visitor.get(`periods/3_7/${file}.csv?connection=main`);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="3_7-${file}.csv"`);
    const [, line, ...others] = (await response.text()).trim().split('\r\n');
    expect([line, others]).toEqual([expect.stringContaining(`"${id}"`), []]);
  }
  await running.stop();
});

test('what is closed comes first, then what is open by its deadline, then what is settled', () => {
  const changes = { since: STAMP, timesheets: 0, hours: 0, listed: [] };
  const rows = [
    row('closed before it was watched', { state: 'closed', wasWatched: false, isToPay: false }),
    row('settled', { state: 'settled', changes }),
    row('later', { closesAt: '2026-11-25T10:00:00.000Z' }),
    row('reopened', { state: 'reopened', closesAt: '2026-11-20T10:00:00.000Z', changes }),
    row('next', { closesAt: '2026-11-21T10:00:00.000Z' }),
    row('to check', { state: 'closed', isToPay: false, finishDate: addDays(TODAY, -4), changes }),
    row('to pay', { state: 'closed', changes: null }),
  ];
  const sorted = [
    ...['to pay', 'to check', 'reopened', 'next', 'later'],
    ...['settled', 'closed before it was watched'],
  ];
  expect(rows.sort(compareRows).map(({ id }) => id)).toEqual(sorted);
});

function row(id: string, values: Partial<PeriodRow>): PeriodRow {
  const all = { people: 1, timesheets: 1, hours: 8 };
  return {
    ...{ id, connection: 'main', timeZone: 'UTC', title: 'Weekly', calendar: 'Weekly', ...PERIOD },
    ...{ ...all, ready: all, notReady: { people: 0, timesheets: 0, hours: 0 }, unprocessed: 1 },
    ...{ state: 'open', stateSays: 'open', wasWatched: true, closesAt: null },
    ...{ isToPay: true, verdict: '', command: '' },
    ...{ reserves: [], agreement: null, countedAt: null, isOld: false, changes: null, open: null },
    ...values,
  };
}

test('a bucket is read again only when its rows changed, and what is kept has a bound', async () => {
  const store = createMemoryStore();
  const seed = (id: string, date: string, hoursToPay: number) =>
    seedStore(store, { slices: [{ slice: date, rows: [storedRow(timesheet({ id, date, hoursToPay }))] }] });
  await seed('1_7', TODAY, 8);
  await seed('2_7', addDays(TODAY, 1), 8);
  let asked: string[] = [];
  const readBuckets: Store['readBuckets'] = async (connection, keys) => {
    asked.push(...keys.map(({ slice }) => slice));
    return await store.readBuckets(connection, keys);
  };
  const readHours = async (remembering: Store) => {
    asked = [];
    const slices = await Array.fromAsync(walkRows('main', { feed: 'timesheets' }, remembering));
    return slices.flatMap(({ rows }) => rows.map((each) => readState('timesheets', each)?.hoursToPay));
  };
  const remembering = rememberBuckets({ ...store, readBuckets });
  expect(await readHours(remembering)).toEqual([8, 8]);
  expect(asked).toEqual([TODAY, addDays(TODAY, 1)]);
  expect(await readHours(remembering)).toEqual([8, 8]);
  expect(asked).toEqual([]);
  await seed('1_7', TODAY, 3.25);
  expect(await readHours(remembering)).toEqual([3.25, 8]);
  expect(asked).toEqual([TODAY]);
  const bounded = rememberBuckets({ ...store, readBuckets }, 1);
  await readHours(bounded);
  await readHours(bounded);
  expect(asked.length).toBeGreaterThan(0);
});

/** What the console reads from, once timesheets of the period with these values were seen. */
function watch(...sheets: readonly object[]) {
  return watchTimesheets({
    payPeriods: [payPeriod(PERIOD)],
    timesheets: sheets.map((values, index) => timesheet({ id: `${index + 1}_7`, date: TODAY, ...values })),
  });
}
