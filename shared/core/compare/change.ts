import type { PublishedClosing } from '../periods/statement-memory.ts';
import type { StateRow } from '../records/feed-definition.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';
import type { KnownRow, SeenRecord } from './classify-records.ts';
import type { Unlisted } from './unlisted.ts';

/** The answer to a request for one absent record by id (rule 6). Instants in milliseconds since 1970. */
export type RemovalCheck =
  /** 404: the only proof of a removal. */
  | { readonly outcome: 'gone'; readonly requestedAt: number; readonly receivedAt: number }
  /** The record exists, on its old date or on another one. */
  | { readonly outcome: 'found'; readonly record: SeenRecord }
  /** The request failed, or the record is invalid: the record keeps its known state. */
  | { readonly outcome: 'unknown'; readonly askedAt: number };

/** What differs between the snapshot and the scan for one record. Instants in milliseconds since 1970. */
export interface Change {
  readonly id: string;
  /** As last committed; null when it is new, or its row is `untold`. */
  readonly before: KnownRow | null;
  /** Slice of its present row, also when `before` is null: the row must be removed from there. */
  readonly rowSlice: string | null;
  /** As seen now; null when it was removed. */
  readonly after: { readonly slice: string; readonly row: StateRow } | null;
  /** Sequence of its latest event: from the row or the tombstone, else 0. */
  readonly sequence: number;
  /** Epoch of its events: from the row or the tombstone, else the instant at which the record was found. */
  readonly epoch: number;
  readonly tombstoneSlice: string | null;
  /** From the tombstone. */
  readonly closing?: PublishedClosing;
  /** When the old state was last seen, and the new one first (rule 10). */
  readonly observed: { readonly after: number | null; readonly by: number };
  /** An instant at which the new state was seen for certain. */
  readonly seenAt: number;
  /** Nothing happened to the record: its row is only removed or rewritten, without an event. */
  readonly silent?: true;
  /** The row that replaces the present one without an event. */
  readonly rewritten?: LeafRow;
  /** The record was only seen by id: its list leaves it out. */
  readonly unlisted?: Unlisted;
}

/** The slices of a record before and after a change; the same one once. */
export function slicesOf({ rowSlice, after }: Pick<Change, 'rowSlice' | 'after'>): readonly string[] {
  return [...new Set([rowSlice, after?.slice ?? null])].filter((slice) => slice !== null);
}

export interface Comparison {
  readonly changes: readonly Change[];
  /** Per scanned slice: ids that are or may be there but could not be read, and when they were last seen. */
  readonly unseen: ReadonlyMap<string, Readonly<Record<string, number | null>>>;
}
