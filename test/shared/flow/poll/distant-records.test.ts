import { expect, test } from 'vitest';
import { DATE, DAY_MS, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const FEED = { connection: 'main', feed: 'timesheets' } as const;
const DAYS = 200;

test('a record that moved to a date of long ago is missed there once that date is in the window again', async () => {
  const store = createMemorySnapshotStore();
  const before = new PollHarness({ store, connection: { window: { backDays: 1, forwardDays: 1 } } });
  before.put(timesheet({ id: 'stays' }));
  await before.poll({ scope: 'window' });
  before.now += DAYS * DAY_MS;
  before.put(timesheet({ id: 'moves', date: before.day(DAYS) }));
  await before.poll({ scope: 'window' });
  before.put(timesheet({ id: 'moves', date: DATE }));
  await before.poll({ scope: 'window' });
  expect(await recordCounts(store)).toEqual({ [DATE]: 1, afar: 1 });

  const widened = { window: { backDays: DAYS + 2, forwardDays: 1 } };
  const after = new PollHarness({
    ...{ store, connection: widened },
    startAt: new Date(before.now + DAY_MS).toISOString(),
  });
  after.put(timesheet({ id: 'stays' }));
  await after.poll({ scope: 'window' });
  expect(after.news().filter((each) => each.startsWith('timesheet.'))).toEqual(['timesheet.removed moves']);
  expect(await recordCounts(store)).toEqual({ [DATE]: 1 });
});

/** Records by slice, without slices that have none. */
async function recordCounts(store: ReturnType<typeof createMemorySnapshotStore>) {
  const heads = await store.loadHeads(FEED, '');
  return Object.fromEntries(
    heads.flatMap(({ slice, recordCount }) => (recordCount === 0 ? [] : [[slice, recordCount]])),
  );
}
