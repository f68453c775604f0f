import { addDays } from '#shared/core/dates.ts';
import { type Head, nameSlice } from '#shared/core/snapshot/head.ts';
import { commit } from './commit.ts';
import type { PollRun } from './run.ts';

/** A date that left the window stays for so long: pay periods are settled weeks after their dates. */
const KEPT_DAYS = 62;
const BUCKETS_AT_ONCE = 80;

/** Deletes the oldest date that has left the window for long, a part of it at a time. */
export async function dropOldDate(run: PollRun): Promise<void> {
  const { memory, window } = run;
  const limit = addDays(window.from, -KEPT_DAYS);
  const old = [...memory.heads.values()].filter(({ feed, slice }) => feed === 'timesheets' && slice < limit);
  const [head] = old.sort((a, b) => (a.slice < b.slice ? -1 : 1));
  if (head === undefined) return;
  const filled = head.buckets.filter(({ count }) => count > 0);
  const gone = new Set(filled.slice(0, BUCKETS_AT_ONCE).map(({ from }) => from));
  const { feed, slice } = head;
  const buckets = [...gone].map((from) => ({ feed, slice, from, rows: null }));
  const isWhole = gone.size === filled.length;
  await commit(
    isWhole ? { removedHeads: [{ feed, slice }], buckets } : { heads: [without(head, gone)], buckets },
    run,
  );
  if (!isWhole) return;
  const { [nameSlice(head)]: _, ...lookedAt } = memory.state.lookedAt;
  memory.state = { ...memory.state, lookedAt };
}

function without(head: Head, gone: ReadonlySet<number>): Head {
  return {
    ...head,
    buckets: head.buckets.map((bucket) =>
      gone.has(bucket.from) ? { ...bucket, count: 0, digest: '' } : bucket,
    ),
  };
}
