import type { PollReport } from '../config/requests/poll-report.ts';
import { createDryRunStore } from './poll/dry-run-store.ts';
import type { PollInput, PollPorts } from './poll/poll-run.ts';
import type { EventPublisher, SnapshotStore } from './poll/ports.ts';
import { poll } from './poll.ts';

export interface DryRun {
  readonly report: PollReport;
  /** Events in the order in which they would be published. */
  readonly events: readonly DryRunEvent[];
}

interface DryRunEvent {
  /** CloudEvent as JSON. */
  readonly text: string;
  /** Committed by an earlier poll, and waiting to be published. */
  readonly committed: boolean;
}

/** The store is only read. */
export type DryRunPorts = Pick<PollPorts, 'source' | 'clock'> & { readonly store: SnapshotStore };

/** Attempts, since a real poll may commit during the dry run. */
const MAX_TRIES = 3;

/** Runs a poll without storing or publishing anything, and returns what it would publish. */
export async function dryRun(input: PollInput, ports: DryRunPorts): Promise<DryRun> {
  for (let tries = 1; ; tries += 1) {
    const run = await runOnce(input, ports);
    if (run.report.counts.conflicts === 0 || tries >= MAX_TRIES) return run;
  }
}

async function runOnce(input: PollInput, { source, clock, store }: DryRunPorts): Promise<DryRun> {
  const texts: string[] = [];
  const own = new Set<string>();
  const publisher: EventPublisher = {
    publish: async (given) => {
      texts.push(...given);
      return { published: given.length, unpublished: [], requests: 0 };
    },
  };
  const report = await poll(input, {
    source,
    clock,
    publisher,
    store: trackCommittedTexts(createDryRunStore(store), own),
    // A log line would count as a poll.
    telemetry: { report: () => {} },
  });
  return { report, events: texts.map((text) => ({ text, committed: !own.has(text) })) };
}

/** Collects the texts that this run commits in `own`. */
function trackCommittedTexts(store: SnapshotStore, own: Set<string>): SnapshotStore {
  const addTexts = (events: { readonly chunks: readonly (readonly string[])[] } | null): void => {
    for (const text of events?.chunks.flat() ?? []) own.add(text);
  };
  return {
    ...store,
    commit: (step) => {
      addTexts(step.events);
      return store.commit(step);
    },
    saveFeedState: (write) => {
      addTexts(write.events);
      return store.saveFeedState(write);
    },
  };
}
