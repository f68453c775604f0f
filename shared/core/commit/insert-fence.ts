import type { Change } from '../compare/change.ts';
import { WHOLE_LIST } from '../records/feed-definition.ts';
import { DISTANT_SLICE } from '../snapshot/distant-slice.ts';
import { createHead, type SliceHead } from '../snapshot/snapshot.ts';
import type { HeadWrite } from './commit-step.ts';

/**
 * Stands among the slices without being one: the head that every commit moves on which brings in a record that was
 * known nowhere. Heads of slices do not fence that: two overlapping polls could each take the record for new, on
 * two dates between which it moved. Sorts after every date, so that it is always loaded with them.
 */
export const INSERT_FENCE = 'arrivals';

/**
 * Whether a change brings a record to the dates: one that no slice knows, or one that comes back from `afar`, which
 * is read after the dates, so that a poll could find it in neither place. A feed of one slice needs no other fence
 * than that.
 */
export function isNewcomer({ after, rowSlice, tombstoneSlice }: Change): boolean {
  if (after === null || after.slice === WHOLE_LIST) return false;
  return rowSlice === null
    ? tombstoneSlice === null
    : rowSlice === DISTANT_SLICE && after.slice !== DISTANT_SLICE;
}

/** The write of this head that goes into a commit with newcomers (rule 1). It has no leaves. */
export function planFenceWrite(heads: ReadonlyMap<string, SliceHead>): HeadWrite {
  const before = heads.get(INSERT_FENCE);
  const head = before ?? createHead(INSERT_FENCE, '0');
  return {
    head: { ...head, revision: head.revision + 1 },
    expectedRevision: before?.revision ?? null,
    changedLeaves: [],
  };
}
