import { describe, expect, test } from 'vitest';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { loadPeriods, type RecordSelection, walkRows } from '#shared/flow/stored-records.ts';
import { knownPeriod, payPeriod, storedRow, timesheet } from '#test/support/builders.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';
import { seedStore } from '#test/support/seeded-store.ts';

const [MONDAY, TUESDAY] = ['2026-03-02', '2026-03-03'];

describe('stored rows', () => {
  test.each<[string, Omit<RecordSelection, 'feed'>, number]>([
    ['all', {}, 301],
    ['those of some ids', { ids: ['1007_7', '99_7', 'none'] }, 2],
    ['those of some dates', { covers: (date) => date > MONDAY }, 1],
  ])('are walked slice by slice: %s', async (_, selection, count) => {
    const rows = await readAll(await stored(), { feed: 'timesheets', ...selection });
    expect(rows).toHaveLength(count);
  });

  test('are read anew when a poll divides or changes a bucket, or deletes the slice, after its head was read', async () => {
    const store = await stored();
    const changed = rowsOf(300, MONDAY).map((row) => ({
      ...row,
      text: row.text?.replace('7.5', '3') ?? null,
    }));
    const whole = [...changed, ...rowsOf(90, MONDAY, 5_000)];
    const busy = beforeReading(store, [() => seedStore(store, { slices: [{ slice: MONDAY, rows: whole }] })]);

    const rows = await readAll(busy, { feed: 'timesheets', covers: (date) => date === MONDAY });
    expect(rows.map(({ id }) => id).sort()).toEqual(whole.map(({ id }) => id).sort());
    expect(new Set(rows.map(({ text }) => text))).toEqual(new Set(whole.map(({ text }) => text)));
  });

  test('of a slice that changes at each reading are refused, to be read again', async () => {
    const store = await stored();
    const change = (time: number) => () =>
      seedStore(store, { slices: [{ slice: TUESDAY, rows: rowsOf(1, TUESDAY, 99, time) }] });
    const times = Array.from({ length: 9 }, (_, time) => change(time));

    const reading = readAll(beforeReading(store, times), {
      feed: 'timesheets',
      covers: (date) => date === TUESDAY,
    });
    await expect(reading).rejects.toMatchObject({ code: 'records_moved', retryable: true });
  });
});

test('pay periods are those of their list, and not known before it was read whole', async () => {
  const store = createMemoryStore();
  expect(await loadPeriods('main', store)).toBeNull();
  const bad = { ...storedRow(payPeriod({ id: '4_7' })), text: null };
  const closed = storedRow(payPeriod({ id: '5_7', closed: '2026-03-05' }), {
    memory: { closedBetween: { after: 1, by: 2 } },
  });
  await seedStore(store, { slices: [{ feed: 'pay-periods', rows: [storedRow(payPeriod()), bad, closed] }] });

  expect((await loadPeriods('main', store))?.sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
    knownPeriod(),
    knownPeriod({ id: '5_7', closed: true, closedStamp: '2026-03-05', closedBetween: { after: 1, by: 2 } }),
  ]);
});

/** 300 timesheets on Monday, in several buckets, and one on Tuesday. */
async function stored(): Promise<Store> {
  const store = createMemoryStore();
  const slices = [
    { slice: MONDAY, rows: rowsOf(300, MONDAY) },
    { slice: TUESDAY, rows: rowsOf(1, TUESDAY, 99) },
  ];
  await seedStore(store, { slices });
  return store;
}

function rowsOf(count: number, date: string, first = 1_000, hoursToPay = 7.5): StoredRow[] {
  return Array.from({ length: count }, (_, index) =>
    storedRow(timesheet({ id: `${first + index}_7`, date, hoursToPay })),
  );
}

async function readAll(store: Store, selection: RecordSelection): Promise<StoredRow[]> {
  return (await Array.fromAsync(walkRows('main', selection, store))).flatMap(({ rows }) => rows);
}

/** Something happens between the reading of the heads and that of buckets, each time. */
function beforeReading(store: Store, happenings: (() => Promise<void>)[]): Store {
  const readBuckets: Store['readBuckets'] = async (...asked) => {
    await happenings.shift()?.();
    return await store.readBuckets(...asked);
  };
  return { ...store, readBuckets };
}
