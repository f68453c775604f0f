import { expect, test } from 'vitest';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { EPOCH, textOf } from '#test/support/builders.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';
import { seedStore } from '#test/support/seeded-store.ts';

test('names are those of the rows, of the kinds that are asked for', async () => {
  const { reader } = await openDirectory();
  const names = await reader.load('main', ['employees', 'managers']);
  expect(names).toEqual({
    ...NO_NAMES,
    employees: new Map([
      ['2001_7', 'Ana Lee'],
      ['2002_7', 'Ben Fox'],
    ]),
    // By id where the source gives one, else by name; nobody manages the third.
    managers: new Map([
      ['501_7', '2001_7'],
      ['502_7', 'Jo Quill'],
    ]),
  });
  expect((await reader.load('main', ['departments'])).departments.get('503_7')).toBe('Bar');
});

test('a directory that was never polled has none', async () => {
  const { reader } = await openDirectory();
  expect(await reader.load('other', ['employees', 'departments'])).toEqual(NO_NAMES);
});

test('a name stands on one line and has at most 80 characters', async () => {
  const { reader, list } = await openDirectory();
  await list([
    person('2001_7', '  Ana\u202e\n', `\tLee ${'x'.repeat(100)}`),
    person('2002_7', '', ' '),
    { id: '2003_7', contractedHours: [] },
  ]);
  const { employees } = await reader.load('main', ['employees']);
  expect([...employees]).toEqual([['2001_7', `Ana Lee ${'x'.repeat(72)}`]]);
});

test('rows are read again once others are stored, and once for all kinds that they have', async () => {
  const { reader, list, reads } = await openDirectory();
  await reader.load('main', ['employees']);
  await reader.load('main', ['employees']);
  expect(reads()).toBe(1);
  await list([person('2001_7', 'Ana', 'Lee-Reed')]);
  expect((await reader.load('main', ['employees'])).employees.get('2001_7')).toBe('Ana Lee-Reed');
  expect(reads()).toBe(2);
  await reader.load('main', ['departments']);
  expect((await reader.load('main', ['departments', 'managers'])).managers.size).toBe(2);
  expect(reads()).toBe(3);
});

async function openDirectory() {
  const store = createMemoryStore();
  const list = async (employees: readonly SourceRecord[], departments: readonly SourceRecord[] = []) => {
    const rowsOf = (feed: 'employees' | 'departments', records: readonly SourceRecord[]) => {
      const rows = records.map((each) => {
        return { id: String(each.id), epoch: EPOCH, sequence: 0, sent: {}, text: textOf(each, feed) };
      });
      return rows.length === 0 ? [] : [{ feed, rows }];
    };
    const slices = [...rowsOf('employees', employees), ...rowsOf('departments', departments)];
    await seedStore(store, { slices });
  };
  await list(
    [person('2001_7', 'Ana', 'Lee'), person('2002_7', 'Ben', 'Fox')],
    [
      { id: '501_7', name: 'Kitchen', manager: '2001_7' },
      { id: '502_7', name: 'Front', manager: 'Jo Quill' },
      { id: '503_7', name: 'Bar', manager: '' },
    ],
  );
  let reads = 0;
  const reader = createNameReader({
    loadHeads: store.loadHeads,
    readBuckets: (connection, keys) => {
      reads += 1;
      return store.readBuckets(connection, keys);
    },
  });
  return { reader, list, reads: () => reads };
}

function person(id: string, firstNames: string, lastName: string) {
  return { id, firstNames, lastName, contractedHours: [] };
}
