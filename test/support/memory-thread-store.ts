import type { ThreadStore } from '#shared/people/flow/post-in-threads.ts';

/** The threads of a channel without a database. */
export function createMemoryThreadStore(): ThreadStore & { readonly all: ReadonlyMap<string, string> } {
  const all = new Map<string, string>();
  return {
    all,
    load: async (thread) => all.get(thread) ?? null,
    save: async (thread, ts) => void all.set(thread, ts),
  };
}
