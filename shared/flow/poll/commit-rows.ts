import { bucketSize, planSteps } from '#shared/core/commit/steps.ts';
import { checkEvents } from '#shared/core/definitions/check-event.ts';
import type { ChangeEvents } from '#shared/core/events/events.ts';
import { countRecords, findBucket, hashId, nameSlice, type SliceKey } from '#shared/core/snapshot/head.ts';
import { commitStep } from './commit.ts';
import type { PollRun } from './run.ts';

/**
 * Commits events that come from time, not from a look: the rows of a slice stay as they were seen, and remember what is
 * told. An event that nobody could read is left out, with what its row would remember.
 */
export async function commitRows(
  changes: readonly ChangeEvents[],
  key: SliceKey,
  run: PollRun,
): Promise<void> {
  const head = run.memory.heads.get(nameSlice(key));
  const { fitting } = checkEvents(changes);
  if (head === undefined || fitting.length === 0) return;
  const byIndex = Map.groupBy(fitting, ({ change }) => findBucket(head.buckets, hashId(change.id)));
  const indexes = [...byIndex.keys()].sort((a, b) => a - b);
  const { feed, slice } = key;
  const keys = indexes.map((index) => ({ feed, slice, from: head.buckets[index]?.from ?? 0 }));
  const stored = await run.ports.store.readBuckets(run.lease.connection, keys);
  const patches = indexes.map((index, place) => {
    const told = byIndex.get(index) ?? [];
    const rows = new Map(told.flatMap(({ change, row }) => (row === null ? [] : [[change.id, row]])));
    return {
      index,
      // What the last look showed of a record that it could not read stays.
      rows: (stored[place] ?? []).map(({ bad, ...row }) => {
        const mark = bad === undefined ? {} : { bad };
        return { ...(rows.get(row.id) ?? row), ...mark };
      }),
      texts: told.flatMap(({ texts }) => texts),
    };
  });
  for (const step of planSteps(head, patches, bucketSize(countRecords(head))))
    await commitStep(step, key, run);
}
