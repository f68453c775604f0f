import type { OperationType } from '../event-types.ts';
import type { Json } from './fields.ts';

/** Dates that one operational event names. */
export const MAX_NAMED_DATES = 10;
/** Events, and records, that one operational event names. */
export const MAX_NAMED_EVENTS = 50;

/** An operational event before it has an id and a sequence. */
export interface Operation {
  readonly type: OperationType;
  /** A record id or a slice; null when it is about the whole feed. */
  readonly subject: string | null;
  readonly data: Readonly<Record<string, Json>>;
}
