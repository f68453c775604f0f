import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { readStates } from '#shared/operator/send/events-to-send.ts';

/** The state of all stored records, as a subscriber gets it. */
export async function readSnapshot(store: SnapshotStore, connection: string): Promise<readonly string[]> {
  const select = FEED_NAMES.map((feed) => ({ feed }));
  const states = await Array.fromAsync(readStates(connection, { select }, store));
  return states.map(({ text }) => text);
}
