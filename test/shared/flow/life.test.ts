import { expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import { NotifierError, SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import { DATE, DAY_MS, timesheet } from '#test/support/builders.ts';
import type { MemoryStore } from '#test/support/memory-store.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';
import { play, type Vocabulary } from '#test/support/script.ts';

const APPROVED = { approvedHours: '2026-03-05T00:30:00.000Z' };
const NEXT_DATE = addDays(DATE, 1);

const WORDS: Vocabulary = {
  ids: ['1_7', '2_7'],
  changes: {
    approve: () => APPROVED,
    spoil: () => ({ hoursToPay: 'seven' }),
    today: () => ({ date: DATE }),
    tomorrow: () => ({ date: NEXT_DATE }),
  },
  steps: {
    /** `add 8_7 2 approved`: a timesheet of so many days after the first date. */
    add: (harness, rest) => {
      const [id, days, fact] = rest.split(' ');
      const facts = { approved: APPROVED, unreadable: { hoursToPay: 'seven' } }[fact ?? ''] ?? {};
      harness.put(timesheet({ id, date: harness.day(Number(days)), ...facts }));
    },
    failsAfter: (harness, date) => failOn(harness, (each) => each > date),
    failsUntil: (harness, date) => failOn(harness, (each) => each <= date),
    answers: (harness, code) => {
      harness.onPage = () => new SourceError(code as SourceErrorCode, 'on purpose');
    },
    backDays: (harness, days) => {
      Object.assign(harness.connection.window, { backDays: Number(days) });
    },
    baselined: async (harness, rest) => {
      expect(Object.keys((await harness.state()).baselined).join()).toBe(rest);
    },
    /** So many at most were asked for, since the beginning. */
    pages: ({ requests }, most) => expect(requests.pages).toBeLessThanOrEqual(Number(most)),
    /** How many records are stored of a date. */
    stored: async (harness, rest) => {
      const [date = '', count] = rest.split(' ');
      const buckets = (await harness.head(date))?.buckets ?? [];
      expect(buckets.reduce((sum, each) => sum + each.count, 0)).toBe(Number(count));
    },
    /** The last events of all, with their sequences. */
    last: (harness, expected) => {
      const told = harness.texts.map((text) => JSON.parse(text) as Record<string, string>);
      const lines = told.map(
        ({ type, subject, sequence }) => `${type?.split('.')[2]} ${subject} ${sequence}`,
      );
      expect(lines.slice(-expected.split(', ').length).sort().join(', ')).toBe(expected);
    },
  },
};

function failOn(harness: PollHarness, isMeant: (date: string) => boolean): void {
  harness.onPage = ({ range }) =>
    range !== null && [range.from, range.to].some(isMeant)
      ? new SourceError('source_failed', 'failed', { status: 500 })
      : null;
}

async function watchedHarness(options: PollHarnessOptions = {}): Promise<PollHarness> {
  const harness = new PollHarness(options);
  harness.put(timesheet({ id: '1_7', date: DATE }), timesheet({ id: '2_7', date: NEXT_DATE }));
  await harness.poll();
  harness.news();
  return harness;
}

test.each([
  [
    'nothing is told of a new record: it may come from a date that was not read',
    `add 1_7 0; add 2_7 1; failsAfter ${DATE}; polls 3; today 1-2; add 3_7 0; poll; baselined ; fails no more; polls 8 1 baseline.completed, 2 created`,
  ],
  [
    'nothing is the baseline for an hour of failures; what is read then is',
    'add 1_7 0; answers source_failed; 10min; poll; 10min; poll; 10min; poll 1 began; polls 60; baselined ; fails no more; polls 3 1 baseline.completed, 1 ended',
  ],
  [
    'a record that moves is followed where it is',
    `add 1_7 0; failsAfter ${DATE}; polls 3; tomorrow 0-1; failsUntil ${DATE}; polls 8 1 baseline.completed, 1 changed, 2 began; fails no more; polls 8 2 ended; approve 0-1; polls 2 1 approved; last approved 1_7 2; stored ${DATE} 0`,
  ],
])('before every date was read once, %s', async (_, script) => {
  await play(new PollHarness(), script, WORDS);
});

test.each([
  [
    'a date that time brings: what has happened is told, mere existence is not',
    'add 8_7 2; add 9_7 2 approved; 1d; poll 1 created, 1 approved',
  ],
  [
    'a window that grows backwards is silent',
    'add 9_7 -3 approved; backDays 5; poll; add 9_7 -3; all 1 revoked',
  ],
  [
    'a silent source is told after three polls, that dates are late follows from it, and it is read at once when it answers',
    'answers source_unreachable; poll; pages 7; polls 5 1 began; polls 40; fails no more; approve 0-1; poll 1 ended, 1 approved',
  ],
  [
    'a source that answers none of few requests is told as well',
    'answers source_bad_response; polls 6 1 began; fails no more; poll 1 ended',
  ],
  [
    'a date that fails keeps its own time; the others go on',
    `fails ${DATE}; approve; polls 15 1 approved, 1 began; fails no more; polls 6 1 approved, 1 ended`,
  ],
  ['the trouble of a date that leaves the window ends', 'spoil 0-1; poll 1 began; 3d; poll 1 ended'],
  [
    'a record that was never readable and moves is created where it can be read',
    'add 9_7 0 unreadable; poll 1 began; add 9_7 1; all 1 created, 1 ended',
  ],
])('%s', async (_, script) => {
  await play(await watchedHarness(), script, WORDS);
});

test('a poll that lost its lease before it knew its table reads nothing', async () => {
  const harness = await watchedHarness();
  const { takeLease } = harness.store;
  const tableId = async () => {
    await takeLease('main', harness.now + 300_000, harness.now + 200_000);
    return null;
  };
  harness.store = { ...harness.store, tableId };
  expect(await harness.poll()).toMatchObject({ outcome: 'skipped', counts: { requests: 0 } });
});

test('what waited for the baseline to be whole was last not there when its date was first read', async () => {
  const harness = new PollHarness();
  await play(harness, `failsAfter ${DATE}; polls 2`, WORDS);
  const before = harness.now;
  await play(
    harness,
    'add 1_7 0; polls 3 1 began; fails no more; polls 8 1 baseline.completed, 1 created, 1 ended',
    WORDS,
  );
  const [created] = harness.texts.filter((text) => text.includes('timesheet.created'));
  expect(Date.parse(JSON.parse(created ?? '').data.observed.after)).toBeLessThan(before);
});

test('after a restore each row begins a new epoch, its state is sent again, and the next event is whole', async () => {
  const harness = await watchedHarness();
  const backup = (harness.store as MemoryStore).restored();
  await play(harness, 'approve 0-1; poll 1 approved', WORDS);
  harness.store = backup;
  await play(
    harness,
    '10min; all 1 approved, 2 snapshot; last approved 1_7 1, snapshot 1_7 1, snapshot 2_7 0; polls 3',
    WORDS,
  );
  const [before = '', ...epochs] = harness.texts
    .filter((text) => text.includes('"subject":"1_7"'))
    .map((text) => (JSON.parse(text) as { epoch: string }).epoch);
  expect(epochs.filter((epoch) => epoch <= before)).toEqual([]);
});

test('a restore is recognised also of a table whose polls were all killed', async () => {
  const harness = new PollHarness();
  await play(harness, 'add 1_7 0; killed 1 baseline.completed', WORDS);
  harness.store = (harness.store as MemoryStore).restored();
  await play(harness, '10min; all 1 baseline.completed, 1 snapshot', WORDS);
  expect((await harness.state()).restoredAt).not.toBe(null);
});

test('after a restore a date that is first read is sent as well, unless no poll could reach it before', async () => {
  const harness = await watchedHarness({ connection: { window: { backDays: 1, forwardDays: 0 } } });
  harness.store = (harness.store as MemoryStore).restored();
  await play(
    harness,
    `add 5_7 -3; add 6_7 1; 10min; backDays 5; all 2 snapshot; 1d; all; stored ${NEXT_DATE} 2`,
    WORDS,
  );
});

test('a busy hot date asks for another look within twenty seconds, a quiet one does not', async () => {
  const harness = await watchedHarness();
  harness.change(APPROVED, ['1_7']);
  const { followUpAt = 0 } = await harness.poll();
  expect(followUpAt - harness.now).toBeGreaterThan(10_000);
  expect(followUpAt - harness.now).toBeLessThanOrEqual(20_000);
  await harness.pollFor(5);
  expect(await harness.poll()).not.toHaveProperty('followUpAt');
});

test('a date that left the window long ago is deleted', async () => {
  const harness = await watchedHarness();
  harness.now += 70 * DAY_MS;
  await harness.pollFor(3);
  const dates = (await harness.store.loadHeads('main')).map(({ slice }) => slice);
  expect(Math.min(...dates.map((date) => Date.parse(date)))).toBeGreaterThan(harness.now - 3 * DAY_MS);
});

test('what is stored of one slice cannot be read: that slice waits, the others go on', async () => {
  const harness = await watchedHarness();
  const { store } = harness;
  const readBuckets: typeof store.readBuckets = async (connection, keys) => {
    if (keys.some(({ slice }) => slice === DATE)) throw new NotifierError('store_item_unreadable', 'damaged');
    return await store.readBuckets(connection, keys);
  };
  harness.store = { ...store, readBuckets };
  await play(harness, 'approve; polls 8 1 approved, 1 began', WORDS);
  harness.store = store;
  await play(harness, 'polls 6 1 approved, 1 ended', WORDS);
});
