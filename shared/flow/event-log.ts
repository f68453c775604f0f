import type { EventTopic } from '#shared/core/event-types.ts';
import { logKeyAt } from '#shared/core/snapshot/log-key.ts';
import type { LogItem, Store } from './poll/ports.ts';

/** Instants in milliseconds since 1970. */
export interface LogStretch {
  readonly from: number;
  /** Not included. */
  readonly to: number;
  /** All of them when absent. */
  readonly topic?: EventTopic;
}

/** The log of committed events, by the time of their commits. */
export interface EventLog {
  /** Commits of a connection, in their order. A text is one CloudEvent as JSON, byte for byte as published. */
  read(connection: string, stretch: LogStretch): AsyncGenerator<LogItem, void>;
}

export function createEventLog(store: Pick<Store, 'readLog'>): EventLog {
  return {
    async *read(connection, { from, to, topic }) {
      for await (const item of store.readLog(connection, logKeyAt(from), topic)) {
        if (item.committedAt >= to) return;
        yield item;
      }
    },
  };
}
