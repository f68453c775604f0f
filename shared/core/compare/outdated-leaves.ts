import { hasDigest } from '../snapshot/digests.ts';
import { digestLeaf, type Leaf, toLeafKey, toLeafRef } from '../snapshot/snapshot.ts';
import type { KnownRow, SeenRecord } from './classify-records.ts';
import type { Snapshot } from './differing-leaves.ts';

/** Leaves whose head does not hold their canonical digest. */
export interface OutdatedLeaves {
  readonly heads: Snapshot['heads'];
  /** Keys of those without a rewritten row so far. */
  readonly keys: Set<string>;
}

/** Leaves that an earlier version wrote with digests of another form, or with texts that could not be stored. */
export function findOutdatedLeaves({ heads, leaves }: Snapshot): OutdatedLeaves {
  const isOutdated = (leaf: Leaf) => {
    const head = heads.get(leaf.slice);
    return head !== undefined && !hasDigest(head.digests, leaf.index, digestLeaf(leaf));
  };
  return { heads, keys: new Set([...leaves].flatMap(([key, leaf]) => (isOutdated(leaf) ? [key] : []))) };
}

/**
 * Whether to rewrite the row of an unchanged record, so that its leaf does not differ for ever: its canonical form has
 * changed, or its leaf is outdated (one rewritten row per leaf suffices; its key is removed from `outdated`).
 */
export function mustRewrite(record: SeenRecord, { slice, row }: KnownRow, outdated: OutdatedLeaves): boolean {
  const head = outdated.keys.size === 0 ? undefined : outdated.heads.get(slice);
  if (head !== undefined && outdated.keys.delete(toLeafKey(toLeafRef(head, record.id)))) return true;
  // `classifyRecords` gives a record with the digest of its row the row's own state.
  return row.state !== record.row;
}
