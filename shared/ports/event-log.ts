import type { FeedKey } from '../core/feeds.ts';

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

/** The events of one commit. `committedAt`: milliseconds since 1970. */
export interface LoggedBatch {
  readonly pointer: string;
  readonly committedAt: number;
  readonly texts: readonly string[];
}
