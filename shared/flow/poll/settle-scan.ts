import { needsBaseline } from '#shared/core/commit/baseline-slice.ts';
import { collectOutboxEntries } from '#shared/core/commit/outbox.ts';
import { checkForm } from '#shared/core/compare/source-form.ts';
import type { Scan } from '#shared/core/fetch/scan.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { compareScan } from './compare/compare-scan.ts';
import { recordScan } from './compare/record-progress.ts';
import { reloadHeads } from './load-state.ts';
import type { PollRun } from './poll-run.ts';
import { publishOthersEvents } from './publish/commit-steps.ts';
import { findMovedSlices, withoutSlices } from './stale-slices.ts';

/** A scan that others overtake this often is left to the next poll. */
const MAX_COMPARISONS = 3;

/**
 * Compares a scan and commits what it brought. When another poll commits first, only what that one touched is lost:
 * the other slices are compared again with what is known now, and the source need not be asked again. Answers with
 * the slices whose look is lost, because it may be older than what was committed since the source was asked (rule 1).
 */
export async function settleScan(
  fetched: Scan,
  asOf: ReadonlyMap<string, SliceHead>,
  run: PollRun,
): Promise<readonly string[]> {
  // Others may be another poll, or a walk of this one that ran beside.
  const moved = findMovedSlices(run.heads.keys(), asOf, run.heads);
  let scan = withoutSlices(fetched, moved);
  const form = checkForm(scan, run.heads);
  recordScan(scan, form, run);
  for (let comparisons = 0; scan.slices.size > 0; comparisons += 1) {
    const compared = await compareScan({ scan, form, moved }, run);
    if (compared.outcome === 'done') break;
    if (compared.outcome === 'overtaken') {
      scan = withoutSlices(scan, compared.slices);
      continue;
    }
    const news = await catchUp(run);
    if (news.size === 0 || comparisons >= MAX_COMPARISONS) {
      leaveToNextPoll(scan, run);
      break;
    }
    for (const slice of news) moved.add(slice);
    scan = withoutSlices(scan, findLostSlices(scan, moved, run));
  }
  return [...fetched.slices].filter((slice) => !scan.slices.has(slice));
}

/** Slices that were committed by others, and new ones: who of theirs is known elsewhere cannot be told any more. */
function findLostSlices(scan: Scan, moved: ReadonlySet<string>, { heads }: PollRun): Set<string> {
  return new Set([...scan.slices].filter((slice) => moved.has(slice) || needsBaseline(heads.get(slice))));
}

/** Loads the heads again. Answers with those that others moved on; what they committed goes out before ours. */
async function catchUp(run: PollRun): Promise<ReadonlySet<string>> {
  const before = new Map(run.heads);
  await reloadHeads(run);
  const known = new Set(collectOutboxEntries(before.values()).map(({ pointer }) => pointer));
  await publishOthersEvents(
    collectOutboxEntries(run.heads.values()).filter(({ pointer }) => !known.has(pointer)),
    run,
  );
  const moved = findMovedSlices(run.heads.keys(), before, run.heads);
  forgetLooks(moved, run);
  return moved;
}

/** What this poll saw of them before was compared with what was known then: it is no look at what is known now. */
function forgetLooks(moved: ReadonlySet<string>, { tally }: PollRun): void {
  for (const slice of moved) {
    tally.looks.delete(slice);
    tally.tried.delete(slice);
  }
}

function leaveToNextPoll({ slices }: Scan, { tally }: PollRun): void {
  tally.reasons.add('another poll committed first; the next one looks again');
  for (const slice of slices) tally.tried.delete(slice);
}
