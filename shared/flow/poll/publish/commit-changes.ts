import { type CommitInput, planCommit } from '#shared/core/commit/commit-plan.ts';
import type { CommitOutcome, CommitStep } from '#shared/core/commit/commit-step.ts';
import type { KnownHeads } from '#shared/core/commit/known-heads.ts';
import type { PollRun } from '../poll-run.ts';
import type { SnapshotStore } from '../ports.ts';
import { type CommittedEvents, publishOwnEvents } from './publish-outbox.ts';

/** Changes with their events, and the snapshot that they change. `observed`: none when absent. */
export interface ChangesToCommit
  extends Pick<CommitInput, 'snapshot' | 'changeEvents' | 'losses'>,
    Partial<Pick<CommitInput, 'observed'>> {}

/** Commits changes and publishes their events. */
export async function commitChanges(changes: ChangesToCommit, run: PollRun): Promise<CommitOutcome> {
  const { feed, definition, id: runId, retentionMs, memory, ports } = run;
  const now = memory.commitClock.next(ports.clock.now());
  const { steps } = planCommit({
    feed,
    definition,
    runId,
    retentionMs,
    now,
    observed: new Map(),
    ...changes,
  });
  return await commitSteps(steps, { store: ports.store, heads: memory.heads }, async (committed) => {
    if (committed.entries.length > 0) await publishOwnEvents(committed, run);
  });
}

/** Executes a plan of commits. After a conflict the rest is dropped: another poll has newer data (rule 1). */
export async function commitSteps(
  steps: readonly CommitStep[],
  { store, heads }: { readonly store: Pick<SnapshotStore, 'commit'>; readonly heads: KnownHeads },
  onCommitted: (events: CommittedEvents) => Promise<void> | void,
): Promise<CommitOutcome> {
  for (const step of steps) {
    const outcome = await store.commit(step);
    if (outcome === 'conflict') return outcome;
    await onCommitted({ entries: heads.follow(step), texts: step.events?.chunks.flat() ?? [] });
  }
  return 'committed';
}
