import type { OperationType } from '../event-types.ts';
import type { Json } from './fields.ts';

/** Something to tell about the watching itself. */
export interface Operation {
  readonly type: OperationType;
  /** What it is about, when not the whole feed: a record id or a slice. */
  readonly subject: string | null;
  readonly data: Readonly<Record<string, Json>>;
}
