import { needsBaseline } from '#shared/core/commit/baseline-slice.ts';
import { collectOutboxEntries } from '#shared/core/commit/outbox.ts';
import { checkForm } from '#shared/core/compare/source-form.ts';
import type { Scan } from '#shared/core/fetch/scan.ts';
import { addOutcome, addOutcomes } from '#shared/core/outcome/add-outcome.ts';
import type { FetchedScan } from '#shared/core/outcome/judge-walk.ts';
import type { PollProgress } from '#shared/core/outcome/poll-progress.ts';
import type { StageOutcome } from '#shared/core/outcome/stage-outcome.ts';
import { summarizeScan } from '#shared/core/outcome/summarize-scan.ts';
import { compareScan } from './compare/compare-scan.ts';
import { reloadHeads } from './load-state.ts';
import type { PollRun } from './poll-run.ts';
import { publishOthersEvents } from './publish/commit-steps.ts';
import { findChangedSlices, withoutSlices } from './stale-slices.ts';

/** A scan that others supersede this often is left to the next poll. */
const MAX_COMPARISONS = 3;
const DISCARDED = 'another poll committed first; the next one scans again';

interface ScanToSettle extends FetchedScan {
  /** Its slices are fetched again in this poll, so that it need not be complete. */
  readonly isRefetched: boolean;
  readonly progress: PollProgress;
}

/**
 * Compares a scan and commits what it brought. When another poll commits first, only what that one touched is
 * discarded: the other slices are compared again with what is known now, and the source need not be asked again.
 * `discarded`: slices of which the scan may be older than what was committed since the source was asked (rule 1).
 */
export async function settleScan(
  { scan: fetched, asOf, isRefetched, progress: before }: ScanToSettle,
  run: PollRun,
): Promise<{ readonly discarded: readonly string[]; readonly progress: PollProgress }> {
  // By another poll, or by a walk of this one that ran beside.
  const superseded = findChangedSlices(run.heads.keys(), asOf, run.heads);
  let scan = withoutSlices(fetched, superseded);
  const form = checkForm(scan, run.heads);
  const summarized = summarizeScan({ scan, isRefetched, known: run.state }, form, run.feed.feed);
  let progress = addOutcome(before, summarized);
  for (let comparisons = 0; scan.slices.size > 0; comparisons += 1) {
    const compared = await compareScan({ scan, form, superseded, progress }, run);
    progress = addOutcomes(progress, compared.outcomes);
    if (compared.result === 'done') break;
    if (compared.result === 'overtaken') {
      scan = withoutSlices(scan, compared.slices);
      continue;
    }
    const { changed, outcomes } = await catchUp(run);
    progress = addOutcomes(progress, outcomes);
    if (changed.size === 0 || comparisons >= MAX_COMPARISONS) {
      const { slices } = scan;
      progress = addOutcome(progress, { stage: 'conflict', outcome: 'discarded', slices, reason: DISCARDED });
      break;
    }
    for (const slice of changed) superseded.add(slice);
    scan = withoutSlices(scan, findUncertainSlices(scan, superseded, run));
  }
  return { discarded: [...fetched.slices].filter((slice) => !scan.slices.has(slice)), progress };
}

/** Superseded slices, and those without a baseline: which of their records other slices know is uncertain now. */
function findUncertainSlices(scan: Scan, superseded: ReadonlySet<string>, { heads }: PollRun): Set<string> {
  return new Set(
    [...scan.slices].filter((slice) => superseded.has(slice) || needsBaseline(heads.get(slice))),
  );
}

/** Loads the heads again. `changed`: those that others committed; their events go out before our own. */
async function catchUp(
  run: PollRun,
): Promise<{ readonly changed: ReadonlySet<string>; readonly outcomes: readonly StageOutcome[] }> {
  const before = new Map(run.heads);
  await reloadHeads(run);
  const known = new Set(collectOutboxEntries(before.values()).map(({ pointer }) => pointer));
  const published = await publishOthersEvents(
    collectOutboxEntries(run.heads.values()).filter(({ pointer }) => !known.has(pointer)),
    run,
  );
  const changed = findChangedSlices(run.heads.keys(), before, run.heads);
  return { changed, outcomes: [published, { stage: 'conflict', outcome: 'superseded', slices: changed }] };
}
