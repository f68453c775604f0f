import type { PollReport } from '../config/requests/poll-report.ts';
import type { EventPublisher, SnapshotStore } from '../ports/poll.ts';
import { createDryRunStore } from './poll/dry-run-store.ts';
import type { PollOrder } from './poll/load-state.ts';
import type { PollPorts } from './poll/poll-run.ts';
import { poll } from './poll.ts';

/** What a poll would emit now. */
export interface DryRun {
  readonly report: PollReport;
  /** Events as they would be published, in their order: CloudEvents as JSON. */
  readonly events: readonly DryRunEvent[];
}

interface DryRunEvent {
  readonly text: string;
  /** Committed by an earlier poll already: it only waits to be published. */
  readonly committed: boolean;
}

/** What a dry run needs: nothing that is written or published through it reaches anybody. */
export type DryRunPorts = Pick<PollPorts, 'source' | 'clock'> & { readonly store: SnapshotStore };

/** Dry runs until none is torn by a real poll that commits in the midst of it; a busy source has one every minute. */
const MAX_TRIES = 3;

/** A real poll that stores nothing and publishes nothing, and tells what it would have published. */
export async function dryRun(order: PollOrder, ports: DryRunPorts): Promise<DryRun> {
  for (let tries = 1; ; tries += 1) {
    const run = await runOnce(order, ports);
    if (run.report.counts.conflicts === 0 || tries >= MAX_TRIES) return run;
  }
}

async function runOnce(order: PollOrder, { source, clock, store }: DryRunPorts): Promise<DryRun> {
  const texts: string[] = [];
  const own = new Set<string>();
  const publisher: EventPublisher = {
    publish: async (given) => {
      texts.push(...given);
      return { published: given.length, unpublished: [], requests: 0 };
    },
  };
  const report = await poll(order, {
    source,
    clock,
    publisher,
    store: trackCommittedTexts(createDryRunStore(store), own),
    // A line would count as one of a poll in logs and metrics.
    telemetry: { report: () => {} },
  });
  return { report, events: texts.map((text) => ({ text, committed: !own.has(text) })) };
}

/** Notes the texts that are committed. */
function trackCommittedTexts(store: SnapshotStore, own: Set<string>): SnapshotStore {
  const note = (events: { readonly chunks: readonly (readonly string[])[] } | null): void => {
    for (const text of events?.chunks.flat() ?? []) own.add(text);
  };
  return {
    ...store,
    commit: (step) => {
      note(step.events);
      return store.commit(step);
    },
    saveFeedState: (write) => {
      note(write.events);
      return store.saveFeedState(write);
    },
  };
}
