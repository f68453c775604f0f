import type { NamedKind, Names } from '../core/names/names.ts';

/** Names of records, refreshed daily, or within minutes where there are none. They expire two weeks after they were last written. */
export interface NameStore {
  /** Those of the kinds that were never saved, or have expired. */
  listMissing(connection: string, kinds: readonly NamedKind[]): Promise<readonly NamedKind[]>;
  load(connection: string, kinds: readonly NamedKind[]): Promise<Names>;
  /** Replaces the names of a kind. They last for at least ten days without another save. */
  save(connection: string, kind: NamedKind, names: ReadonlyMap<string, string>): Promise<void>;
}

/** The lists of the source API that contain names. */
export interface NameSource {
  /** All records of a list, unchecked. Throws `SourceError` unless the list is complete. */
  list(kind: NamedKind): Promise<readonly unknown[]>;
  /** Requests sent and 429s received since the adapter was made. */
  counts(): { readonly requests: number; readonly throttled: number };
}
