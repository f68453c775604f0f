import { expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import { NotifierError, SourceError } from '#shared/core/errors.ts';
import { clocking, DATE, DAY_MS, MINUTE_MS, timesheet } from '#test/support/builders.ts';
import type { MemoryStore } from '#test/support/memory-store.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';

const APPROVED = { approvedHours: '2026-03-05T00:30:00.000Z' };

async function watchedHarness(options: PollHarnessOptions = {}): Promise<PollHarness> {
  const harness = new PollHarness(options);
  harness.put(timesheet({ id: '1_7', date: DATE }), timesheet({ id: '2_7', date: harness.day(1) }));
  await harness.poll();
  harness.news();
  return harness;
}

test('nothing of a new record is told before every date was read once: it may come from one that was not', async () => {
  const harness = new PollHarness();
  harness.put(timesheet({ id: '1_7', date: DATE }), timesheet({ id: '2_7', date: harness.day(1) }));
  const fails = () => new SourceError('source_failed', 'failed', { status: 500 });
  harness.onPage = ({ range }) => (range !== null && range.to >= harness.day(1) ? fails() : null);
  await harness.pollFor(3);
  harness.change({ date: DATE }, ['2_7']);
  harness.put(timesheet({ id: '3_7', date: DATE }));
  expect(await harness.poll()).toMatchObject({ baselined: [] });
  harness.onPage = () => null;
  await harness.pollFor(8);
  expect(
    harness
      .news()
      .filter((each) => !each.includes('dates_unreadable'))
      .sort(),
  ).toEqual(['baseline.completed', 'timesheet.created 2_7', 'timesheet.created 3_7']);
});

test('a source that could not be read for an hour has no baseline; what is read then is', async () => {
  const harness = new PollHarness();
  harness.put(timesheet({ id: '1_7', date: DATE }));
  harness.onPage = () => new SourceError('source_failed', 'failed', { status: 500 });
  for (let polls = 0; polls < 9; polls += 1) {
    harness.now += 10 * MINUTE_MS;
    await harness.poll();
  }
  expect(await harness.state()).toMatchObject({ baselined: {} });
  harness.onPage = () => null;
  await harness.pollFor(3);
  expect(harness.news()).toContain('baseline.completed');
  expect(harness.news()).not.toContain('timesheet.created 1_7');
});

test('a record that moves while the baseline is read is followed where it is', async () => {
  const harness = new PollHarness();
  harness.put(timesheet({ id: '1_7', date: DATE }));
  const fails = (isMeant: (date: string) => boolean) => {
    harness.onPage = ({ range }) =>
      range !== null && [range.from, range.to].some(isMeant)
        ? new SourceError('source_failed', 'failed', { status: 500 })
        : null;
  };
  fails((date) => date > DATE);
  await harness.pollFor(3);
  harness.change({ date: harness.day(1) });
  fails((date) => date <= DATE);
  await harness.pollFor(8);
  fails(() => false);
  await harness.pollFor(8);
  harness.change(APPROVED);
  await harness.pollFor(2);
  const ofRecord = harness.published.filter(({ subject }) => subject === '1_7');
  expect(ofRecord.map(({ type, sequence }) => `${type.slice(10)} ${sequence}`)).toEqual([
    'timesheet.changed 1',
    'timesheet.approved 2',
  ]);
  expect((await harness.head(DATE))?.buckets).toMatchObject([{ count: 0 }]);
});

test('what waited for the baseline to be whole was last not there when its date was first read', async () => {
  const harness = new PollHarness();
  harness.onPage = ({ range }) =>
    range !== null && range.to > DATE ? new SourceError('source_failed', 'failed', { status: 500 }) : null;
  await harness.pollFor(2);
  const before = harness.now;
  harness.put(timesheet({ id: '1_7', date: DATE }));
  await harness.pollFor(3);
  harness.onPage = () => null;
  await harness.pollFor(8);
  const created = harness.published.find(({ type }) => type.endsWith('timesheet.created'));
  const { after } = (created?.data.observed ?? {}) as { readonly after: string };
  expect(Date.parse(after)).toBeLessThan(before);
});

test('a date that time brings: what has happened is told, mere existence is not', async () => {
  const harness = await watchedHarness();
  harness.put(
    timesheet({ id: '8_7', date: harness.day(2) }),
    timesheet({ id: '9_7', date: harness.day(2), ...APPROVED }),
  );
  harness.now += DAY_MS;
  await harness.poll();
  expect(harness.news()).toEqual(['timesheet.created 9_7', 'timesheet.approved 9_7']);
});

test('a window that grows backwards is silent', async () => {
  const harness = await watchedHarness();
  harness.put(timesheet({ id: '9_7', date: harness.day(-3), ...APPROVED }));
  await harness.poll({ connection: { ...harness.connection, window: { backDays: 5, forwardDays: 1 } } });
  expect(harness.news()).toEqual([]);
  harness.change({ approvedHours: null }, ['9_7']);
  await harness.poll({
    all: true,
    connection: { ...harness.connection, window: { backDays: 5, forwardDays: 1 } },
  });
  expect(harness.news()).toEqual(['timesheet.approval_revoked 9_7']);
});

test('after a restore each row begins a new epoch, its state is sent again, and the next event is whole', async () => {
  const harness = await watchedHarness();
  const backup = (harness.store as MemoryStore).restored();
  harness.change(APPROVED, ['1_7']);
  await harness.poll();
  const [before] = harness.published;
  harness.news();
  harness.store = backup;
  harness.now += 10 * MINUTE_MS;
  await harness.poll({ all: true });
  const told = harness.published.map(
    ({ type, subject, sequence }) => `${type.slice(10)} ${subject} ${sequence}`,
  );
  expect(told.sort()).toEqual([
    'timesheet.approved 1_7 1',
    'timesheet.snapshot 1_7 1',
    'timesheet.snapshot 2_7 0',
  ]);
  expect(
    harness.published.every(({ epoch }) => (epoch ?? '') > (before?.epoch ?? '') || epoch === undefined),
  ).toBe(true);
  harness.news();
  await harness.pollFor(3);
  expect(harness.news()).toEqual([]);
});

test('a restore is recognised also of a table whose polls were all killed', async () => {
  const harness = new PollHarness();
  harness.put(timesheet({ id: '1_7', date: DATE }));
  const { giveBack } = harness.store;
  harness.store.giveBack = () => Promise.reject(new Error('killed'));
  await expect(harness.poll()).rejects.toThrow('killed');
  const backup = (harness.store as MemoryStore).restored();
  harness.store.giveBack = giveBack;
  harness.now += 10 * MINUTE_MS;
  harness.store = backup;
  await harness.poll({ all: true });
  expect((await harness.state()).restoredAt).not.toBe(null);
});

test('so is a date that is first read since, unless no poll could reach it before', async () => {
  const harness = await watchedHarness({ connection: { window: { backDays: 1, forwardDays: 0 } } });
  harness.put(
    timesheet({ id: '5_7', date: addDays(DATE, -3) }),
    timesheet({ id: '6_7', date: addDays(DATE, 1) }),
  );
  harness.store = (harness.store as MemoryStore).restored();
  harness.now += 10 * MINUTE_MS;
  const connection = { ...harness.connection, window: { backDays: 5, forwardDays: 0 } };
  await harness.poll({ all: true, connection });
  expect(harness.news().filter((each) => each.endsWith('5_7'))).toEqual(['timesheet.snapshot 5_7']);
  harness.now += DAY_MS;
  await harness.poll({ all: true, connection });
  expect(await harness.head(addDays(DATE, 1))).toMatchObject({ buckets: [{ count: 2 }] });
  expect(harness.news()).toEqual([]);
});

test('a table that nobody can name is not written to', async () => {
  const harness = await watchedHarness();
  harness.change(APPROVED, ['1_7']);
  harness.store = { ...harness.store, tableId: async () => null };
  expect(await harness.poll()).toMatchObject({ outcome: 'skipped', counts: { requests: 0 } });
  expect(harness.news()).toEqual([]);
});

test('nor is one by a poll that lost its lease meanwhile', async () => {
  const harness = await watchedHarness();
  const { takeLease } = harness.store;
  const slow = async () => {
    await takeLease('main', harness.now + 300_000, harness.now + 200_000);
    return null;
  };
  harness.store = { ...harness.store, tableId: slow };
  expect(await harness.poll()).toMatchObject({ outcome: 'skipped' });
});

test('a silent source ends the poll, is told after three of them, and is read at once when it answers', async () => {
  const harness = await watchedHarness({ connection: { window: { backDays: 3, forwardDays: 1 } } });
  harness.onPage = () => new SourceError('source_unreachable', 'no answer');
  const pages = harness.requests.pages;
  await harness.poll();
  expect(harness.requests.pages - pages).toBeLessThanOrEqual(6);
  await harness.pollFor(5);
  expect(harness.news()).toEqual(['began source_unreachable source']);
  // That dates are late follows from it.
  await harness.pollFor(40);
  expect(harness.news()).toEqual([]);
  harness.onPage = () => null;
  harness.change(APPROVED, ['1_7']);
  await harness.poll();
  expect(harness.news().sort()).toEqual(['ended source_unreachable source', 'timesheet.approved 1_7']);
});

test('a source that answers none of few requests is told as well', async () => {
  const harness = await watchedHarness();
  harness.onPage = () => new SourceError('source_bad_response', 'a page of a proxy');
  await harness.pollFor(6);
  expect(harness.news()).toEqual(['began source_unreachable source']);
  harness.onPage = () => null;
  await harness.poll();
  expect(harness.news()).toEqual(['ended source_unreachable source']);
});

test('a date that fails keeps its own time; the others go on', async () => {
  const harness = await watchedHarness();
  harness.onPage = ({ range }) =>
    range !== null && range.from <= DATE && DATE <= range.to
      ? new SourceError('source_failed', 'failed', { status: 500 })
      : null;
  harness.change(APPROVED, ['1_7', '2_7']);
  await harness.pollFor(15);
  expect(harness.news()).toEqual(['timesheet.approved 2_7', `began dates_unreadable ${DATE}`]);
  harness.onPage = () => null;
  await harness.pollFor(6);
  expect(harness.news()).toEqual(['timesheet.approved 1_7', `ended dates_unreadable ${DATE}`]);
});

test('a missing clocking is told once, and what ends it says so', async () => {
  const harness = await watchedHarness({ connection: { absences: { clockInMinutes: 10 } } });
  harness.change({ startTime: '2026-03-05T01:05:00Z' }, ['1_7']);
  await harness.poll();
  harness.news();
  await harness.pollFor(30);
  expect(harness.published.map(({ type, data }) => [type.slice(20), data.occurredAt])).toEqual([
    ['clock_in_missing', '2026-03-05T01:15:00.000Z'],
  ]);
  harness.news();
  harness.change({ clockIn: clocking() }, ['1_7']);
  await harness.poll();
  expect(harness.published[0]?.data).toMatchObject({
    changed: ['clockIn', 'clockInMissing'],
    previous: { clockIn: null, clockInMissing: '2026-03-05T01:15:00.000Z' },
  });
});

test('a busy hot date asks for another look within twenty seconds, a quiet one does not', async () => {
  const harness = await watchedHarness();
  harness.change(APPROVED, ['1_7']);
  const { followUpAt } = await harness.poll();
  expect((followUpAt ?? 0) - harness.now).toBeGreaterThan(10_000);
  expect((followUpAt ?? 0) - harness.now).toBeLessThanOrEqual(20_000);
  await harness.pollFor(5);
  expect(await harness.poll()).not.toHaveProperty('followUpAt');
});

test('the trouble of a date that leaves the window ends', async () => {
  const harness = await watchedHarness();
  harness.change({ hoursToPay: 'seven' }, ['1_7']);
  await harness.poll();
  expect(harness.news()).toEqual([`began records_unreadable ${DATE}`]);
  harness.now += 3 * DAY_MS;
  await harness.poll();
  expect(harness.news()).toEqual([`ended records_unreadable ${DATE}`]);
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
  const { readBuckets } = harness.store;
  harness.store.readBuckets = async (connection, keys) => {
    if (keys.some(({ slice }) => slice === DATE)) throw new NotifierError('store_item_unreadable', 'damaged');
    return await readBuckets(connection, keys);
  };
  harness.change(APPROVED);
  await harness.pollFor(8);
  expect(harness.news()).toEqual(['timesheet.approved 2_7', `began dates_unreadable ${DATE}`]);
  harness.store.readBuckets = readBuckets;
  await harness.pollFor(6);
  expect(harness.news()).toEqual(['timesheet.approved 1_7', `ended dates_unreadable ${DATE}`]);
});

test('a record that was never readable and moves is created where it can be read', async () => {
  const harness = await watchedHarness();
  harness.put(timesheet({ id: '9_7', date: DATE, hoursToPay: 'seven' }));
  await harness.poll();
  harness.put(timesheet({ id: '9_7', date: harness.day(1) }));
  await harness.poll({ all: true });
  await harness.poll({ all: true });
  expect(harness.news()).toEqual([
    `began records_unreadable ${DATE}`,
    'timesheet.created 9_7',
    `ended records_unreadable ${DATE}`,
  ]);
});
