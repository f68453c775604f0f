import type { FeedKey } from '#shared/core/feeds.ts';

/** The log of committed events. */
export interface EventLog {
  /**
   * Batches of a feed committed at `from` or later and before `to` (ms since 1970), in the order of their commits. A
   * text is one CloudEvent as JSON, byte for byte as published.
   */
  read(
    feed: FeedKey,
    between: { readonly from: number; readonly to: number },
  ): AsyncGenerator<LoggedBatch, void>;
}

/** The events of one commit. Instants in milliseconds since 1970. */
export interface LoggedBatch {
  readonly pointer: string;
  readonly committedAt: number;
  /** When the last of them was published; absent when that was within seconds of the commit, or is still to come. */
  readonly publishedAt?: number;
  readonly look?: string;
  readonly texts: readonly string[];
}
