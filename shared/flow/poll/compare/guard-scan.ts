import type { RemovalCheck } from '#shared/core/compare/change.ts';
import { guardLosses, type MassChange } from '#shared/core/compare/mass-change.ts';
import { type GuardedAbsences, guardAbsences } from '#shared/core/compare/mass-deletion-guard.ts';
import { isComplete, type Scan } from '#shared/core/fetch/scan.ts';
import type { PollProgress } from '#shared/core/outcome/poll-progress.ts';
import type { LookUpOutcome } from '#shared/core/outcome/stage-outcome.ts';
import type { PollRun } from '../poll-run.ts';
import { confirmRemovals } from './confirm-removals.ts';
import type { Survey } from './survey-scan.ts';

/** What of a scan is too much at once, and what became of its absent records. */
export interface ScanGuards {
  readonly deletionGuard: GuardedAbsences;
  readonly answers: ReadonlyMap<string, RemovalCheck>;
  readonly massChanges: readonly MassChange[];
}

/** Looks absent records up, as far as they are believed to be gone, and counts what records lost (rule 6). */
export async function guardScan(
  {
    scan,
    survey,
    progress,
  }: { readonly scan: Scan; readonly survey: Survey; readonly progress: PollProgress },
  run: PollRun,
): Promise<ScanGuards & { readonly outcome: LookUpOutcome }> {
  const { heads, state, connection } = run;
  const { vanishing } = connection;
  const { shrunk } = state;
  const deletionGuard = guardAbsences(survey.absent, heads, {
    vanishing,
    shrunk,
    now: run.ports.clock.now(),
  });
  const { answers, outcome } = await confirmRemovals(deletionGuard.toConfirm, progress, run);
  const massChanges = guardLosses(survey.losses.sum(survey.strangers, answers), {
    heads,
    vanishing,
    held: state.massChange,
    countUnseen: (slice, lost) => countUnseen({ slice, lost }, { scan, survey, answers }, run),
    slices: scan.slices,
    at: scan.startedAt ?? run.startedAt,
  });
  return { deletionGuard, answers, massChanges, outcome };
}

interface LookedUpScan extends Pick<ScanGuards, 'answers'> {
  readonly scan: Scan;
  readonly survey: Survey;
}

/** Known records of a slice of which a scan does not say what became of them. */
function countUnseen(
  { slice, lost }: { readonly slice: string; readonly lost: number },
  { scan, survey, answers }: LookedUpScan,
  { heads }: PollRun,
): number {
  const known = heads.get(slice)?.recordCount ?? 0;
  if (!scan.slices.has(slice)) return Math.max(0, known - lost);
  const bad = survey.undecided.get(slice) ?? 0;
  if (isComplete(scan)) {
    const isOpen = (id: string) => (answers.get(id)?.outcome ?? 'unknown') === 'unknown';
    return bad + survey.absent.filter((each) => each.slice === slice && isOpen(each.row.id)).length;
  }
  const seen = [...scan.records.values()].filter((record) => record.slice === slice).length;
  return Math.max(0, known + bad - seen);
}
