import { findSlicesToRenew, type RenewalRule, renewLeaf } from '#shared/core/commit/renewal.ts';
import { addRenewal } from '#shared/core/outcome/poll-findings.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { learnCalendars } from '#shared/membership/flow/known-periods.ts';
import { commitChanges } from './commit-and-publish.ts';
import { batchLeafRefs, listLeafRefs, readMatchingLeaves, toSnapshot } from './compare/read-leaves.ts';
import type { PollRun } from './poll-run.ts';

/** Snapshots of one poll: about 30 a second, so that changes do not wait behind them at a slow receiver. */
const MAX_RENEWED = 2_000;

/**
 * After a restore: the rows of slices that were looked at since begin their new epochs with snapshots, a bounded number
 * in each poll. Nothing is asked of the source.
 */
export async function renewRestored(run: PollRun): Promise<void> {
  const { restoredAt, renewal, coverage } = run.state;
  if (restoredAt === undefined || renewal === undefined || run.memory.claim.dates !== 'all') return;
  const renewed: Renewed = { slices: new Map(), next: null, records: 0 };
  const { findPeriods } = run.eventContext;
  const due = findSlicesToRenew(run.state, run.memory.heads.all);
  await learnCalendars(
    due.map(({ slice }) => slice),
    run,
  );
  for (const head of due) {
    const unseen = coverage[head.slice]?.unseen ?? {};
    const { next } = renewal;
    const isBegun = next?.slice === head.slice && next.generation === head.generation;
    const rule = { feed: run.feed, restoredAt, unseen, findPeriods };
    if (!(await renewSlice({ head, from: isBegun ? next.leaf : 0, rule }, renewed, run))) break;
  }
  if (renewed.records > 0)
    run.ports.telemetry.report({ outcome: 'restore.renewed', ...run.feed, records: renewed.records });
  const { slices, next } = renewed;
  addRenewal(run.memory.findings, { slices, next });
}

/** What this poll has renewed so far. */
interface Renewed {
  readonly slices: Map<string, boolean>;
  next: { readonly slice: string; readonly generation: string; readonly leaf: number } | null;
  records: number;
}

interface SliceToRenew {
  readonly head: SliceHead;
  /** Index of the first leaf that is not done. */
  readonly from: number;
  readonly rule: RenewalRule;
}

/** False when the rest is left to the next poll: enough was published, time is up, or another poll committed. */
async function renewSlice(
  { head, from, rule }: SliceToRenew,
  renewed: Renewed,
  run: PollRun,
): Promise<boolean> {
  const { slice, generation } = head;
  let isDoubted = false;
  for (const refs of batchLeafRefs(listLeafRefs(head).slice(from))) {
    renewed.next = { slice, generation, leaf: refs[0]?.index ?? 0 };
    if (renewed.records >= MAX_RENEWED || run.ports.clock.now() >= run.commitUntil) return false;
    const leaves = await readMatchingLeaves(refs, run);
    if (leaves === null) return false;
    const parts = leaves.map((leaf) => renewLeaf(leaf, rule));
    isDoubted ||= parts.some((part) => part.isDoubted);
    const changeEvents = parts.flatMap((part) => part.changeEvents);
    if (changeEvents.length === 0) continue;
    const snapshot = toSnapshot(leaves, run);
    if ((await commitChanges({ snapshot, changeEvents }, run)) === 'conflict') return false;
    renewed.records += changeEvents.length;
  }
  renewed.next = null;
  // Of what earlier polls left in doubt nothing is known here: such a slice is read once more.
  renewed.slices.set(slice, from === 0 && !isDoubted);
  return true;
}
