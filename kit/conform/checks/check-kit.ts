import type { ShortEventType } from '../../../shared/core/event-types.ts';
import type { EventMaker } from '../event-maker.ts';
import type { SigningKey } from '../signing.ts';

/** What checks are built from. */
export interface CheckKit {
  readonly types: readonly ShortEventType[];
  readonly events: EventMaker;
  /** Of the current secret. */
  readonly key: SigningKey;
  /** Of the previous secret; null when rotation is not tested. */
  readonly previousKey: SigningKey | null;
  /** Of a secret that the receiver does not know. */
  readonly foreignKey: SigningKey;
}
