import { planSteps } from '#shared/core/commit/steps.ts';
import { buildSnapshotEvent } from '#shared/core/events/snapshot-events.ts';
import { type Head, isToRenew, nameSlice } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { commitStep } from './commit.ts';
import { toEventContext } from './event-context.ts';
import { hasTimeLeft, isSilent, type PollRun, tick } from './run.ts';

/** Buckets that are sent again in one step. */
const BUCKETS_AT_ONCE = 8;

/**
 * After a restore nobody knows what was published between backup and restore (rule 16): each row of a slice that was
 * looked at since begins a new epoch, and its state is published as a snapshot. Slice by slice, while there is time.
 */
export async function renewRestored(run: PollRun): Promise<void> {
  for (const head of listToRenew(run)) {
    if (!hasTimeLeft(run)) return;
    await renewSlice(head, run);
  }
}

function listToRenew({ memory }: PollRun): Head[] {
  const { restoredAt, lookedAt } = memory.state;
  return [...memory.heads.values()].filter(
    (head) => isToRenew(head, restoredAt) && lookedAt[nameSlice(head)] !== undefined,
  );
}

async function renewSlice(head: Head, run: PollRun): Promise<void> {
  const { feed, slice, buckets } = head;
  const { ports, lease, memory } = run;
  const restoredAt = memory.state.restoredAt ?? 0;
  for (let start = 0; start < buckets.length; start += BUCKETS_AT_ONCE) {
    const indexes = buckets.slice(start, start + BUCKETS_AT_ONCE).map((_, place) => start + place);
    const keys = indexes.map((index) => ({ feed, slice, from: buckets[index]?.from ?? 0 }));
    const stored = await ports.store.readBuckets(lease.connection, keys);
    const { findPeriods, feed: key } = await toEventContext(feed, run);
    const epoch = tick(run);
    const patches = indexes.map((index, place) => {
      const rows = (stored[place] ?? []).map((row) => beginAnew(row, epoch, restoredAt));
      const texts = isSilent(run, feed)
        ? []
        : rows.flatMap((row) => buildSnapshotEvent(key, row, findPeriods) ?? []);
      return { index, rows, texts };
    });
    const known = memory.heads.get(nameSlice(head)) ?? head;
    for (const step of planSteps(known, patches, Number.POSITIVE_INFINITY)) await commitStep(step, head, run);
    if (ports.clock.now() >= run.publishUntil) return;
  }
  const known = memory.heads.get(nameSlice(head)) ?? head;
  await commitStep(
    { head: { ...known, renewedAt: restoredAt }, buckets: [], texts: [], patched: new Set() },
    head,
    run,
  );
}

/** A row that was first stored since the restore has its epoch already. */
function beginAnew(row: StoredRow, epoch: number, restoredAt: number): StoredRow {
  return row.epoch >= restoredAt ? row : { ...row, epoch, sequence: 0, sent: {} };
}
