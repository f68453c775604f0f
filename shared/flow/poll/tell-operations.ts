import { computeEventId, OPERATIONS, toOperationText, toPosition } from '#shared/core/events/envelope.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Operation } from '#shared/core/records/operation.ts';
import { commit } from './commit.ts';
import type { StateWrite } from './ports.ts';
import type { PollRun } from './run.ts';

interface Told {
  readonly feed: FeedName;
  readonly operation: Operation;
}

/**
 * Commits and publishes what the notifier says of itself, with what follows from it in the state: `state` gets the ids of
 * the events.
 */
export async function tellOperations(
  told: readonly Told[],
  state: (ids: readonly string[]) => StateWrite,
  run: PollRun,
): Promise<void> {
  const { lease, memory, ports } = run;
  const sequences = { ...memory.state.sequences };
  const now = ports.clock.now();
  const events = told.map(({ feed: name, operation }) => {
    const feed = { connection: lease.connection, feed: name };
    const sequence = (sequences[name] ?? 0) + 1;
    sequences[name] = sequence;
    const at = { epoch: memory.state.epoch, sequence, now };
    return {
      id: computeEventId(feed, OPERATIONS, toPosition(at)),
      text: toOperationText(operation, feed, at),
    };
  });
  if (events.length === 0) return;
  const log = { topic: 'operations' as const, texts: events.map(({ text }) => text) };
  await commit({ log, state: { ...state(events.map(({ id }) => id)), sequences } }, run);
}
