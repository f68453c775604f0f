import { beginEpoch, type EpochRule } from './epochs.ts';
import { EMPTY_FEED_STATE, type FeedState } from './feed-state.ts';
import { forgetMisdated } from './stored-instants.ts';

/** The table in which a poll runs. */
export interface CurrentTable {
  /** Identity of the table, which a restore does not keep; null when unknown. */
  readonly tableId: string | null;
  readonly now: number;
}

/**
 * The state of a feed at the start of a poll. A new feed (state `null`) begins its epoch now. If the state was written
 * in another table, this one was restored, and everything in it begins a new epoch (rule 16).
 */
export function recognizeTable(stored: FeedState | null, table: CurrentTable): FeedState {
  const { tableId, now } = table;
  const identity = tableId === null ? {} : { tableId };
  if (stored === null) return { ...EMPTY_FEED_STATE, ...identity, epoch: now };
  const state = forgetMisdated(stored, now);
  const isRestored = tableId !== null && state.tableId !== undefined && state.tableId !== tableId;
  if (!isRestored) return { ...state, ...identity };
  const restoredAt = beginEpoch(now, readEpochRule(state));
  return { ...state, ...identity, ...beginRenewal(restoredAt), epoch: restoredAt, sequence: 0 };
}

/**
 * The first state of a feed in its table, saved before anything else of the feed is: so rows that are there without a
 * state were written elsewhere, came with a backup, and begin a new epoch. Revision 0.
 */
export function beginFeedState(
  recognized: FeedState,
  rows: { readonly found: boolean; readonly now: number },
): FeedState {
  return rows.found ? { ...recognized, ...beginRenewal(rows.now) } : recognized;
}

/** What was looked at before a restore does not show what was published since the backup: each slice is looked at again. */
function beginRenewal(restoredAt: number): Pick<FeedState, 'restoredAt' | 'renewal' | 'coverage'> {
  return { restoredAt, renewal: { slices: {} }, coverage: {} };
}

export function readEpochRule({ newestEpoch, restoredAt }: FeedState): EpochRule {
  const notBefore = Math.max(newestEpoch === undefined ? 0 : newestEpoch + 1, restoredAt ?? 0);
  return { notBefore, restoredAt: restoredAt ?? null };
}

/** The state after a poll that ends now: epochs of later polls are later than all of this one. */
export function recordNewestEpoch(state: FeedState, now: number): FeedState {
  return { ...state, newestEpoch: beginEpoch(now, readEpochRule(state)) };
}
