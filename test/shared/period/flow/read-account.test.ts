import { expect, test } from 'vitest';
import type { GenerationPlan } from '#shared/core/commit/generation.ts';
import { readAccount, viewPeriod } from '#shared/period/flow/read-account.ts';
import { EARLIER, leafRow, slice, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';

const PERIOD = { calendar: 'Weekly', startDate: '2026-03-02', finishDate: '2026-03-03' };

test('a date that is read first while the others are counted stays as it was judged: not read', async () => {
  const store = createMemorySnapshotStore();
  const commit = async ({ head, leaves }: GenerationPlan, revision: number) =>
    await store.commit({
      feed: TIMESHEETS,
      token: `${head.slice}@${revision}`,
      heads: [
        {
          head: { ...head, revision },
          expectedRevision: revision === 1 ? null : revision - 1,
          changedLeaves: null,
        },
      ],
      leaves,
      ...{ events: null, eventsExpireAt: EARLIER },
    });
  await commit(dateOf('2026-03-02', ['1_7']), 1);
  const source = { connection: 'main', store, hasTimeLeft: () => true };
  const view = await viewPeriod(PERIOD, source);

  // What is stored of the first date is no longer what its head says: heads are loaded again.
  await commit(dateOf('2026-03-02', ['1_7', '2_7']), 2);
  await commit(dateOf('2026-03-03', ['3_7']), 1);
  const account = await readAccount(view, source);

  expect(account?.select(null).counted.map(({ timesheetId }) => timesheetId)).toEqual(['1_7', '2_7']);
  expect(account?.coverage()).toMatchObject({
    ...{ complete: false, missing: { from: '2026-03-03', to: '2026-03-03' } },
  });
});

function dateOf(date: string, ids: readonly string[]): GenerationPlan {
  return slice({ slice: date, rows: ids.map((id) => leafRow(timesheet({ id, date }))) });
}
