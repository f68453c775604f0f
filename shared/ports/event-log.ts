import type { FeedKey } from '../core/feeds.ts';

/** Events as committed, for looking back. */
export interface EventLog {
  /**
   * Batches of a feed committed from one instant on and before another, in the order of their commits. A text is one
   * CloudEvent as JSON, byte for byte as published.
   */
  read(
    feed: FeedKey,
    between: { readonly from: number; readonly to: number },
  ): AsyncGenerator<LoggedBatch, void>;
}

export interface LoggedBatch {
  readonly pointer: string;
  readonly committedAt: number;
  readonly texts: readonly string[];
}
