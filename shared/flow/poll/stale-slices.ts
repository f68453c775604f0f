import type { Scan } from '../../core/scan.ts';
import type { SliceHead } from '../../core/snapshot.ts';
import type { Run } from '../run.ts';

/** Whether a slice was committed after the source was asked for it, by this poll or by another one. */
export function isStale(slice: string, asOf: ReadonlyMap<string, SliceHead>, run: Run): boolean {
  return asOf.get(slice)?.revision !== run.heads.get(slice)?.revision;
}

/**
 * A scan without the slices that were committed after the source was asked: what was seen there is older than what is
 * known, and the next poll looks again (rule 1). Walks side by side make that possible within one poll.
 */
export function withoutStaleSlices(scan: Scan, asOf: ReadonlyMap<string, SliceHead>, run: Run): Scan {
  const stale = new Set([...scan.slices].filter((slice) => isStale(slice, asOf, run)));
  if (stale.size === 0) return scan;
  run.tally.reasons.add(`${[...stale].join(', ')} changed while it was read; the next poll reads it again`);
  const kept = [...scan.records].filter(([, { slice }]) => !stale.has(slice));
  const slices = new Set([...scan.slices].filter((slice) => !stale.has(slice)));
  return { ...scan, slices, records: new Map(kept) };
}
