import { type EventBatch, toBatchPointer } from '#shared/core/commit/commit-step.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey, FeedName } from '#shared/core/feeds.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';

interface Logged {
  readonly texts: readonly string[];
  readonly expireAt: number;
}

/** Expiry of the batches of the event log, shared by all tables of a history. */
export class EventLog {
  readonly #batches = new Map<string, Logged>();

  note(feed: FeedKey, batch: EventBatch | null, expireAt: number): void {
    if (batch === null) return;
    this.#batches.set(nameOf(feed, toBatchPointer(batch)), { texts: batch.chunks.flat(), expireAt });
  }

  /** The texts of a batch that has expired; null while it is stored. */
  findExpired(now: number, feed: FeedKey, pointer: string): readonly string[] | null {
    const logged = this.#batches.get(nameOf(feed, pointer));
    return logged === undefined || now < logged.expireAt ? null : logged.texts;
  }
}

function nameOf({ connection, feed }: FeedKey, pointer: string): string {
  return `${connection} ${feed} ${pointer}`;
}

interface Expiry {
  readonly log: EventLog;
  readonly time: () => number;
  /** Called with the texts of a batch that can no longer be read. */
  readonly noteGone: (texts: readonly string[], feed: FeedName) => void;
}

/** A store that deletes events exactly at the end of their time to live. */
export function expiringStore(store: SnapshotStore, { log, time, noteGone }: Expiry): SnapshotStore {
  return {
    ...store,
    commit: async (step) => {
      const outcome = await store.commit(step);
      if (outcome === 'committed') log.note(step.feed, step.events, step.eventsExpireAt);
      return outcome;
    },
    saveFeedState: async (write) => {
      const outcome = await store.saveFeedState(write);
      if (outcome === 'committed') log.note(write.feed, write.events, write.eventsExpireAt);
      return outcome;
    },
    readEvents: async (feed, pointer) => {
      const gone = log.findExpired(time(), feed, pointer);
      if (gone === null) return await store.readEvents(feed, pointer);
      noteGone(gone, feed.feed);
      throw new NotifierError('events_missing', `there are no events under ${pointer}`);
    },
  };
}
