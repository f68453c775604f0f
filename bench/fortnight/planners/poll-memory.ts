import { type ChangeRates, NO_RATES } from '#shared/core/plan/change-rates.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';

export type Extent = 'everything' | 'hot';

/** What a poll saves for later polls. */
export interface Memory {
  state: FeedState;
  rates: ChangeRates;
}

export function createMemory(): Memory {
  return { state: EMPTY_FEED_STATE, rates: NO_RATES };
}

export interface ModelledPollOptions {
  readonly extent: Extent;
  readonly memory: Memory;
  /** Whether the poll may read the hot dates once more now. */
  readonly claimHot: (now: number) => boolean;
}

/** The bounds of `shared/flow/poll`. */
export const POLL_BOUNDS = {
  minPauseMs: 5_000,
  maxWalks: 3,
  maxPagesUnderWay: 8,
  sweepRecords: 5,
  maxPeriodsAgeMs: 25_000,
} as const;
