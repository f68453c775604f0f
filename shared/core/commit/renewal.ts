import type { PeriodFinder } from '../../membership/learn-membership.ts';
import { buildSnapshotEvent } from '../../snapshots/snapshot-events.ts';
import type { Change } from '../compare/change.ts';
import { rewriteRow } from '../compare/row-rewrite.ts';
import { compareIds } from '../events/compare-ids.ts';
import { type ChangeEvents, keepPublishedAbsences } from '../events/events.ts';
import type { FeedKey } from '../feeds.ts';
import { hasEnded } from '../snapshot/epochs.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { Leaf, LeafRow, SliceHead } from '../snapshot/snapshot.ts';

/** When a restored table was recognised, and what the last look at a slice could not see. */
export interface RenewalRule {
  readonly feed: FeedKey;
  readonly restoredAt: number;
  readonly unseen: Readonly<Record<string, unknown>>;
  readonly findPeriods: PeriodFinder;
}

/** The rows of a leaf that begin their epoch now. */
export interface RenewedLeaf {
  readonly changeEvents: readonly ChangeEvents[];
  /** A row is left, because it is not known what became of it since the restore. */
  readonly isDoubted: boolean;
}

/**
 * After a restore nobody knows what was published of a row between backup and restore: it may have changed and changed
 * back. So each row of an ended epoch that was seen since begins its new epoch with a snapshot, at sequence 0, as a
 * baselined one does; its next event carries its whole state once more, for those who do not take snapshots.
 */
export function renewLeaf(leaf: Leaf, rule: RenewalRule): RenewedLeaf {
  const { restoredAt, unseen } = rule;
  const ended = leaf.rows.filter(({ epoch }) => hasEnded(epoch, { notBefore: 0, restoredAt }));
  const isSeen = ({ id, unlisted }: LeafRow) => unlisted === undefined && !Object.hasOwn(unseen, id);
  const seen = ended.filter(isSeen);
  // Taken over silently since the restore, on a date that the backup did not have: it may have been told before.
  const isSilent = ({ epoch, sequence, untold }: LeafRow) =>
    epoch > restoredAt && sequence === 0 && untold !== true;
  const silent = leaf.rows.filter(isSilent);
  return {
    changeEvents: [
      ...seen.map((row) => tellRow({ slice: leaf.slice, row }, beginAnew(row, rule), rule)),
      ...silent.filter(isSeen).map((row) => tellRow({ slice: leaf.slice, row }, row, rule)),
    ],
    isDoubted: [...ended, ...silent].some((row) => !isSeen(row)),
  };
}

function beginAnew({ untold: _untold, ...kept }: LeafRow, { restoredAt }: RenewalRule): LeafRow {
  return { ...kept, epoch: restoredAt, sequence: 0, sent: keepPublishedAbsences(kept.sent) };
}

function tellRow(
  known: NonNullable<Change['before']>,
  row: LeafRow,
  { feed, restoredAt, findPeriods }: RenewalRule,
): ChangeEvents {
  const change = rewriteRow(known, row, restoredAt);
  const text = buildSnapshotEvent(feed, row, findPeriods);
  return { change, texts: [text], types: [], row, sequence: 0, epoch: row.epoch };
}

/** How far the rows of the window are. */
export type RenewalState = NonNullable<FeedState['renewal']>;

/** What a poll renewed. `slices`: whether all rows of a slice were, or some wait until they are seen. */
export interface RenewalProgress {
  readonly slices: ReadonlyMap<string, boolean>;
  readonly next: RenewalState['next'] | null;
}

/** Slices with rows to renew: looked at completely since the restore, and not done. The one that was begun comes first. */
export function findSlicesToRenew(
  { renewal, coverage }: Pick<FeedState, 'renewal' | 'coverage'>,
  heads: ReadonlyMap<string, SliceHead>,
): SliceHead[] {
  if (renewal === undefined) return [];
  const { slices, next } = renewal;
  const due = [...heads.values()].filter(({ slice, recordCount, unlistedCount = 0 }) => {
    const look = coverage[slice];
    if (look === undefined || recordCount === 0 || slices[slice] === true) return false;
    // Rows that could not be seen are tried again once the slice is seen whole.
    return slices[slice] === undefined || (look.unseen === undefined && unlistedCount === 0);
  });
  const isBegun = (head: SliceHead) => Number(head.slice === next?.slice);
  return due.sort((a, b) => isBegun(b) - isBegun(a) || compareIds(b.slice, a.slice));
}

/** The renewal after a poll; undefined once every row of the window has begun its epoch. */
export function advanceRenewal(
  renewal: RenewalState | undefined,
  { slices, next }: RenewalProgress,
  { window, heads }: { readonly window: readonly string[]; readonly heads: ReadonlyMap<string, SliceHead> },
): RenewalState | undefined {
  if (renewal === undefined) return undefined;
  const after = { ...renewal.slices, ...Object.fromEntries(slices) };
  const mayHoldRows = (head: SliceHead | undefined) => head?.baselinedAt == null || head.recordCount > 0;
  const isOpen = (slice: string) => after[slice] !== true && mayHoldRows(heads.get(slice));
  if (!window.some(isOpen)) return undefined;
  const kept = Object.entries(after).filter(([slice]) => window.includes(slice));
  return { slices: Object.fromEntries(kept), ...(next === null ? {} : { next }) };
}
