import type { OperationType } from '../event-types.ts';
import type { Json } from './fields.ts';

/** An operational event before it has an id and a sequence. */
export interface Operation {
  readonly type: OperationType;
  /** What it is about; null for the whole feed. */
  readonly subject: string | null;
  readonly data: Readonly<Record<string, Json>>;
}
