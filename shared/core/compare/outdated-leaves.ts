import { canonicalizeJson } from '../records/notation.ts';
import { hasDigest } from '../snapshot/digests.ts';
import { digestLeaf, type Leaf, toLeafKey, toLeafRef } from '../snapshot/snapshot.ts';
import type { KnownRow, SeenRecord } from './classify-records.ts';
import type { Snapshot } from './differing-leaves.ts';

/** Leaves of which a head has no digest of today's form, by their keys. */
export interface OutdatedLeaves {
  readonly heads: Snapshot['heads'];
  /** Those for which no row was found yet that is written anew. */
  readonly keys: Set<string>;
}

/** Leaves that an earlier version wrote with digests of another form, or that could not hold what was written. */
export function findOutdatedLeaves({ heads, leaves }: Snapshot): OutdatedLeaves {
  const isOutdated = (leaf: Leaf) => {
    const head = heads.get(leaf.slice);
    return head !== undefined && !hasDigest(head.digests, leaf.index, digestLeaf(leaf));
  };
  return { heads, keys: new Set([...leaves].flatMap(([key, leaf]) => (isOutdated(leaf) ? [key] : []))) };
}

/**
 * Whether the row of an unchanged record must be written anew, so that its leaf does not differ for ever: it has
 * another digest in the notation of today, or its head has one of an older form (one row is enough to mend that).
 */
export function mustRewrite(record: SeenRecord, { slice, row }: KnownRow, outdated: OutdatedLeaves): boolean {
  if (slice !== record.slice) return false;
  const head = outdated.keys.size === 0 ? undefined : outdated.heads.get(slice);
  if (head !== undefined && outdated.keys.delete(toLeafKey(toLeafRef(head, record.id)))) return true;
  if (row.state === record.row) return false;
  const [stored, seen] = [JSON.stringify(row.state), JSON.stringify(record.row)];
  return stored !== seen && canonicalizeJson(stored) !== canonicalizeJson(seen);
}
