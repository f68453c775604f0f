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
export const POLL_BOUNDS = {
  minPauseMs: 5_000,
  maxWalks: 3,
  maxPagesUnderWay: 8,
  sweepRecords: 5,
  maxPeriodsAgeMs: 25_000,
} as const;

/** What a poll has found so far, as far as the plan needs it. */
export function createFindings() {
  return {
    looks: new Map<string, { at: number; unseen: Record<string, number | null> }>(),
    tried: new Set<string>(),
    changesOn: new Map<string, number>(),
    sweptOn: [] as string[],
    turn: null as number | null,
    remainingSlices: 0,
  };
}
