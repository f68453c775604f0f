import type { CommitOutcome, CommitStep } from '#shared/core/commit/commit-step.ts';
import { listOutboxEntries, type OutboxEntry, sortIntoBatches } from '#shared/core/commit/outbox.ts';
import { toIso } from '#shared/core/dates.ts';
import type { PublishStageOutcome, StageOutcome } from '#shared/core/outcome/stage-outcome.ts';
import type { PollRun } from '../poll-run.ts';
import { type PublishOutcome, type PublishPorts, publishBatches, publishOutbox } from './publish-outbox.ts';

/** What came of a plan of commits. */
export interface CommittedSteps {
  readonly outcome: CommitOutcome;
  readonly published: readonly StageOutcome[];
}

/**
 * Executes a plan of commits and publishes what it committed. After a conflict the rest is dropped: another
 * poll has newer data (rule 1).
 */
export async function commitSteps(steps: readonly CommitStep[], run: PollRun): Promise<CommittedSteps> {
  const published: StageOutcome[] = [];
  for (const step of steps) {
    const outcome = await run.ports.store.commit(step);
    if (outcome === 'conflict') return { outcome, published };
    const entries = updateHeads(step, run);
    if (entries.length === 0) continue;
    published.push(await publishOwnEvents({ entries, texts: step.events?.chunks.flat() ?? [] }, run));
  }
  return { outcome: 'committed', published };
}

/** Keeps the heads in memory as they are in the store, with the outbox that the commit added to. */
function updateHeads(step: CommitStep, run: PollRun): OutboxEntry[] {
  const entries = listOutboxEntries(step);
  for (const { head } of step.heads) {
    const outbox = run.heads.get(head.slice)?.outbox ?? [];
    const added = entries.filter(({ slice }) => slice === head.slice).map(({ pointer }) => pointer);
    run.heads.set(head.slice, { ...head, outbox: [...outbox, ...added] });
  }
  return entries;
}

/** Publishes what earlier polls left, in at most half of the time for fetching: a backlog does not stop the scans. */
export async function publishBacklog(run: PollRun): Promise<PublishStageOutcome> {
  const until = run.startedAt + (run.fetchUntil - run.startedAt) / 2;
  return toOutcome(await publishOutbox(run.backlog, run.feed, buildPublishPorts(run, until)), run);
}

/**
 * Publishes what another poll committed while this one was at work: what this one commits from now on may be about the
 * same records (rule 3).
 */
export async function publishOthersEvents(
  entries: readonly OutboxEntry[],
  run: PollRun,
): Promise<PublishStageOutcome> {
  const batches = sortIntoBatches(entries);
  run.commitClock.follow(batches.map(({ pointer }) => pointer));
  return toOutcome(await publishBatches(batches, run.feed, buildPublishPorts(run, run.publishUntil)), run);
}

/** Own events go out unless earlier ones of the same records wait (rule 3), or something waits that was not read. */
export async function publishOwnEvents(
  { entries, texts }: { readonly entries: readonly OutboxEntry[]; readonly texts: readonly string[] },
  run: PollRun,
): Promise<PublishStageOutcome> {
  const batches = entries.slice(0, 1).map(({ pointer }) => ({ pointer, entries, texts }));
  const result = await publishBatches(batches, run.feed, buildPublishPorts(run, run.publishUntil));
  return { ...toOutcome(result, run), committed: texts.length };
}

function buildPublishPorts({ ports, publishMemory }: PollRun, until: number): PublishPorts {
  const { store, publisher, clock } = ports;
  return { store, publisher, memory: publishMemory, hasTime: () => clock.now() < until };
}

function toOutcome(
  { published, waiting, cleared, failed }: PublishOutcome,
  run: PollRun,
): PublishStageOutcome {
  for (const { reason, events, committedAt } of failed) {
    run.ports.telemetry.report({
      outcome: 'publish.failed',
      ...run.feed,
      reason,
      events,
      committedAt: toIso(committedAt),
    });
  }
  forgetCleared(cleared, run);
  return { stage: 'publish', committed: 0, published, waiting, failed };
}

/** Takes cleared pointers out of the heads in memory. */
function forgetCleared(cleared: readonly OutboxEntry[], run: Pick<PollRun, 'heads'>): void {
  for (const { slice, pointer } of cleared) {
    const head = slice === null ? undefined : run.heads.get(slice);
    if (head === undefined) continue;
    run.heads.set(head.slice, { ...head, outbox: head.outbox.filter((each) => each !== pointer) });
  }
}
