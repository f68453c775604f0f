/** When epochs of records begin (rule 16). Instants in milliseconds since 1970. */
export interface EpochRule {
  /** No epoch begins before this. It is later than every epoch of this feed, even if a clock went back since. */
  readonly notBefore: number;
  /** Records of an earlier epoch begin a new one at their next event; null: none do. */
  readonly restoredAt: number | null;
}

/** No epoch has ended. */
export const NO_EPOCHS: EpochRule = { notBefore: 0, restoredAt: null };

/** The epoch of a record that was found, or put into a baseline, at this instant. */
export function beginEpoch(at: number, { notBefore }: EpochRule): number {
  return Math.max(at, notBefore);
}

/** Whether a restore ended this epoch: events of it may exist that the restored table does not hold. */
export function hasEnded(epoch: number, { restoredAt }: EpochRule): boolean {
  return restoredAt !== null && epoch < restoredAt;
}

/** The latest published event of a record: its epoch, in milliseconds since 1970, and its sequence in it. */
export interface PublishedPosition {
  readonly epoch: number;
  readonly sequence: number;
}

/** The position of a row, a tombstone or a change, without its other members. */
export function toPublishedPosition({ epoch, sequence }: PublishedPosition): PublishedPosition {
  return { epoch, sequence };
}

/** Negative when the left one is behind: nothing published, an earlier epoch, or fewer events of the same epoch. */
export function comparePublishedPositions(left: PublishedPosition, right: PublishedPosition): number {
  const [isLeftPublished, isRightPublished] = [left.sequence > 0, right.sequence > 0];
  if (!(isLeftPublished && isRightPublished)) return Number(isLeftPublished) - Number(isRightPublished);
  return left.epoch - right.epoch || left.sequence - right.sequence;
}
