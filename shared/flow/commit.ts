import type { CommitStep } from '../core/commit-step.ts';
import { type OutboxEntry, outboxEntriesOf } from '../core/outbox.ts';
import { publishBatches } from './publish.ts';
import type { Run } from './run.ts';

/**
 * Executes a plan of commits and publishes what it committed. After a conflict the rest is dropped: somebody with
 * newer data was there, and the next poll looks again (rule 1).
 */
export async function commitSteps(steps: readonly CommitStep[], run: Run): Promise<boolean> {
  for (const step of steps) {
    const outcome = await run.ports.store.commit(step);
    if (outcome === 'conflict') {
      run.tally.counts.conflicts += 1;
      run.tally.reasons.add('another poll committed first; the next one looks again');
      return false;
    }
    const entries = remember(step, run);
    if (entries.length > 0) await publishOwn({ entries, texts: step.events?.chunks.flat() ?? [] }, run);
  }
  return true;
}

/** Keeps the heads in memory as they are in the store, with the outbox that the commit added to. */
function remember(step: CommitStep, run: Run): OutboxEntry[] {
  const entries = outboxEntriesOf(step);
  for (const { head } of step.heads) {
    const outbox = run.heads.get(head.slice)?.outbox ?? [];
    const added = entries.filter(({ slice }) => slice === head.slice).map(({ pointer }) => pointer);
    run.heads.set(head.slice, { ...head, outbox: [...outbox, ...added] });
  }
  return entries;
}

/** Own events go out only when no earlier ones wait: they may tell of the same records (rule 3). */
export async function publishOwn(
  { entries, texts }: { readonly entries: readonly OutboxEntry[]; readonly texts: readonly string[] },
  run: Run,
): Promise<void> {
  const { counts } = run.tally;
  counts.eventsCommitted += texts.length;
  if (counts.eventsWaiting > 0) {
    counts.eventsWaiting += texts.length;
    return;
  }
  const outcome = await publishBatches(
    [{ entries, texts: () => Promise.resolve(texts) }],
    run.feed,
    run.ports,
  );
  counts.eventsPublished += outcome.published;
  counts.eventsWaiting += outcome.waiting;
  forgetCleared(outcome.cleared, run);
}

/** Takes cleared pointers out of the heads in memory. */
export function forgetCleared(cleared: readonly OutboxEntry[], run: Pick<Run, 'heads'>): void {
  for (const { slice, pointer } of cleared) {
    const head = slice === null ? undefined : run.heads.get(slice);
    if (head === undefined) continue;
    run.heads.set(head.slice, { ...head, outbox: head.outbox.filter((each) => each !== pointer) });
  }
}
