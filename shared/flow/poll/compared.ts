import type { Difference } from '#shared/core/compare/compare.ts';
import type { Verdict } from '#shared/core/compare/doubt.ts';
import type { Look } from '#shared/core/look/look.ts';
import type { FeedDefinition } from '#shared/core/records/feed-definition.ts';
import type { Head, SliceKey } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';

/** A look beside what is stored of its slice. */
export interface Compared {
  readonly look: Look;
  readonly head: Head;
  readonly definition: FeedDefinition;
  readonly differences: readonly Difference[];
  /** Rows of unknown ids on other dates. */
  readonly elsewhere: ReadonlyMap<string, { readonly row: StoredRow; readonly key: SliceKey }>;
  readonly verdict: Verdict;
}
