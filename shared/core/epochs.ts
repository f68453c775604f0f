import { EMPTY_FEED_STATE, type FeedState } from './feed-state.ts';

/** When epochs of records begin (rule 16). Instants in milliseconds since 1970. */
export interface EpochRule {
  /** No epoch begins before: later than every epoch this feed has given, even when a clock went back since. */
  readonly notBefore: number;
  /** Records of an earlier epoch, or of none, begin a new one at their next event; null when nothing was restored. */
  readonly restoredAt: number | null;
}

/** A feed that never gave an epoch, in a table that was never restored. */
export const NO_EPOCHS: EpochRule = { notBefore: 0, restoredAt: null };

/** The epoch of a record that a look found, or that its baseline took over. */
export function beginEpoch(at: number, { notBefore }: EpochRule): number {
  return Math.max(at, notBefore);
}

/** Whether a record's epoch ended with the table it was given in: events of it may exist that this table never saw. */
export function hasEnded(epoch: number | undefined, { restoredAt }: EpochRule): boolean {
  return restoredAt !== null && (epoch ?? Number.NEGATIVE_INFINITY) < restoredAt;
}

/** The table that a poll finds itself in. */
export interface TableSighting {
  /** Identity that a restore does not keep; null when it is not known. */
  readonly tableId: string | null;
  readonly now: number;
  /** The state was last written by a version that knows no epochs: rows that it wrote have lost theirs. */
  readonly epochsLost: boolean;
}

/**
 * The state of a feed with what a poll recognises of its table: a new one (state `null`) begins its epoch now; a state
 * that was written in another table, so that this one was restored, begins a new epoch for everything in it.
 */
export function recognizeTable(state: FeedState | null, sighting: TableSighting): FeedState {
  const { tableId, now, epochsLost } = sighting;
  const identity = tableId === null ? {} : { tableId };
  if (state === null) return { ...EMPTY_FEED_STATE, ...identity, epoch: now };
  const isRestored = tableId !== null && state.tableId !== undefined && state.tableId !== tableId;
  if (!(isRestored || epochsLost)) return { ...state, ...identity };
  const restoredAt = beginEpoch(now, epochRuleOf(state));
  return { ...state, ...identity, restoredAt, epoch: restoredAt, sequence: 0 };
}

export function epochRuleOf({ newestEpoch, restoredAt }: FeedState): EpochRule {
  const notBefore = Math.max(newestEpoch === undefined ? 0 : newestEpoch + 1, restoredAt ?? 0);
  return { notBefore, restoredAt: restoredAt ?? null };
}

/** The state after a poll that ends now: whatever epochs the poll gave, later polls give later ones. */
export function noteNewestEpoch(state: FeedState, now: number): FeedState {
  return { ...state, newestEpoch: beginEpoch(now, epochRuleOf(state)) };
}

/** How much of a record was told: so many events of its epoch. `epoch` in milliseconds since 1970. */
export interface ToldUntil {
  readonly epoch?: number;
  readonly sequence: number;
}

/** The same of a row, a tombstone or a change, without what else they hold. */
export function toldUntil({
  epoch,
  sequence,
}: {
  readonly epoch?: number | undefined;
  readonly sequence: number;
}): ToldUntil {
  return epoch === undefined ? { sequence } : { epoch, sequence };
}

/** Negative when less was told of the left one: nothing, of an earlier epoch, or fewer events. */
export function compareTold(left: ToldUntil, right: ToldUntil): number {
  const [isLeftTold, isRightTold] = [left.sequence > 0, right.sequence > 0];
  if (!(isLeftTold && isRightTold)) return Number(isLeftTold) - Number(isRightTold);
  const [leftEpoch, rightEpoch] = [left.epoch ?? 0, right.epoch ?? 0];
  return leftEpoch === rightEpoch ? left.sequence - right.sequence : leftEpoch - rightEpoch;
}
