import { planCommit } from '#shared/core/commit/commit-plan.ts';
import type { KnownRow } from '#shared/core/compare/classify-records.ts';
import { rewriteSlice } from '#shared/core/compare/row-rewrite.ts';
import { toEvents } from '#shared/core/events/events.ts';
import { isComplete, type Scan } from '#shared/core/fetch/scan.ts';
import { toState } from '#shared/core/records/feed-definition.ts';
import { DISTANT_SLICE } from '#shared/core/snapshot/distant-slice.ts';
import { type Leaf, toLeafKey, toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import { assignCommitTime, type PollRun } from '../poll-run.ts';
import { commitSteps } from '../publish/commit-steps.ts';
import { batchLeafRefs, listLeafRefs, readMatchingLeaves } from './read-leaves.ts';

/** Every date of the window is scanned daily: one that was not for this long has just come into it. */
const MIN_AWAY_MS = 48 * 60 * 60_000;

/**
 * Moves records out of the distant slice to their own dates when those come into the window, so that those that are
 * no longer there are missed. False when another poll committed first.
 */
export async function returnDistantRecords(scan: Scan, run: PollRun): Promise<boolean> {
  const afar = run.heads.get(DISTANT_SLICE);
  if (afar === undefined || afar.recordCount === 0 || !isComplete(scan)) return true;
  const dates = new Set([...scan.slices].filter((slice) => hasJustEnteredWindow(slice, run)));
  if (dates.size === 0) return true;
  for (const refs of batchLeafRefs(listLeafRefs(afar))) {
    const leaves = await readMatchingLeaves(refs, run);
    if (leaves === null) return false;
    const returning = leaves
      .flatMap(({ rows }) => rows)
      .flatMap((row) => {
        const date = String(toState(run.definition, row.state).date);
        return dates.has(date) ? [{ date, known: { slice: DISTANT_SLICE, row } }] : [];
      });
    if (returning.length > 0 && !(await moveToOwnDates(returning, leaves, run))) return false;
  }
  return true;
}

function hasJustEnteredWindow(slice: string, { heads, startedAt }: PollRun): boolean {
  const head = heads.get(slice);
  return head?.baselinedAt == null || startedAt - (head.observedAt ?? 0) > MIN_AWAY_MS;
}

interface ReturningRecord {
  readonly date: string;
  readonly known: KnownRow;
}

async function moveToOwnDates(
  returning: readonly ReturningRecord[],
  leaves: readonly Leaf[],
  run: PollRun,
): Promise<boolean> {
  const refs = returning.flatMap(({ date, known }) => {
    const head = run.heads.get(date);
    return head === undefined ? [] : [toLeafRef(head, known.row.id)];
  });
  const targets = await readMatchingLeaves(
    [...new Map(refs.map((ref) => [toLeafKey(ref), ref])).values()],
    run,
  );
  if (targets === null) return false;
  const plan = planCommit({
    feed: run.feed,
    definition: run.definition,
    snapshot: {
      heads: run.heads,
      leaves: new Map([...leaves, ...targets].map((leaf) => [toLeafKey(leaf), leaf])),
    },
    changeEvents: returning.map(({ date, known }) => toEvents(rewriteSlice(known, date), run.eventContext)),
    observed: new Map(),
    runId: run.id,
    now: assignCommitTime(run),
    retentionMs: run.retentionMs,
  });
  // Rows change their slice in silence: there is nothing to publish.
  return (await commitSteps(plan.steps, run)).outcome === 'committed';
}
