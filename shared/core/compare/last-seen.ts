import { isMisdated } from '../clock-tolerance.ts';
import type { Coverage } from '../snapshot/feed-state.ts';
import type { KnownRow } from './classify-records.ts';
import type { Snapshot } from './differing-leaves.ts';

/** What is known about earlier scans. */
interface ScanHistory {
  readonly snapshot: Snapshot;
  readonly coverage: Readonly<Record<string, Coverage>>;
  /** The scan that is compared now: earlier scans cannot be later than its start. */
  readonly scan?: { readonly startedAt: number | null };
}

/** When a record was last seen in its known state; null when unknown. */
export function findLastSeen({ slice, row }: KnownRow, input: ScanHistory): number | null {
  const seenAt = clampToScanStart(row.seenAt ?? null, input);
  // Scans of its slice do not see an unlisted record.
  if (row.unlisted !== undefined) return seenAt;
  return laterOf(seenAt, findLastScan(row.id, slice, input));
}

/** When a slice was last seen as committed, as far as this id is concerned; null when unknown. */
export function findLastScan(id: string, slice: string, input: ScanHistory): number | null {
  const head = input.snapshot.heads.get(slice);
  if (head === undefined) return null;
  const observedAt = clampToScanStart(head.observedAt, input);
  const covered = input.coverage[slice];
  if (covered?.revision !== head.revision) return observedAt;
  if (covered.unseen !== undefined && Object.hasOwn(covered.unseen, id))
    return clampToScanStart(covered.unseen[id] ?? null, input);
  return laterOf(clampToScanStart(covered.at, input), observedAt);
}

/** The instant, but not after the start of the scan; null when it is so far ahead that a wrong clock stored it. */
export function clampToScanStart(at: number | null, { scan }: Pick<ScanHistory, 'scan'>): number | null {
  const now = scan?.startedAt ?? null;
  if (at === null || now === null || at <= now) return at;
  return isMisdated(at, now) ? null : now;
}

export function laterOf(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right;
  return Math.max(left, right);
}
