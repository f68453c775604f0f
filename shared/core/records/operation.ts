import type { OperationType } from '../event-types.ts';
import type { Json } from './fields.ts';

/** An operational event before it has an id and a sequence. */
export interface Operation {
  readonly type: OperationType;
  /** A record id or a slice; null when it is about the whole feed. */
  readonly subject: string | null;
  readonly data: Readonly<Record<string, Json>>;
}
