/** When epochs of records begin (rule 16). Instants in milliseconds since 1970. */
export interface EpochRule {
  /** No epoch begins before: later than every epoch this feed has given, even when a clock went back since. */
  readonly notBefore: number;
  /**
   * Records of an earlier epoch, or of none, begin a new one at their next event; null when nothing was restored, and
   * records of before there were epochs go on without one.
   */
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

/** How much of a record was told: so many events of its epoch. `epoch` in milliseconds since 1970. */
export interface PublishedPosition {
  readonly epoch?: number;
  readonly sequence: number;
}

/** The same of a row, a tombstone or a change, without what else they hold. */
export function toPublishedPosition({
  epoch,
  sequence,
}: {
  readonly epoch?: number | undefined;
  readonly sequence: number;
}): PublishedPosition {
  return epoch === undefined ? { sequence } : { epoch, sequence };
}

/** Negative when less was told of the left one: nothing, of an earlier epoch, or fewer events. */
export function comparePublishedPositions(left: PublishedPosition, right: PublishedPosition): number {
  const [isLeftPublished, isRightPublished] = [left.sequence > 0, right.sequence > 0];
  if (!(isLeftPublished && isRightPublished)) return Number(isLeftPublished) - Number(isRightPublished);
  const [leftEpoch, rightEpoch] = [left.epoch ?? 0, right.epoch ?? 0];
  return leftEpoch === rightEpoch ? left.sequence - right.sequence : leftEpoch - rightEpoch;
}
