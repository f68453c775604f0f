import { expect, test } from 'vitest';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { clocking, DATE, storedRow, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { play, type Vocabulary } from '#test/support/script.ts';
import { seedStore } from '#test/support/seeded-store.ts';

const WORDS: Vocabulary = {
  ids: Array.from({ length: 4 }, (_, place) => `${place}_7`),
  changes: {
    edit: ({ now }, place) => ({ hoursToPay: ((now / 1_000) % 1_000) + place }),
    approve: () => ({ approvedHours: '2026-03-05T01:00:30.000Z' }),
    revoke: () => ({ approvedHours: null }),
    clockIn: () => ({ clockIn: clocking() }),
    tomorrow: (harness) => ({ date: harness.day(1) }),
    back: () => ({ date: DATE }),
    nextMonth: (harness) => ({ date: harness.day(30) }),
    lastMonth: (harness) => ({ date: harness.day(-30) }),
    spoil: () => ({ hoursToPay: 'seven' }),
    blot: () => ({ hoursToPay: 'eight' }),
    mend: () => ({ hoursToPay: 7.5 }),
    undate: () => ({ date: null }),
    date: () => ({ date: DATE }),
    rewrite: () => ({ startTime: '2026-03-05T09:00:00+13:00', hoursToPay: 7.500_000_01 }),
  },
  steps: {
    add: (harness, rest) => harness.put(timesheet({ id: rest, date: DATE })),
    addBad: (harness, rest) => harness.put(timesheet({ id: rest, date: DATE, hoursToPay: 'seven' })),
    drop: (harness, rest) => harness.remove(rest),
    hide: (harness, rest) => {
      harness.listed = (records) => records.filter(({ id }) => id !== rest);
    },
    show: (harness) => {
      harness.listed = (records) => records;
    },
    asked: (harness, rest) => {
      expect(harness.requests.byId).toBe(Number(rest));
    },
    sequence: (harness, rest) => {
      const last = JSON.parse(harness.texts.at(-1) ?? '{}') as { sequence: number };
      expect(last.sequence).toBe(Number(rest));
    },
  },
};

test.each([
  ['another notation of the same values is no change', 'rewrite; all'],
  ['a record that is gone is asked for by id, and removed', 'remove 0-1; poll 1 removed; asked 1; polls 3'],
  ['one that comes back is followed anew', 'remove 0-1; poll 1 removed; add 0_7; poll 1 created; sequence 1'],
  [
    'one that its list leaves out stays, and is asked for twice an hour',
    'hide 1_7; polls 20; asked 1; show; polls 30; asked 1',
  ],
  ['what it becomes meanwhile is told', 'hide 1_7; approve 1-2; poll 1 approved; show; polls 5'],
  [
    'a failing request by id removes nothing',
    'fails lookups; remove 0-1; polls 3; fails no more; polls 6 1 removed',
  ],
  [
    'a move is one change, its sequence going on',
    'approve 0-1; poll 1 approved; tomorrow 0-1; all 1 changed; sequence 2; approve 0-1; all',
  ],
  ['to and fro', 'tomorrow 0-1; all 1 changed; back 0-1; all 1 changed; sequence 2; polls 3'],
  ['a move that changes more tells all of it', 'tomorrow 0-1; approve 0-1; all 1 approved, 1 changed'],
  [
    'a move out of the window is found by id',
    'nextMonth 0-1; poll 1 changed; back 0-1; poll 1 changed; sequence 2',
  ],
  [
    'a move to before the window as well',
    'lastMonth 0-1; poll 1 changed; polls 3; back 0-1; poll 1 changed; sequence 2',
  ],
  [
    'a bad record keeps its state, and is named once',
    'spoil 0-1; approve 0-1; poll 1 began; polls 5; mend 0-1; poll 1 approved, 1 ended',
  ],
  [
    'a new one that was never readable is created once it is',
    'addBad 9_7; poll 1 began; polls 3; add 9_7; poll 1 created, 1 ended; polls 3',
  ],
  [
    'one that goes without ever being readable ends its trouble alone',
    'addBad 9_7; poll 1 began; drop 9_7; poll 1 ended; polls 3',
  ],
  [
    'a record without a date is on the date that showed it',
    'undate 0-1; polls 2 1 began; date 0-1; approve 0-1; polls 2 1 approved, 1 ended',
  ],
  [
    'steps of one gap come in the order of a life',
    'approve 0-1; clockIn 0-1; poll 1 approved, 1 clocked_in; sequence 2',
  ],
  [
    'a list that fails for a page tells what it shows, and no absence',
    `fails ${DATE}; remove 0-1; approve 1-2; polls 3; fails no more; polls 6 1 approved, 1 removed`,
  ],
])('%s', async (_, script) => {
  await play(await watchedHarness(), script, WORDS);
});

test.each([
  ['its list shows it again', 'mend 0-1; poll 1 ended; approve 0-1; poll 1 approved; sequence 1'],
  [
    'it answers by id alone',
    'mend 0-1; hide 0_7; poll 1 ended; show; polls 3; approve 0-1; poll 1 approved; sequence 1',
  ],
  ['it answers by id, still unreadable', 'blot 0-1; hide 0_7; poll; mend 0-1; show; poll 1 ended; polls 3'],
  [
    'another date shows it',
    'tomorrow 0-1; mend 0-1; all 1 ended; polls 3; approve 0-1; all 1 approved; sequence 1',
  ],
  [
    'it answers by id, of a date that is not watched',
    'nextMonth 0-1; mend 0-1; poll 1 ended; polls 3; back 0-1; poll 1 changed; sequence 1',
  ],
])('who was there and unreadable when a date was read first is no news once %s', async (_, script) => {
  await play(await watchedHarness({ '0_7': { hoursToPay: 'seven' } }), script, WORDS);
});

async function watchedHarness(values: Readonly<Record<string, object>> = {}): Promise<PollHarness> {
  const harness = new PollHarness();
  harness.put(...WORDS.ids.map((id) => timesheet({ id, date: DATE, ...values[id] })));
  await harness.poll();
  harness.news();
  return harness;
}

test('an unchanged look reads no bucket, and a poll without news writes its lease alone', async () => {
  const harness = await watchedHarness();
  const calls: string[] = [];
  await harness.poll();
  harness.now += 60_000;
  await harness.pollNow({ all: true }, (ports) => ({
    ...ports,
    store: new Proxy(ports.store, {
      get: (target, name, receiver) => {
        calls.push(String(name));
        return Reflect.get(target, name, receiver) as unknown;
      },
    }),
  }));
  expect(calls).toEqual(['takeLease', 'tableId', 'loadHeads', 'giveBack']);
});

test('an event that does not fit its schema is not committed: its record is a bad one, and the others are told', async () => {
  const harness = await watchedHarness();
  // As no release stores it.
  const [odd, other] = WORDS.ids.slice(0, 2).map((id) => storedRow(timesheet({ id })));
  const rows = [{ ...odd, text: odd?.text?.replace('7.5', '"many"') }, other] as StoredRow[];
  await seedStore(harness.store, { at: harness.now, slices: [{ slice: DATE, rows }] });
  await play(harness, 'edit 0-2; remove 2-4; polls 2 1 changed, 1 began', WORDS);
  expect(JSON.parse(harness.texts.at(-1) ?? '').data).toMatchObject({
    ...{ about: ['0_7'], count: 1, cause: 'data.previous.hoursToPay' },
  });
});
