import type { Change } from '../compare/change.ts';
import { rewriteRow } from '../compare/row-rewrite.ts';
import { addDays, toLocalDate } from '../dates.ts';
import { compareIds } from '../events/compare-ids.ts';
import { type ChangeEvents, keepPublishedAbsences } from '../events/events.ts';
import { buildSnapshotEvent } from '../events/snapshot-events.ts';
import type { FeedKey } from '../feeds.ts';
import type { PeriodFinder } from '../periods/learn-membership.ts';
import { WHOLE_LIST } from '../records/feed-definition.ts';
import { hasEnded } from '../snapshot/epochs.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { Leaf, LeafRow, SliceHead } from '../snapshot/snapshot.ts';

/** When a restored table was recognised, and what the last look at a slice could not see. */
export interface RenewalRule {
  readonly feed: FeedKey;
  readonly restoredAt: number;
  readonly unseen: Readonly<Record<string, unknown>>;
  readonly findPeriods: PeriodFinder;
  /** Nobody asked for events of the feed. */
  readonly isSilent?: boolean;
}

/** The rows of a leaf that begin their epoch now. */
export interface RenewedLeaf {
  readonly changeEvents: readonly ChangeEvents[];
  /** A row of an ended epoch is left, because it is not known what became of it since the restore. */
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
  // Taken over silently since the restore, on a date that the backup did not have: an older state may have been
  // published before. What became of it since is published by looks to come.
  const isSilent = ({ epoch, sequence, untold }: LeafRow) =>
    epoch > restoredAt && sequence === 0 && untold !== true;
  return {
    changeEvents: [
      ...seen.map((row) => tellRow({ slice: leaf.slice, row }, beginAnew(row, rule), rule)),
      ...leaf.rows.filter(isSilent).map((row) => tellRow({ slice: leaf.slice, row }, row, rule)),
    ],
    isDoubted: seen.length < ended.length,
  };
}

function beginAnew({ untold: _untold, ...kept }: LeafRow, { restoredAt }: RenewalRule): LeafRow {
  return { ...kept, epoch: restoredAt, sequence: 0, sent: keepPublishedAbsences(kept.sent) };
}

function tellRow(
  known: NonNullable<Change['before']>,
  row: LeafRow,
  { feed, restoredAt, findPeriods, isSilent }: RenewalRule,
): ChangeEvents {
  const change = rewriteRow(known, row, restoredAt);
  const texts = isSilent === true ? [] : [buildSnapshotEvent(feed, row, findPeriods)];
  return { change, texts, types: [], row, sequence: 0, epoch: row.epoch };
}

/** How far the rows of the window are. */
export type RenewalState = NonNullable<FeedState['renewal']>;

/** What a poll renewed. `slices`: whether all rows of a slice were, or some wait until they are seen. */
export interface RenewalProgress {
  readonly slices: ReadonlyMap<string, boolean>;
  readonly next: RenewalState['next'] | null;
}

/**
 * Days beyond the window of the first poll after a restore. A timesheet that was published since the backup may have
 * moved beyond that window before the first look: dates up to there are renewed when they come into it (ADR 10).
 */
const REACH_DAYS = 31;

/** Whether a slice may hold rows that have not begun their epochs. */
export function isToRenew(
  slice: string,
  { slices, through = slice }: RenewalState,
  head: SliceHead | undefined,
): boolean {
  const mayHoldRows = head?.baselinedAt == null || head.recordCount > 0;
  return slice <= through && slices[slice] !== true && mayHoldRows;
}

/** Slices with rows to renew: looked at completely since the restore, and not done. The one that was begun comes first. */
export function findSlicesToRenew(
  { renewal, coverage }: Pick<FeedState, 'renewal' | 'coverage'>,
  heads: ReadonlyMap<string, SliceHead>,
): SliceHead[] {
  if (renewal === undefined) return [];
  const { slices, next } = renewal;
  const due = [...heads.values()].filter((head) => {
    const { slice, recordCount, unlistedCount = 0 } = head;
    const look = coverage[slice];
    if (look === undefined || recordCount === 0 || !isToRenew(slice, renewal, head)) return false;
    // Rows that could not be seen are tried again once the slice is seen whole.
    return slices[slice] === undefined || (look.unseen === undefined && unlistedCount === 0);
  });
  const isBegun = (head: SliceHead) => Number(head.slice === next?.slice);
  return due.sort((a, b) => isBegun(b) - isBegun(a) || compareIds(b.slice, a.slice));
}

/** The renewal after a poll; undefined once every row has begun its epoch on the dates that it reaches. */
export function advanceRenewal(
  { renewal, restoredAt = 0 }: Pick<FeedState, 'renewal' | 'restoredAt'>,
  { slices, next }: RenewalProgress,
  { window, heads }: { readonly window: readonly string[]; readonly heads: ReadonlyMap<string, SliceHead> },
): RenewalState | undefined {
  if (renewal === undefined) return undefined;
  const { through = findReach(window, restoredAt) } = renewal;
  const done = [...Object.entries(renewal.slices), ...slices].filter(([slice]) => window.includes(slice));
  const after = { slices: Object.fromEntries(done), through, ...(next === null ? {} : { next }) };
  const isAhead = window.every((slice) => slice < through);
  const isOpen = isAhead || window.some((slice) => isToRenew(slice, after, heads.get(slice)));
  return isOpen ? after : undefined;
}

/** The last slice to renew. The window alone may be that of a clock that went back. */
function findReach(window: readonly string[], restoredAt: number): string {
  const last = window.at(-1) ?? WHOLE_LIST;
  if (last === WHOLE_LIST) return last;
  const [latest = last] = [last, toLocalDate(restoredAt, 'UTC')].toSorted().reverse();
  return addDays(latest, REACH_DAYS);
}
