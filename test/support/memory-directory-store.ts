import { NO_NAMES } from '#shared/core/words/names.ts';
import type { DirectoryStore } from '#shared/delivery-ports.ts';

/** The directory without a database: what it promises and nothing else. */
export function createMemoryDirectoryStore(): DirectoryStore {
  const stored = new Map<string, ReadonlyMap<string, string>>();
  return {
    load: async (connection, kinds) => {
      const found = kinds.map((kind) => [kind, stored.get(`${connection} ${kind}`) ?? new Map()] as const);
      return { ...NO_NAMES, ...Object.fromEntries(found) };
    },
    save: async (connection, kind, names) => {
      stored.set(`${connection} ${kind}`, new Map(names));
    },
  };
}
