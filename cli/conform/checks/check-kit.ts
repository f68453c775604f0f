import type { ShortEventType } from '#shared/core/event-types.ts';
import type { EventMaker } from '../event-maker.ts';
import type { SigningKey } from '../signing.ts';

/** What checks are made of. */
export interface CheckKit {
  readonly types: readonly ShortEventType[];
  readonly events: EventMaker;
  /** Of the secret in use. */
  readonly key: SigningKey;
  /** Of the secret before it, while one replaces the other. */
  readonly previousKey: SigningKey | null;
  /** Of a secret that the receiver does not know. */
  readonly foreignKey: SigningKey;
}
