import { type ChangeRates, NO_RATES } from '#shared/core/plan/change-rates.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';

export type Extent = 'everything' | 'hot';

/** What polls leave to the next ones. */
export interface Memory {
  state: FeedState;
  rates: ChangeRates;
}

export function newMemory(): Memory {
  return { state: EMPTY_FEED_STATE, rates: NO_RATES };
}

export interface PollOrder {
  readonly extent: Extent;
  readonly memory: Memory;
  /** Whether the hot dates may be looked at once more now. */
  readonly claimHot: (now: number) => boolean;
}
