import type { StoredThread, ThreadStore } from '#shared/threads/flow/thread-heads.ts';
import { threadSchema } from '#shared/threads/thread.ts';

/** The threads of a channel without a database. */
export function createMemoryThreadStore(): ThreadStore & { readonly all: ReadonlyMap<string, StoredThread> } {
  const threads = new Map<string, StoredThread>();
  return {
    all: threads,
    load: async (topic) => threads.get(topic) ?? null,
    async save(thread, { expectedRevision }) {
      if ((threads.get(thread.topic)?.revision ?? null) !== expectedRevision) return 'conflict';
      const revision = (expectedRevision ?? 0) + 1;
      threads.set(thread.topic, { thread: threadSchema.parse(JSON.parse(JSON.stringify(thread))), revision });
      return 'committed';
    },
  };
}
