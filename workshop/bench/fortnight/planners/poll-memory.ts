import { type ChangeRates, NO_RATES } from '#shared/core/plan/change-rates.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { Claim } from '#shared/flow/poll/poll-run.ts';

/** The dates that a poll reads. */
export type ClaimedDates = Claim['dates'];

/** What a poll saves for later polls. */
export interface Memory {
  state: FeedState;
  rates: ChangeRates;
}

export function createMemory(): Memory {
  return { state: EMPTY_FEED_STATE, rates: NO_RATES };
}

export interface ModelledPollOptions {
  readonly dates: ClaimedDates;
  readonly memory: Memory;
  /** How long busy dates are read again and again. */
  readonly repeatMs: number;
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

/** Findings of a poll that its plan and its summary need. */
export function createFindings() {
  return {
    completeScans: new Map<string, { at: number; unseen: Record<string, number | null> }>(),
    attempted: new Set<string>(),
    changesOn: new Map<string, number>(),
    sweptOn: [] as string[],
    turn: null as number | null,
    remainingSlices: 0,
  };
}
