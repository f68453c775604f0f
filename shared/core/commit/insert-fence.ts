import type { Change } from '../compare/change.ts';
import { WHOLE_LIST } from '../records/feed-definition.ts';
import { DISTANT_SLICE } from '../snapshot/distant-slice.ts';
import { createHead, type SliceHead } from '../snapshot/snapshot.ts';
import type { HeadWrite } from './commit-step.ts';

/**
 * A head among those of the slices, whose revision every commit with an unknown record increases. Heads of slices do
 * not prevent two overlapping polls from each finding the same record new, on two dates between which it moved. It
 * sorts after every date, so that it is always loaded with them.
 */
export const INSERT_FENCE = 'arrivals';

/**
 * Whether a change adds a record to the dates: an unknown one, or one that comes back from `afar`, which is read after
 * the dates, so that a poll could find the record in neither place. In a feed of one slice its head is fence enough.
 */
export function isNewcomer({ after, rowSlice, tombstoneSlice }: Change): boolean {
  if (after === null || after.slice === WHOLE_LIST) return false;
  return rowSlice === null
    ? tombstoneSlice === null
    : rowSlice === DISTANT_SLICE && after.slice !== DISTANT_SLICE;
}

/** The write of the fence in a commit with newcomers (rule 1). It has no leaves. */
export function planFenceWrite(heads: ReadonlyMap<string, SliceHead>): HeadWrite {
  const before = heads.get(INSERT_FENCE);
  const head = before ?? createHead(INSERT_FENCE, '0');
  return {
    head: { ...head, revision: head.revision + 1 },
    expectedRevision: before?.revision ?? null,
    changedLeaves: [],
  };
}
