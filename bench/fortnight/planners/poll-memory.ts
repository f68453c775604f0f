import { type ChangeRates, NO_RATES } from '#shared/core/plan/change-rates.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';

export type Extent = 'everything' | 'hot';

/** What polls leave to the next ones. */
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
  /** Whether the hot dates may be looked at once more now. */
  readonly claimHot: (now: number) => boolean;
}

/** Bounds of a poll, as the flow has them. */
export const MIN_PAUSE_MS = 5_000;
export const MAX_WALKS = 3;
export const MAX_PAGES_UNDER_WAY = 8;
export const SWEEP_RECORDS = 5;
export const MAX_PERIODS_AGE_MS = 25_000;
