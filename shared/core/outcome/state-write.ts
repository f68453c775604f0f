import { buildBatch } from '../commit/commit-plan.ts';
import { type FeedStateWrite, toRequestToken } from '../commit/commit-step.ts';
import { toOperationText } from '../events/operations.ts';
import type { FeedKey } from '../feeds.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { PollSummary } from './summarize-poll.ts';

/** Name of the feed's own place among slices, for the keys of operational events. */
const FEED_STATE = 'feed';

/** The state that a poll found, and the revision it has in the store; null when it is not there. */
export interface StoredState {
  readonly state: FeedState;
  readonly expectedRevision: number | null;
}

/** When and by whom a state is written. Instants are milliseconds since 1970. */
export interface StateWriter {
  readonly feed: FeedKey;
  readonly runId: string;
  readonly now: number;
  /** The instant of this commit among those of the feed. */
  readonly committedAt: number;
  readonly retentionMs: number;
}

/** One transaction: the feed's state with its operational events, whose sequence goes on from the state before. */
export function planStateWrite(
  { state, operations }: PollSummary,
  previous: StoredState,
  { feed, runId, now, committedAt, retentionMs }: StateWriter,
): { readonly write: FeedStateWrite; readonly texts: readonly string[] } {
  const { epoch, sequence } = previous.state;
  const texts = operations.map((operation, index) =>
    toOperationText(operation, feed, { epoch, sequence: sequence + index + 1, now }),
  );
  const write: FeedStateWrite = {
    feed,
    token: toRequestToken([runId, feed.connection, feed.feed, 'state', state.revision]),
    state,
    expectedRevision: previous.expectedRevision,
    events: buildBatch(texts, { now: committedAt, head: { slice: FEED_STATE, revision: state.revision } }),
    // Of events that wait, the earlier ones expire first: their commits are in order, the clocks of polls are not.
    eventsExpireAt: committedAt + retentionMs,
  };
  return { write, texts };
}
