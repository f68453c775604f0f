import { ABSENCE_FIELDS } from '../../absences/absences.ts';
import type { Change } from '../compare/change.ts';
import { beginEpoch, type EpochRule, hasEnded } from '../snapshot/epochs.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';

/** Position after which the events of a change continue. */
interface Beginning {
  readonly epoch: number;
  readonly sequence: number;
  readonly sent: LeafRow['sent'];
  /** Whether a known record begins a new epoch. */
  readonly isRestart: boolean;
}

/**
 * An unknown record begins its epoch when it is found. A known one continues its epoch unless a restore ended it; then
 * reversals no longer name events of the old epoch, since the restored table may not hold its latest ones.
 */
export function beginEvents(
  change: Change,
  { hasEvents, epochs }: { readonly hasEvents: boolean; readonly epochs: EpochRule },
): Beginning {
  const { epoch, sequence, before, observed } = change;
  const sent = before?.row.sent ?? {};
  if (isUnknown(change)) {
    return { epoch: beginEpoch(epoch, epochs), sequence, sent, isRestart: false };
  }
  if (!(hasEvents && hasEnded(epoch, epochs))) {
    // Its epoch began with a snapshot, which not everybody takes.
    const isRenewed = sequence === 0 && epoch === epochs.restoredAt;
    return { epoch, sequence, sent, isRestart: isRenewed };
  }
  const begun = beginEpoch(observed.by, epochs);
  return { epoch: begun, sequence: 0, sent: keepToldAbsences(sent), isRestart: true };
}

/** What was published as missing is still taken back; 0 names no event. */
export function keepToldAbsences(sent: LeafRow['sent']): LeafRow['sent'] {
  return Object.fromEntries(
    ABSENCE_FIELDS.filter((field) => sent[field] !== undefined).map((field) => [field, 0]),
  );
}

function isUnknown({ rowSlice, tombstoneSlice }: Change): boolean {
  return rowSlice === null && tombstoneSlice === null;
}

/** What the row of a changed record remembers besides its state and its events. */
export function keepReminded({ before }: Change): Pick<LeafRow, 'remindedAt'> {
  return before?.row.remindedAt === undefined ? {} : { remindedAt: before.row.remindedAt };
}
