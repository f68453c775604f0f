import type { NamedKind, Names } from '../core/names/names.ts';

/** Names of records, refreshed daily. Those that nobody saves again are forgotten after two weeks. */
export interface NameStore {
  load(connection: string, kinds: readonly NamedKind[]): Promise<Names>;
  /** Replaces the names of a kind. Saved daily, they stay; they outlive ten days without being saved. */
  save(connection: string, kind: NamedKind, names: ReadonlyMap<string, string>): Promise<void>;
}

/** The lists of the source that have names in them. */
export interface NameSource {
  /** The records of a list, unchecked, none of them left out. Throws `SourceError` for everything but a whole list. */
  list(kind: NamedKind): Promise<readonly unknown[]>;
  /** Requests sent and 429s received since the adapter was made. */
  counts(): { readonly requests: number; readonly throttled: number };
}
