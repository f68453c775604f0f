import type { Scan } from '#shared/core/fetch/scan.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';

type Heads = ReadonlyMap<string, SliceHead>;

/** Slices that were committed between two moments, by this poll or by another one. */
export function findChangedSlices(slices: Iterable<string>, before: Heads, now: Heads): Set<string> {
  return new Set([...slices].filter((slice) => before.get(slice)?.revision !== now.get(slice)?.revision));
}

/** A scan without some of its slices: what was seen there may be older than what is known (rule 1). */
export function withoutSlices(scan: Scan, dropped: ReadonlySet<string>): Scan {
  if (dropped.size === 0) return scan;
  const records = [...scan.records].filter(([, { slice }]) => !dropped.has(slice));
  const slices = new Set([...scan.slices].filter((slice) => !dropped.has(slice)));
  return { ...scan, slices, records: new Map(records) };
}
