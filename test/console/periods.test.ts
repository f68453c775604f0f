import { expect, test } from 'vitest';
import { PATHS } from '#console/routes/paths.ts';
import type { PeriodRow } from '#console/routes/periods.ts';
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

test('what is left over is not approved or not processed, each timesheet once', async () => {
  const context = await watch(
    { approvedHours: STAMP, processed: STAMP },
    { approvedHours: STAMP },
    { processed: STAMP },
    {},
  );
  const { periods } = await createPeriodReader(context)();
  expect(periods).toMatchObject([{ id: '3_7', timesheets: 4, approved: 2, processed: 2, leftOver: 3 }]);
  const { row, people } = await readPeriod({ id: '3_7', connection: 'main' }, context);
  expect(row).toEqual(periods[0]);
  expect(people.map(({ timesheets }) => timesheets)).toEqual([3]);
});

test('a file has the name that `statement --csv` gives it, encoded once', async () => {
  const context = await watch({ department: { id: 'Küche/1', name: 'Küche' } });
  const running = await startConsole({
    open: async () => ({ ...context, examine: async () => [] }),
    port: 0,
  });
  const visitor = await enter(running.address);
  const read = async (query: Record<string, string>) => {
    const asked = new URLSearchParams({ id: '3_7', connection: 'main', ...query });
    const response = await visitor.get(`${PATHS.periodCsv}?${asked}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    return [response.headers.get('content-disposition'), bytes.toString('latin1', 0, 3)];
  };
  const mark = '\xef\xbb\xbf';
  expect(await read({})).toEqual(['attachment; filename="3_7.csv"', mark]);
  const name = '3_7-K%C3%BCche%2F1.csv';
  expect(await read({ department: 'Küche/1' })).toEqual([`attachment; filename="${name}"`, mark]);
  expect(await read({ department: 'none' })).toEqual(['attachment; filename="3_7.csv"', mark]);
  await running.stop();
});

test('the board begins with what differs, then what is open by its deadline, then what is left over', async () => {
  const rows = [
    row('settled', { closed: STAMP, settled: true }),
    row('left', { closed: STAMP, leftOver: 1 }),
    row('later', { deadline: '2026-11-25T10:00:00.000Z' }),
    row('next', { deadline: '2026-11-21T10:00:00.000Z' }),
    row('differs', { closed: STAMP, closings: [{ ...CLOSING, addsUp: false }] }),
  ];
  expect(rows.sort(compareRows).map(({ id }) => id)).toEqual(['differs', 'next', 'later', 'left', 'settled']);
});

const CLOSING = { at: STAMP, hours: 8, unapproved: 0, unprocessed: 0 };

function row(id: string, values: Partial<PeriodRow>): PeriodRow {
  return {
    id,
    connection: 'main',
    timeZone: 'UTC',
    calendar: 'Weekly',
    ...PERIOD,
    closed: null,
    deadline: null,
    timesheets: 1,
    employees: 1,
    hours: 8,
    approved: 0,
    processed: 0,
    leftOver: 0,
    stillOpen: null,
    settled: false,
    missing: null,
    sharesDates: false,
    closings: [],
    command: '',
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
