import { describe, expect, test } from 'vitest';
import { TIMESHEETS, timesheet } from '#test/support/builders.ts';
import type { MemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

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
    expect(known.headlines).toEqual(['timesheet.approved 1_7']);
    expect(known.published[0]?.sequence).toBe(1);
    expect(String(known.published[0]?.epoch) > String(live.published.at(-1)?.epoch)).toBe(true);
  });

  test('gets no first poll either: rows may have come with a backup', async () => {
    const { backup } = await createBackup();
    const restored = new PollHarness({ store: { ...withoutId(backup), loadFeedState: async () => null } });
    expect((await restored.poll()).outcome).toBe('incomplete');
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
