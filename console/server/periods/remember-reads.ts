import type { EventLog, LoggedBatch } from '#shared/flow/replay-events.ts';

/** Reads each stretch of a log once: all pay periods look for their closings in the same one. */
export function rememberReads(log: EventLog): EventLog {
  const known = new Map<string, Promise<readonly LoggedBatch[]>>();
  return {
    read: async function* (feed, between) {
      const key = JSON.stringify([feed, between]);
      const batches = known.get(key) ?? collect(log.read(feed, between));
      known.set(key, batches);
      yield* await batches;
    },
  };
}

async function collect(batches: AsyncGenerator<LoggedBatch, void>): Promise<readonly LoggedBatch[]> {
  const all: LoggedBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}
