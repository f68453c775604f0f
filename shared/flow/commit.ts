import { batchPointer, type CommitStep, type OutboxEntry } from '../core/commit-step.ts';
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
    const entry = remember(step, run);
    if (entry !== null) await publishOwn({ entry, texts: step.events?.chunks.flat() ?? [] }, run);
  }
  return true;
}

/** Keeps the heads in memory as they are in the store, with the outbox that the commit added to. */
function remember(step: CommitStep, run: Run): OutboxEntry | null {
  const pointer = step.events === null ? null : batchPointer(step.events);
  for (const [index, { head }] of step.heads.entries()) {
    const outbox = run.heads.get(head.slice)?.outbox ?? [];
    const added = index === 0 && pointer !== null ? [...outbox, pointer] : outbox;
    run.heads.set(head.slice, { ...head, outbox: added });
  }
  return pointer === null ? null : { slice: step.heads[0]?.head.slice ?? null, pointer };
}

/** Own events go out only when no earlier ones wait: they may tell of the same records (rule 3). */
export async function publishOwn(
  { entry, texts }: { readonly entry: OutboxEntry; readonly texts: readonly string[] },
  run: Run,
): Promise<void> {
  const { counts } = run.tally;
  counts.eventsCommitted += texts.length;
  if (counts.eventsWaiting > 0) {
    counts.eventsWaiting += texts.length;
    return;
  }
  const outcome = await publishBatches([{ entry, texts: () => Promise.resolve(texts) }], run.feed, run.ports);
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
