import { describe, expect, test } from 'vitest';
import { toIso } from '#shared/core/dates.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import type { RecordSelection } from '#shared/flow/stored-records.ts';
import { readStates } from '#shared/operator/send/events-to-send.ts';
import type { Interest } from '#shared/systems/filter.ts';
import { EARLIER, payPeriod, storedRow, timesheet } from '#test/support/builders.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';
import { seedStore } from '#test/support/seeded-store.ts';

const [MONDAY, TUESDAY] = ['2026-03-02', '2026-03-03'];
const BAR = { id: '502_7', name: 'Bar' };
const ALL: readonly RecordSelection[] = [{ feed: 'pay-periods' }, { feed: 'timesheets' }];
const IDS = Array.from({ length: 40 }, (_, index) => `${1_001 + index}_7`);

describe('states', () => {
  test('are of every stored record that was ever readable, each once, with its position', async () => {
    const texts = await (await stored())(ALL);
    expect(texts.map(subjectOf).sort()).toEqual(['3_7', '99_7', ...IDS].sort());
    expect(JSON.parse(texts.find((text) => subjectOf(text) === '1003_7') ?? '')).toMatchObject({
      type: 'workforce.timesheet.snapshot',
      epoch: toIso(EARLIER),
      sequence: 2,
      time: toIso(EARLIER),
      data: {
        timesheetId: '1003_7',
        current: { date: MONDAY, hoursToPay: 7.5 },
        changed: [],
        late: [],
        payPeriods: [{ id: '3_7', calendar: 'Weekly', state: 'open' }],
      },
    });
  });

  test('read twice have the same bytes', async () => {
    const read = await stored();
    expect(await read(ALL)).toEqual(await read(ALL));
  });

  test('are of records named by their ids where that is asked', async () => {
    const texts = await (await stored())([{ feed: 'timesheets', ids: ['1002_7', '99_7', 'none'] }]);
    expect(texts.map(subjectOf).sort()).toEqual(['1002_7', '99_7']);
  });

  test('are for those who subscribe to events of their records', async () => {
    const interest: Interest = {
      topics: ['timesheets'],
      filter: { departmentId: [BAR.id], type: ['workforce.timesheet.clocked_in'], late: true },
    };
    expect((await (await stored())(ALL, interest)).map(subjectOf)).toEqual(['99_7']);
  });
});

/** A pay period, 40 timesheets on Monday, and on Tuesday one and another that cannot be read. */
async function stored() {
  const store = createMemoryStore();
  const bar = storedRow(timesheet({ id: '99_7', date: TUESDAY, department: BAR }), { epoch: EARLIER });
  const slices = [
    { feed: 'pay-periods', rows: [storedRow(payPeriod())] },
    { slice: MONDAY, rows: rowsOf(IDS, MONDAY) },
    { slice: TUESDAY, rows: [bar, { ...bar, id: '98_7', text: null }] },
  ] as const;
  await seedStore(store, { slices });
  return async (select: readonly RecordSelection[], interest?: Interest) => {
    const events = await Array.fromAsync(readStates('main', { select, interest }, store));
    return events.map(({ text }) => text);
  };
}

function rowsOf(ids: readonly string[], date: string): StoredRow[] {
  return ids.map((id) => storedRow(timesheet({ id, date }), { sequence: 2, epoch: EARLIER }));
}

function subjectOf(text: string): string {
  return (JSON.parse(text) as { subject: string }).subject;
}
