import * as z from 'zod';
import { isDate } from '../core/dates.ts';
import { feedNameSchema, isDirectoryFeed } from '../core/feeds.ts';
import { feedDefinition, toState } from '../core/records/feed-definition.ts';
import { DISTANT_SLICE } from '../core/snapshot/distant-slice.ts';
import type { Leaf, LeafRow, SliceHead } from '../core/snapshot/snapshot.ts';
import type { SnapshotRecord } from './snapshot-events.ts';

/** Records named in one request: their ids fit into an invocation many times over. */
export const MAX_NAMED_RECORDS = 10_000;

/** Which stored records of a feed are meant. Conditions must all hold; an absent one always does. */
export const recordSelectionSchema = z.strictObject({
  feed: feedNameSchema,
  /** Timesheets of these dates; pay periods that have one of them. Both ends inclusive. Other records have no dates. */
  from: z.iso.date().optional(),
  to: z.iso.date().optional(),
  /** Records named one by one; then removed ones count too, as far as they are remembered. */
  ids: z.array(z.string()).max(MAX_NAMED_RECORDS).optional(),
});
export type RecordSelection = z.output<typeof recordSelectionSchema>;

/** How far a walk over stored records is: all before this one are done. */
export const recordCursorSchema = z.strictObject({
  /** Position in the list of selections. */
  selection: z.int().min(0),
  slice: z.string(),
  generation: z.string(),
  /** Index of the leaf, and the last id of it that is done; null for none. */
  leaf: z.int().min(0),
  id: z.string().nullable(),
});
export type RecordCursor = z.output<typeof recordCursorSchema>;

/** The first slice whose records a selection may mean; '' for all. */
export function findFirstSlice({ feed, from = '' }: RecordSelection): string {
  return feed === 'timesheets' ? from : '';
}

/** Whether a slice may hold records of a selection. */
export function mayHold({ feed, from = '', to }: RecordSelection, head: SliceHead): boolean {
  if (head.recordCount + head.tombstoneCount === 0) return false;
  if (feed !== 'timesheets' || head.slice === DISTANT_SLICE) return true;
  return isDate(head.slice) && from <= head.slice && (to === undefined || head.slice <= to);
}

/**
 * The selected records of a leaf, in the order of their ids. Without those of which nothing was published yet (ADR 2):
 * their stored state lacks its facts, and if they are removed before these are published, no event says so.
 */
export function selectRecords(leaf: Leaf, selection: RecordSelection): SnapshotRecord[] {
  const ids = selection.ids === undefined ? null : new Set(selection.ids);
  const rows = leaf.rows.filter(
    (row) => row.untold !== true && (ids?.has(row.id) ?? true) && isOfDates(row, selection),
  );
  const removed = ids === null ? [] : leaf.tombstones.filter(({ id }) => ids.has(id));
  return [...rows, ...removed].sort((left, right) => (left.id < right.id ? -1 : 1));
}

function isOfDates(row: LeafRow, { feed, from = '', to }: RecordSelection): boolean {
  if (isDirectoryFeed(feed)) return true;
  const { date, startDate = date, finishDate = date } = toState(feedDefinition(feed), row.state);
  const [first, last] = [String(startDate), String(finishDate)];
  return from <= last && (to === undefined || first <= to);
}
