import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts';
import type { Coverage } from '../snapshot/feed-state.ts';
import type { KnownRow } from './classify-records.ts';
import type { Snapshot } from './differing-leaves.ts';

/** What is known of when slices were looked at. */
interface ScanHistory {
  readonly snapshot: Snapshot;
  readonly coverage: Readonly<Record<string, Coverage>>;
  /** The look that is compared now: what was seen before was not seen later than it began. */
  readonly scan?: { readonly startedAt: number | null };
}

/** The last instant at which a record was seen in the state that is known. */
export function findLastSeen({ slice, row }: KnownRow, input: ScanHistory): number | null {
  const seenAt = clampToScanStart(row.seenAt ?? null, input);
  // The looks at its slice do not see it.
  if (row.unlisted !== undefined) return seenAt;
  return laterOf(seenAt, findLastScan(row.id, slice, input));
}

/** The last instant at which a slice was seen to be, for this id, what its head says. */
export function findLastScan(id: string, slice: string, input: ScanHistory): number | null {
  const head = input.snapshot.heads.get(slice);
  if (head === undefined) return null;
  const observedAt = clampToScanStart(head.observedAt, input);
  const look = input.coverage[slice];
  if (look?.revision !== head.revision) return observedAt;
  if (look.unseen !== undefined && Object.hasOwn(look.unseen, id))
    return clampToScanStart(look.unseen[id] ?? null, input);
  return laterOf(clampToScanStart(look.at, input), observedAt);
}

/** An instant before the look that is compared; null for one that only a wrong clock can have told. */
export function clampToScanStart(at: number | null, { scan }: Pick<ScanHistory, 'scan'>): number | null {
  const now = scan?.startedAt ?? null;
  if (at === null || now === null || at <= now) return at;
  return at <= now + CLOCK_TOLERANCE_MS ? now : null;
}

export function laterOf(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right;
  return Math.max(left, right);
}
