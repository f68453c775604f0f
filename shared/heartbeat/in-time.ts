import type { FeedState } from '#shared/core/snapshot/feed-state.ts';

const MINUTE_MS = 60_000;

/** What a feed has stored, as far as it says whether its changes are reported in time. */
export interface FeedProgress {
  readonly state: Pick<FeedState, 'completedAt' | 'lag' | 'formChanged'>;
  /** Batches of events that wait to be published. */
  readonly outbox: readonly string[];
}

/** Whether a feed was polled completely within so many minutes, and neither its dates nor its events are late. */
export function isInTime({ state, outbox }: FeedProgress, now: number, withinMinutes: number): boolean {
  const { completedAt, lag, formChanged } = state;
  const isRecent = completedAt !== null && now - completedAt <= withinMinutes * MINUTE_MS;
  return isRecent && lag.since === null && formChanged === null && outbox.length === 0;
}
