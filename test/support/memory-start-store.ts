import type { ReceiverStart } from '#shared/core/replay/receiver-start.ts';
import type { StartStore } from '#shared/flow/start-receivers.ts';

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
