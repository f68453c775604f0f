import type { Change } from '../compare/change.ts';
import { beginEpoch, type EpochRule, hasEnded } from '../snapshot/epochs.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';

/** Where the events of a change go on. */
interface Beginning {
  readonly epoch: number | undefined;
  readonly sequence: number;
  readonly sent: LeafRow['sent'];
  /** A known record begins a new epoch. */
  readonly isRestart: boolean;
}

/**
 * A record that no slice knows begins its epoch when it is found; a known one goes on in its own, unless that ended
 * with a restore. What was sent in another epoch is not named any more: later events of it may be unknown to us.
 */
export function beginEvents(
  change: Change,
  { isTold, epochs }: { readonly isTold: boolean; readonly epochs: EpochRule },
): Beginning {
  const { epoch, sequence, before, observed } = change;
  const sent = before?.row.sent ?? {};
  if (epoch !== undefined && isUnknown(change)) {
    return { epoch: beginEpoch(epoch, epochs), sequence, sent, isRestart: false };
  }
  if (!(isTold && hasEnded(epoch, epochs))) return { epoch, sequence, sent, isRestart: false };
  return { epoch: beginEpoch(observed.by, epochs), sequence: 0, sent: {}, isRestart: true };
}

function isUnknown({ rowSlice, tombstoneSlice }: Change): boolean {
  return rowSlice === null && tombstoneSlice === null;
}
