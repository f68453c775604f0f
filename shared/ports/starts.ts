import type { CommitOutcome } from '../core/commit/commit-step.ts';
import type { ReceiverStart, StartKey } from '../core/replay/receiver-start.ts';

/** How far receivers are that begin with a snapshot. Kept for ever: what is done must not be done again. */
export interface StartStore {
  /** Null before the first part was sent. Strongly consistent. */
  load(key: StartKey): Promise<ReceiverStart | null>;
  /** A conflict when the stored revision is not the one before. */
  save(key: StartKey, start: ReceiverStart): Promise<CommitOutcome>;
}
