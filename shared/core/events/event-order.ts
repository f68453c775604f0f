/** Position of an event among those of its record: by epoch, then by sequence. */
export interface EventPosition {
  /**
   * Instant at which the notifier began to follow the record: RFC 3339, UTC, milliseconds, so that it sorts as text.
   */
  readonly epoch?: string | undefined;
  /** Counts the events of the record within the epoch, from 1. */
  readonly sequence: number;
}

/** Position of an event of a feed. Events about a webhook have no epoch. */
export interface FeedPosition extends EventPosition {
  readonly epoch: string;
}

/** Negative when the left epoch is earlier. An absent epoch comes before every epoch. */
export function compareEpochs(left: string | undefined, right: string | undefined): number {
  const [earlier, later] = [left ?? '', right ?? ''];
  if (earlier === later) return 0;
  return earlier < later ? -1 : 1;
}

/** Negative when the left event comes before the right one of the same record. */
export function comparePositions(left: EventPosition, right: EventPosition): number {
  return compareEpochs(left.epoch, right.epoch) || left.sequence - right.sequence;
}
