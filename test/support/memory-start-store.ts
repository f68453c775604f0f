import type { StartStore } from '#shared/snapshots/flow/start-receivers.ts';
import type { ReceiverStart } from '#shared/snapshots/receiver-start.ts';

/** Starts without a database. */
export function createMemoryStartStore(): StartStore {
  const starts = new Map<string, ReceiverStart>();
  return {
    load: async (key) => starts.get(JSON.stringify(key)) ?? null,
    save: async (key, start) => {
      const name = JSON.stringify(key);
      if ((starts.get(name)?.revision ?? 0) !== start.revision - 1) return 'conflict';
      starts.set(name, structuredClone(start));
      return 'committed';
    },
  };
}
