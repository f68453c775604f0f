import { needsBaseline } from '#shared/core/commit/baseline-slice.ts';
import { collectOutboxEntries } from '#shared/core/commit/outbox.ts';
import { checkForm } from '#shared/core/compare/source-form.ts';
import type { Scan } from '#shared/core/fetch/scan.ts';
import { addOutcome, addOutcomes } from '#shared/core/outcome/add-outcome.ts';
import type { PollProgress } from '#shared/core/outcome/poll-progress.ts';
import type { StageOutcome } from '#shared/core/outcome/stage-outcome.ts';
import { summarizeScan } from '#shared/core/outcome/summarize-scan.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { compareScan } from './compare/compare-scan.ts';
import { reloadHeads } from './load-state.ts';
import type { PollRun } from './poll-run.ts';
import { publishOthersEvents } from './publish/commit-steps.ts';
import { findMovedSlices, withoutSlices } from './stale-slices.ts';

/** A scan that others overtake this often is left to the next poll. */
const MAX_COMPARISONS = 3;
const LOST = 'another poll committed first; the next one looks again';

interface FetchedScan {
  readonly fetched: Scan;
  /** Heads as they were when the source was asked. */
  readonly asOf: ReadonlyMap<string, SliceHead>;
  readonly progress: PollProgress;
}

/**
 * Compares a scan and commits what it brought. When another poll commits first, only what that one touched is lost:
 * the other slices are compared again with what is known now, and the source need not be asked again. `lost`: slices
 * of which the scan may be older than what was committed since the source was asked (rule 1).
 */
export async function settleScan(
  { fetched, asOf, progress: before }: FetchedScan,
  run: PollRun,
): Promise<{ readonly lost: readonly string[]; readonly progress: PollProgress }> {
  // Others may be another poll, or a walk of this one that ran beside.
  const moved = findMovedSlices(run.heads.keys(), asOf, run.heads);
  let scan = withoutSlices(fetched, moved);
  const form = checkForm(scan, run.heads);
  let progress = addOutcome(before, summarizeScan(scan, form, run.feed.feed));
  for (let comparisons = 0; scan.slices.size > 0; comparisons += 1) {
    const compared = await compareScan({ scan, form, moved, progress }, run);
    progress = addOutcomes(progress, compared.outcomes);
    if (compared.result === 'done') break;
    if (compared.result === 'overtaken') {
      scan = withoutSlices(scan, compared.slices);
      continue;
    }
    const { news, outcomes } = await catchUp(run);
    progress = addOutcomes(progress, outcomes);
    if (news.size === 0 || comparisons >= MAX_COMPARISONS) {
      progress = addOutcome(progress, {
        stage: 'commit',
        outcome: 'lost',
        slices: scan.slices,
        reason: LOST,
      });
      break;
    }
    for (const slice of news) moved.add(slice);
    scan = withoutSlices(scan, findLostSlices(scan, moved, run));
  }
  return { lost: [...fetched.slices].filter((slice) => !scan.slices.has(slice)), progress };
}

/** Slices that were committed by others, and new ones: who of theirs is known elsewhere cannot be told any more. */
function findLostSlices(scan: Scan, moved: ReadonlySet<string>, { heads }: PollRun): Set<string> {
  return new Set([...scan.slices].filter((slice) => moved.has(slice) || needsBaseline(heads.get(slice))));
}

/** Loads the heads again. `news`: those that others moved on; what they committed goes out before our own. */
async function catchUp(
  run: PollRun,
): Promise<{ readonly news: ReadonlySet<string>; readonly outcomes: readonly StageOutcome[] }> {
  const before = new Map(run.heads);
  await reloadHeads(run);
  const known = new Set(collectOutboxEntries(before.values()).map(({ pointer }) => pointer));
  const published = await publishOthersEvents(
    collectOutboxEntries(run.heads.values()).filter(({ pointer }) => !known.has(pointer)),
    run,
  );
  const news = findMovedSlices(run.heads.keys(), before, run.heads);
  return { news, outcomes: [published, { stage: 'commit', outcome: 'moved', slices: news }] };
}
