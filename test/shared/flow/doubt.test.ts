import { expect, test } from 'vitest';
import { DATE, timesheet } from '#test/support/builders.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';
import { play, type Vocabulary } from '#test/support/script.ts';

const APPROVED = '2026-03-05T00:30:00.000Z';
const WORDS: Vocabulary = {
  ids: Array.from({ length: 30 }, (_, place) => `100_${String(place).padStart(2, '0')}`),
  changes: {
    lose: () => ({ approvedHours: null }),
    regain: () => ({ approvedHours: APPROVED }),
    process: () => ({ processed: APPROVED }),
    edit: ({ now }, place) => ({ hoursToPay: (now % 1_000) + place }),
    spoil: () => ({ hoursToPay: 'seven' }),
    mend: () => ({ hoursToPay: 7.5 }),
    move: (harness) => ({ date: harness.day(1) }),
    moveAndLose: (harness) => ({ date: harness.day(1), approvedHours: null }),
  },
  steps: {
    empty: (harness) => {
      harness.listed = () => [];
    },
    full: (harness) => {
      harness.listed = (records) => records;
    },
    deleted: (harness, rest) => void harness.remove(...WORDS.ids.slice(0, Number(rest))),
    doubt: async (harness, rest) => {
      expect((await harness.head(DATE))?.doubt === null ? 'none' : 'noted').toBe(rest);
    },
  },
};

test.each([
  ['what two looks would take away', 'lose; polls 2 30 revoked'],
  ['what leaves a date that is in doubt', 'moveAndLose 0-20; polls 3 20 revoked, 20 changed'],
])('%s was last seen before the first of them', async (_, script) => {
  const harness = await approvedHarness();
  await harness.poll();
  const before = harness.now;
  harness.texts.length = 0;
  await play(harness, script, WORDS);
  for (const text of harness.texts)
    expect(Date.parse(JSON.parse(text).data.observed.after)).toBeLessThan(before);
});

test.each([
  ['less than half are believed at once', 'lose 0-15; poll 15 revoked'],
  ['gaining a fact is never doubtful', 'process; poll 30 processed'],
  [
    'two looks, a minute apart, that lose the same are believed',
    'lose 0-20; poll; doubt noted; poll 20 revoked; doubt none',
  ],
  [
    'other news goes on meanwhile, once what it stands beside is told',
    'lose 0-20; edit 29-30; poll; poll 20 revoked, 1 changed',
  ],
  ['regained before the second look: nothing happened', 'lose; poll; regain; polls 3; doubt none'],
  [
    'most are regained: the rest is told by a third look',
    'lose; poll; regain 1-; polls 3 1 revoked; doubt none',
  ],
  [
    'in two halves: the first is believed, the second waits',
    'lose 0-15; poll 15 revoked; lose; poll; poll 15 revoked',
  ],
  [
    'a poll that is killed has noted it: its lease ends within two minutes',
    'lose 0-20; killed; poll; poll 20 revoked',
  ],
  [
    'not seen whole by the second look: told by the next one that is',
    `lose 0-20; poll; fails ${DATE}; polls 2; fails no more; polls 6 20 revoked`,
  ],
  [
    'with a move to another date: both looks count it',
    'moveAndLose 0-20; poll; polls 2 20 revoked, 20 changed',
  ],
  ['a move that loses nothing is told at once', 'move 0-20; all 20 changed'],
  [
    'most records cannot be read: the second look believes it, and names them',
    'spoil 0-20; poll; polls 2 1 began; mend; polls 3 1 ended',
  ],
  ['a source that answers empty for a day tells nothing', 'empty; polls 60; full; polls 3; doubt none'],
])('most of a date loses something at once: %s', async (_, script) => {
  await play(await approvedHarness(), script, WORDS);
});

test('most records are deleted: each is asked for, once two looks lack them', async () => {
  const harness = await approvedHarness();
  await play(harness, 'deleted 20; poll; doubt noted', WORDS);
  expect(harness.requests.byId).toBe(0);
  await play(harness, 'poll 20 removed; doubt none', WORDS);
  expect(harness.requests.byId).toBe(20);
});

test('a first look at a date that waits for a second one is none yet: who is on it is no news', async () => {
  const harness = await approvedHarness({ connection: { window: { backDays: 2, forwardDays: 1 } } });
  harness.put(timesheet({ id: '200_1', date: harness.day(2) }));
  harness.change({ date: harness.day(2), approvedHours: null }, WORDS.ids.slice(0, 20));
  const connection = { ...harness.connection, window: { backDays: 2, forwardDays: 2 } };
  for (let polls = 0; polls < 3; polls += 1) await harness.poll({ connection });
  expect(harness.published.filter(({ subject }) => subject === '200_1')).toEqual([]);
  expect(harness.published.length).toBe(40);
});

test('half a look that tells something else of a bucket leaves it in doubt', async () => {
  const harness = await approvedHarness({ connection: { requests: { pageSize: 5 } } });
  const script =
    'deleted 20; poll; doubt noted; edit 20-21; fails page 2; poll 1 changed; doubt noted; fails no more; polls 2 20 removed; doubt none';
  await play(harness, script, WORDS);
  const removed = harness.texts.filter((text) => text.includes('timesheet.removed'));
  const afters = removed.map(
    (text) => (JSON.parse(text) as { data: { observed: { after: string } } }).data.observed.after,
  );
  expect(new Set(afters)).toEqual(new Set(['2026-03-05T01:00:00.050Z']));
});

async function approvedHarness(options: PollHarnessOptions = {}): Promise<PollHarness> {
  const harness = new PollHarness(options);
  harness.put(
    ...WORDS.ids.map((id) => timesheet({ id, date: DATE, hoursToPay: 7.5, approvedHours: APPROVED })),
  );
  await harness.poll();
  harness.news();
  return harness;
}
