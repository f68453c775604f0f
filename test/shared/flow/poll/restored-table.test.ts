import { describe, expect, test } from 'vitest';
import { type Folded, fold } from '#kit/fold.ts';
import type { RecordEvent } from '#kit/workforce-event.ts';
import { isToRenew } from '#shared/core/commit/renewal.ts';
import { payPeriod, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import type { MemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness, type PublishedEvent } from '#test/support/poll-harness.ts';

const SHEET = timesheet({ id: '1_7' });
const STAMP = '2026-03-05T01:30:00.000Z';
const LATER = '2026-03-05T03:00:00Z';

describe('a table whose id cannot be read', () => {
  test('gets nothing of a poll, which says why; the next poll that can read it goes on', async () => {
    const { backup, live } = await createBackup();
    const restored = new PollHarness({ store: withoutId(backup), startAt: LATER });
    const before = await storedIn(backup);
    restored.put({ ...SHEET, approvedHours: STAMP });
    const report = await restored.poll();

    expect(report).toMatchObject({
      outcome: 'incomplete',
      reasons: [expect.stringContaining('the id of the table cannot be read')],
      counts: { requests: 0, eventsPublished: 0 },
    });
    expect(restored.lines).toEqual([{ outcome: 'poll.skipped', ...TIMESHEETS, reason: 'table_unknown' }]);
    expect(await storedIn(backup)).toEqual(before);
    expect(restored.texts).toEqual([]);

    const known = new PollHarness({ store: backup, startAt: LATER });
    await known.see({ ...SHEET, approvedHours: STAMP });
    expect(known.headings).toEqual(['timesheet.approved 1_7']);
    expect(known.published[0]?.sequence).toBe(1);
    expect(String(known.published[0]?.epoch) > String(live.published.at(-1)?.epoch)).toBe(true);
  });

  test('gets no first poll either: rows may have come with a backup', async () => {
    const { backup } = await createBackup();
    const restored = new PollHarness({ store: { ...withoutId(backup), loadFeedState: async () => null } });
    expect((await restored.poll()).outcome).toBe('incomplete');
  });
});

describe('what nobody knows of the time between backup and restore', () => {
  test('who folds all events knows that an approval was taken back, though the source is as the backup', async () => {
    const live = new PollHarness();
    await live.see();
    await live.see(SHEET);
    const backup = live.store.restored();
    await live.see({ ...SHEET, approvedHours: STAMP });
    expect(foldAllOf(live).get('1_7')?.current).toMatchObject({ approvedHours: STAMP });

    const restored = new PollHarness({ store: backup, startAt: LATER });
    await restored.see(SHEET);
    expect(restored.news()).toEqual([]);
    await restored.poll();
    expect(restored.headings).toEqual(['timesheet.snapshot 1_7']);
    const [snapshot] = restored.published;
    expect(snapshot).toMatchObject({ sequence: 0, data: { previous: null, changed: [] } });
    const state = foldAllOf(live, restored).get('1_7');
    expect(state?.current).toEqual(snapshot?.data.current);
    expect(state?.current).toMatchObject({ approvedHours: null });
    expect(restored.lines).toContainEqual({ outcome: 'restore.renewed', ...TIMESHEETS, records: 1 });
  });

  test('a snapshot comes once; the events after it go on from it, the first with the whole record', async () => {
    const { backup } = await createBackup();
    const restored = new PollHarness({ store: backup, startAt: LATER });
    for (let polls = 0; polls < 5; polls += 1) await restored.see(SHEET);
    expect(restored.news()).toEqual(['timesheet.snapshot 1_7']);
    expect(await hasDatesToRenew(backup)).toBe(false);
    await restored.see({ ...SHEET, approvedHours: STAMP });
    await restored.see(SHEET);

    const [snapshot, ...events] = restored.texts.map((text) => JSON.parse(text) as PublishedEvent);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(new Set(events.map(({ epoch }) => epoch))).toEqual(new Set([snapshot?.epoch]));
    expect(events[0]?.data.current).toHaveProperty('details');
    expect(events[1]?.data.current).not.toHaveProperty('details');
    expect(events[1]?.data.reverses).toBe(events[0]?.id);
  });

  test('a record that changed begins with its events, and gets no snapshot', async () => {
    const { backup } = await createBackup();
    const restored = new PollHarness({ store: backup, startAt: LATER });
    for (let polls = 0; polls < 4; polls += 1) await restored.see({ ...SHEET, approvedHours: STAMP });
    expect(restored.news()).toEqual(['timesheet.approved 1_7']);
  });

  test('pay periods begin anew, too', async () => {
    const live = new PollHarness();
    live.payPeriods = () => [payPeriod()];
    await live.poll({ feed: 'pay-periods' });
    const restored = new PollHarness({ store: live.store.restored(), startAt: LATER });
    restored.payPeriods = () => [payPeriod()];
    for (let polls = 0; polls < 4; polls += 1) await restored.poll({ feed: 'pay-periods' });
    expect(restored.news()).toEqual([`pay_period.snapshot ${payPeriod().id}`]);
  });

  test('a record that a look cannot see waits until one does', async () => {
    const live = new PollHarness();
    const other = timesheet({ id: '2_7' });
    await live.see(SHEET, other);
    const restored = new PollHarness({ store: live.store.restored(), startAt: LATER });
    restored.put(other);
    for (let polls = 0; polls < 4; polls += 1) await restored.see({ ...SHEET, hoursToPay: 'many' });
    expect(restored.news().filter((each) => !each.includes(' records_unreadable '))).toEqual([
      'timesheet.snapshot 2_7',
    ]);
    expect(await hasDatesToRenew(restored.store)).toBe(true);
    for (let polls = 0; polls < 4; polls += 1) await restored.see(SHEET);
    expect(restored.news().filter((each) => !each.includes(' records_unreadable '))).toEqual([
      'timesheet.snapshot 1_7',
    ]);
    expect(await hasDatesToRenew(restored.store)).toBe(false);
  });

  test('a record that waits is not forgotten when its date takes several polls', async () => {
    const sheets = Array.from({ length: 5_000 }, (_, index) => timesheet({ id: `${index}_7` }));
    const isBad = ({ id }: { id: string }) => Number.parseInt(id, 10) < 6;
    const live = new PollHarness();
    await live.see(...sheets);
    const restored = new PollHarness({ store: live.store.restored(), startAt: LATER });
    restored.put(...sheets.map((sheet) => (isBad(sheet) ? { ...sheet, hoursToPay: 'many' } : sheet)));
    await restored.poll({ scope: 'window' });
    for (let polls = 0; polls < 4; polls += 1) await restored.poll();
    const renewed = () => restored.news().filter((each) => each.startsWith('timesheet'));
    expect(renewed()).toHaveLength(sheets.length - 6);
    restored.put(...sheets);
    for (let polls = 0; polls < 4; polls += 1) await restored.poll({ scope: 'window' });
    expect(renewed().sort()).toEqual(sheets.filter(isBad).map(({ id }) => `timesheet.snapshot ${id}`));
  });

  test('many records drain over polls, each once, and a killed poll takes none away', async () => {
    const sheets = Array.from({ length: 5_000 }, (_, index) =>
      timesheet({ id: `${index}_7`, date: index % 2 === 0 ? '2026-03-05' : '2026-03-04' }),
    );
    const live = new PollHarness();
    await live.see(...sheets);
    const backup = live.store.restored();
    let broken = false;
    const store: MemorySnapshotStore = {
      ...backup,
      saveFeedState: async (write) => {
        if (!broken) return await backup.saveFeedState(write);
        broken = false;
        throw new Error('the function was ended');
      },
    };
    const restored = new PollHarness({ store, startAt: LATER });
    restored.put(...sheets);
    await restored.poll({ scope: 'window' });
    const counts: number[] = [];
    for (let polls = 0; polls < 6; polls += 1) {
      broken = polls === 1;
      await restored.poll().catch(() => {});
      counts.push(restored.news().length);
    }
    expect(Math.max(...counts)).toBeLessThan(4_000);
    expect(counts.filter((count) => count > 0).length).toBeGreaterThanOrEqual(2);
    expect(restored.texts).toHaveLength(sheets.length);
    expect(new Set(restored.texts.map((text) => (JSON.parse(text) as PublishedEvent).subject)).size).toBe(
      sheets.length,
    );
    expect(await hasDatesToRenew(backup)).toBe(false);
  });
});

describe('a date that comes into the window after a restore', () => {
  const WINDOW = { backDays: 1, forwardDays: 1 };
  const BEYOND = '2026-03-09';

  test('brings what was told before of its timesheets: who folds all events has them as they are', async () => {
    const live = new PollHarness({ connection: { window: WINDOW } });
    await live.see();
    const backup = live.store.restored();
    await live.see(SHEET);
    expect(live.news()).toContain('timesheet.created 1_7');

    const restored = new PollHarness({ store: backup, startAt: LATER, connection: { window: WINDOW } });
    const moved = { ...SHEET, date: BEYOND, hoursToPay: 3 };
    await restored.see(moved);
    await restored.poll();
    expect(restored.news()).toEqual([]);
    restored.now = Date.parse('2026-03-08T03:00:00Z');
    for (let polls = 0; polls < 5; polls += 1) await restored.see(moved);
    expect(restored.news()).toEqual(['timesheet.snapshot 1_7']);
    const state = foldAllOf(live, restored).get('1_7');
    expect(state?.current).toMatchObject({ date: BEYOND, hoursToPay: 3 });
  });

  test('brings nothing once a month has passed', async () => {
    const live = new PollHarness({ connection: { window: WINDOW } });
    await live.see();
    const store = live.store.restored();
    const restored = new PollHarness({ store, startAt: LATER, connection: { window: WINDOW } });
    await restored.see();
    restored.now = Date.parse('2026-04-06T03:00:00Z');
    await restored.see({ ...SHEET, date: '2026-04-06' }, { ...SHEET, id: '2_7', date: '2026-04-07' });
    for (let polls = 0; polls < 3; polls += 1) await restored.poll({ scope: 'window' });
    expect(restored.news()).toEqual(['timesheet.snapshot 1_7']);
    expect(await stateIn(store)).not.toHaveProperty('renewal');
  });

  test('is told once, however many polls it takes', async () => {
    const live = new PollHarness({ connection: { window: WINDOW } });
    await live.see();
    const store = live.store.restored();
    const restored = new PollHarness({ store, startAt: LATER, connection: { window: WINDOW } });
    await restored.see();
    restored.now = Date.parse('2026-03-08T03:00:00Z');
    restored.put(
      ...Array.from({ length: 7_000 }, (_, index) => timesheet({ id: `${index}_7`, date: BEYOND })),
    );
    await restored.poll({ scope: 'window' });
    for (let polls = 0; polls < 6; polls += 1) await restored.poll();
    expect(restored.texts).toHaveLength(7_000);
    expect(await hasDatesToRenew(store)).toBe(false);
  });
});

/** A table after a timesheet was seen, and the source that was polled into it. */
async function createBackup() {
  const live = new PollHarness();
  await live.see();
  await live.see(SHEET);
  const backup = live.store.restored();
  await live.see({ ...SHEET, hoursToPay: 3 });
  return { live, backup };
}

function withoutId(store: MemorySnapshotStore): MemorySnapshotStore {
  return { ...store, tableId: async () => null };
}

/** All that commits write: the state, and the heads with their outboxes. */
async function storedIn(store: MemorySnapshotStore) {
  return [await store.loadFeedState(TIMESHEETS), await store.loadHeads(TIMESHEETS, '')];
}

/** Whether rows of the window have not begun their epochs; dates to come do not count. */
async function hasDatesToRenew(store: MemorySnapshotStore): Promise<boolean> {
  const { renewal } = (await stateIn(store)) ?? {};
  const heads = (await store.loadHeads(TIMESHEETS, '')).filter(({ recordCount }) => recordCount > 0);
  return renewal !== undefined && heads.some((head) => isToRenew(head.slice, renewal, head));
}

async function stateIn(store: MemorySnapshotStore, feed = TIMESHEETS) {
  return (await store.loadFeedState(feed))?.state;
}

/** What a subscriber knows who folds all events of some tables, by record. */
function foldAllOf(...tables: readonly PollHarness[]): Map<string, Folded> {
  const states = new Map<string, Folded>();
  for (const text of tables.flatMap(({ texts }) => texts)) {
    const event = JSON.parse(text) as RecordEvent;
    const { subject = '' } = event;
    if (subject !== '') states.set(subject, fold(states.get(subject) ?? null, event).state);
  }
  return states;
}
