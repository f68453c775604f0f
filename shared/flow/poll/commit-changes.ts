import { type CommitInput, planCommit } from '#shared/core/commit/commit-plan.ts';
import type { CommitOutcome } from '#shared/core/commit/commit-step.ts';
import { slicesOf } from '#shared/core/compare/change.ts';
import { checkEvents } from '#shared/core/definitions/check-event.ts';
import type { Misfit } from '#shared/core/events/events.ts';
import { addMisfits } from '#shared/core/outcome/poll-findings.ts';
import { findCommitFence } from '#shared/systems/watermark.ts';
import { commitSteps, publishOwnEvents } from './commit-and-publish.ts';
import type { PollRun } from './poll-run.ts';

/** Changes with their events, and the snapshot that they change. `observed`: none when absent. */
interface ChangesToCommit
  extends Pick<CommitInput, 'snapshot' | 'changeEvents' | 'losses'>,
    Partial<Pick<CommitInput, 'observed'>> {}

interface CommittedChanges {
  readonly outcome: CommitOutcome;
  /** Changes that were left out: their records keep their last known state. */
  readonly misfits: readonly Misfit[];
}

/**
 * Commits changes and publishes their events. A record with an event that subscribers could not read is a bad one, and
 * does not stop the rest (rule 9).
 */
export async function commitChanges(
  { changeEvents, observed = new Map(), ...changes }: ChangesToCommit,
  run: PollRun,
): Promise<CommittedChanges> {
  const { feed, definition, id: runId, retentionMs, memory, ports, connection } = run;
  const clock = ports.clock.now();
  const now = memory.commitClock.next(clock);
  const { fitting, misfits } = checkEvents(changeEvents);
  const unseen = new Set(misfits.flatMap(({ change }) => slicesOf(change)));
  const { steps } = planCommit({
    feed,
    definition,
    runId,
    retentionMs,
    now,
    ...(connection.watermark ? { fence: findCommitFence(clock, run) } : {}),
    ...changes,
    changeEvents: fitting,
    observed: new Map([...observed].filter(([slice]) => !unseen.has(slice))),
  });
  const to = { store: ports.store, heads: memory.heads };
  const outcome = await commitSteps(steps, to, async (committed) => {
    if (committed.entries.length > 0) await publishOwnEvents(committed, run);
  });
  if (outcome === 'committed') addMisfits(memory.findings, misfits);
  return { outcome, misfits };
}
