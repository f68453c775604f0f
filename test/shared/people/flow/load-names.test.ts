import { expect, test } from 'vitest';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

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
  const { harness, reader, poll } = await openDirectory();
  harness.directory.employees = [
    person('2001_7', '  Ana\u202e\n', `\tLee ${'x'.repeat(100)}`),
    person('2002_7', '', ' '),
    { id: '2003_7', contractedHours: [] },
  ];
  await poll();
  const { employees } = await reader.load('main', ['employees']);
  expect([...employees]).toEqual([['2001_7', `Ana Lee ${'x'.repeat(72)}`]]);
});

test('rows are read again after a commit alone', async () => {
  const { harness, reader, poll, reads } = await openDirectory();
  await reader.load('main', ['employees']);
  await reader.load('main', ['employees']);
  expect(reads()).toBe(1);
  harness.directory.employees = [person('2001_7', 'Ana', 'Lee-Reed')];
  await poll();
  expect((await reader.load('main', ['employees'])).employees.get('2001_7')).toBe('Ana Lee-Reed');
  expect(reads()).toBe(2);
});

test('a list is read once for all kinds that it has', async () => {
  const { reader, reads } = await openDirectory();
  await reader.load('main', ['departments']);
  expect((await reader.load('main', ['departments', 'managers'])).managers.size).toBe(2);
  expect(reads()).toBe(1);
});

async function openDirectory() {
  const harness = new PollHarness();
  harness.directory.employees = [person('2001_7', 'Ana', 'Lee'), person('2002_7', 'Ben', 'Fox')];
  harness.directory.departments = [
    { id: '501_7', name: 'Kitchen', manager: '2001_7' },
    { id: '502_7', name: 'Front', manager: 'Jo Quill' },
    { id: '503_7', name: 'Bar', manager: '' },
  ];
  const poll = async () => {
    for (const feed of ['employees', 'departments'] as const) await harness.poll({ feed, isSilent: true });
  };
  await poll();
  let reads = 0;
  const { store } = harness;
  const reader = createNameReader({
    loadHeads: (feed, from) => store.loadHeads(feed, from),
    readLeaves: (feed, refs) => {
      reads += 1;
      return store.readLeaves(feed, refs);
    },
  });
  return { harness, reader, poll, reads: () => reads };
}

function person(id: string, firstNames: string, lastName: string) {
  return { id, firstNames, lastName, contractedHours: [] };
}
