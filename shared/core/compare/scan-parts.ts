import type { Scan, ScannedRecord } from '../fetch/scan.ts';
import { type LeafRef, type SliceHead, toLeafKey, toLeafRef } from '../snapshot/snapshot.ts';
import { findDifferingLeaves } from './differing-leaves.ts';

/** A leaf that does not hold what the scan saw, with the scanned records of its ids. */
export interface DifferingLeaf {
  readonly ref: LeafRef;
  readonly records: readonly ScannedRecord[];
  /** Rows that it is expected to hold: the average of its slice. */
  readonly rows: number;
}

/** The leaves that differ from a scan, in the order of slices and leaves. */
export function findDifferingLeavesWithRecords(
  scan: Scan,
  heads: ReadonlyMap<string, SliceHead>,
): readonly DifferingLeaf[] {
  const leaves = new Map<string, { ref: LeafRef; records: ScannedRecord[]; rows: number }>();
  for (const ref of findDifferingLeaves(scan, heads)) {
    leaves.set(toLeafKey(ref), { ref, records: [], rows: averageRowsPerLeaf(ref, heads) });
  }
  const slices = new Set([...leaves.values()].map(({ ref }) => ref.slice));
  for (const record of scan.records.values()) {
    const head = slices.has(record.slice) ? heads.get(record.slice) : undefined;
    if (head !== undefined) leaves.get(toLeafKey(toLeafRef(head, record.id)))?.records.push(record);
  }
  return [...leaves.values()];
}

/** Average rows of the leaves of a slice; 0 when its head is not loaded. */
export function averageRowsPerLeaf({ slice }: LeafRef, heads: ReadonlyMap<string, SliceHead>): number {
  const head = heads.get(slice);
  return head === undefined ? 0 : head.recordCount / head.leafCount;
}

/** Cuts a list into parts that weigh at most `bound`, unless a single member weighs more. */
export function cutByWeight<Member>(
  members: readonly Member[],
  weigh: (member: Member) => number,
  bound: number,
): Member[][] {
  const parts: Member[][] = [];
  let weight = 0;
  for (const member of members) {
    const own = weigh(member);
    const last = parts.at(-1);
    if (last === undefined || weight + own > bound) {
      parts.push([member]);
      weight = own;
    } else {
      last.push(member);
      weight += own;
    }
  }
  return parts;
}
