import type { Coverage } from './feed-state.ts';
import type { Snapshot } from './look.ts';
import type { KnownRow } from './questions.ts';

/** What is known of when slices were looked at. */
interface Looks {
  readonly snapshot: Snapshot;
  readonly coverage: Readonly<Record<string, Coverage>>;
}

/** The last instant at which a record was seen in the state that is known. */
export function lastSeen({ slice, row }: KnownRow, input: Looks): number | null {
  // The looks at its slice do not see it.
  if (row.unlisted !== undefined) return row.seenAt ?? null;
  return latest(row.seenAt ?? null, lastLook(row.id, slice, input));
}

/** The last instant at which a slice was seen to be, for this id, what its head says. */
export function lastLook(id: string, slice: string, { snapshot, coverage }: Looks): number | null {
  const head = snapshot.heads.get(slice);
  if (head === undefined) return null;
  const look = coverage[slice];
  if (look?.revision !== head.revision) return head.observedAt;
  if (look.unseen !== undefined && Object.hasOwn(look.unseen, id)) return look.unseen[id] ?? null;
  return latest(look.at, head.observedAt);
}

export function latest(left: number | null, right: number | null): number | null {
  if (left === null || right === null) return left ?? right;
  return Math.max(left, right);
}
