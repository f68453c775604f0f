import type { StateRow } from '../records/feed-definition.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';
import type { KnownRow, SeenRecord } from './classify-records.ts';
import type { Unlisted } from './unlisted.ts';

/** What the source said when asked for one absent record by id (rule 6). */
export type RemovalCheck =
  /** 404: the only proof of a removal. */
  | { readonly outcome: 'gone'; readonly requestedAt: number; readonly receivedAt: number }
  /** It is there, on its old date or on another one. */
  | { readonly outcome: 'found'; readonly record: SeenRecord }
  /** It was asked for in vain, or the answer does not fit the schema: it stays as it is known. */
  | { readonly outcome: 'unknown'; readonly askedAt: number };

/** What differs between the snapshot and the scan for one record. */
export interface Change {
  readonly id: string;
  /** As last committed; null when it is new, or was taken over with its facts untold. */
  readonly before: KnownRow | null;
  /** Where the row stands now, also when it counts as new: it must leave that place. */
  readonly rowSlice: string | null;
  /** As seen now; null when it is gone. */
  readonly after: { readonly slice: string; readonly row: StateRow } | null;
  /** Where its events go on: as the row or the tombstone says, or from 0. */
  readonly sequence: number;
  /** Their epoch: that of the row or the tombstone, or the instant at which the record was found; absent for none. */
  readonly epoch?: number;
  readonly tombstoneSlice: string | null;
  /** Last time the old state was seen, and first time the new one was (rule 10). */
  readonly observed: { readonly after: number | null; readonly by: number };
  /** An instant at which the new state was certainly seen. */
  readonly seenAt: number;
  /** Nothing happened to the record: the row is only tidied away, or rewritten. */
  readonly silent?: true;
  /** The row that takes the place of the one before, without a word. */
  readonly rewritten?: LeafRow;
  /** Seen by id alone: its list leaves it out. */
  readonly unlisted?: Unlisted;
}

export interface Comparison {
  readonly changes: readonly Change[];
  /** Per scanned slice: ids that were there, or may be, but could not be read; with when they were last seen. */
  readonly unseen: ReadonlyMap<string, Readonly<Record<string, number | null>>>;
}
