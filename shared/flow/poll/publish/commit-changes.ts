import { type CommitInput, planCommit } from '#shared/core/commit/commit-plan.ts';
import type { CommitOutcome, CommitStep } from '#shared/core/commit/commit-step.ts';
import type { KnownHeads } from '#shared/core/commit/known-heads.ts';
import { collectOutboxEntries, type OutboxEntry, sortIntoBatches } from '#shared/core/commit/outbox.ts';
import { toIso } from '#shared/core/dates.ts';
import { addPublished } from '#shared/core/outcome/poll-findings.ts';
import type { PollRun } from '../poll-run.ts';
import type { SnapshotStore } from '../ports.ts';
import { type PublishOutcome, type PublishPorts, publishBatches, publishOutbox } from './publish-outbox.ts';

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

/** Where a step left its events, and these. */
export interface CommittedEvents {
  readonly entries: readonly OutboxEntry[];
  readonly texts: readonly string[];
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

/** Publishes what earlier polls left, in at most half of the time for fetching: a backlog does not stop the scans. */
export async function publishBacklog(run: PollRun): Promise<void> {
  const until = run.startedAt + (run.fetchUntil - run.startedAt) / 2;
  noteOutcome(await publishOutbox(run.backlog, run.feed, buildPublishPorts(run, until)), 0, run);
}

/**
 * Publishes what another poll committed while this one was at work: what this one commits from now on may be about the
 * same records (rule 3).
 */
export async function publishOthersEvents(known: readonly OutboxEntry[], run: PollRun): Promise<void> {
  const { heads, commitClock } = run.memory;
  const pointers = new Set(known.map(({ pointer }) => pointer));
  const entries = collectOutboxEntries(heads.all.values()).filter(({ pointer }) => !pointers.has(pointer));
  const batches = sortIntoBatches(entries);
  commitClock.follow(batches.map(({ pointer }) => pointer));
  noteOutcome(await publishBatches(batches, run.feed, buildPublishPorts(run, run.publishUntil)), 0, run);
}

/** Own events go out unless earlier ones of the same records wait (rule 3), or something waits that was not read. */
export async function publishOwnEvents({ entries, texts }: CommittedEvents, run: PollRun): Promise<void> {
  const batches = entries.slice(0, 1).map(({ pointer }) => ({ pointer, entries, texts }));
  const outcome = await publishBatches(batches, run.feed, buildPublishPorts(run, run.publishUntil));
  noteOutcome(outcome, texts.length, run);
}

function buildPublishPorts({ ports, memory }: PollRun, until: number): PublishPorts {
  const { store, publisher, clock } = ports;
  return { store, publisher, memory: memory.publishing, hasTime: () => clock.now() < until };
}

function noteOutcome(
  { published, waiting, cleared, failed }: PublishOutcome,
  committed: number,
  { feed, ports, memory }: PollRun,
): void {
  for (const { reason, events, committedAt } of failed) {
    const line = { outcome: 'publish.failed', ...feed, reason, events, committedAt: toIso(committedAt) };
    ports.telemetry.report(line);
  }
  memory.heads.clear(cleared);
  addPublished(memory.findings, { committed, published, waiting, failed });
}
