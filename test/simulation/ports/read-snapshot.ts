import { REPLAY_RATE } from '#shared/config/requests/replay-request.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { sendSnapshots } from '#shared/snapshots/flow/send-snapshots.ts';

/** The state of all stored records, as a subscriber gets it. */
export async function readSnapshot(store: SnapshotStore, connection: string): Promise<readonly string[]> {
  const texts: string[] = [];
  await sendSnapshots(
    {
      request: {
        kind: 'snapshot',
        connection,
        select: FEED_NAMES.map((feed) => ({ feed })),
        ...{ queueUrl: '', dryRun: false, perSecond: REPLAY_RATE.max, after: null },
      },
      deadline: Number.POSITIVE_INFINITY,
    },
    { store, ...sendingTo(texts) },
  );
  return texts;
}

/** The ports of who sends much, to a list, while no time passes. */
export function sendingTo(texts: string[]) {
  return {
    publisher: {
      publish: async (some: readonly string[]) => {
        texts.push(...some);
        return { published: some.length, unpublished: [], requests: 1 };
      },
    },
    clock: { now: () => 0 },
    sleep: async () => {},
    telemetry: { report: () => {} },
  };
}
