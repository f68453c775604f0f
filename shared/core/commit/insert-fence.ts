import type { Change } from '../compare/change.ts';
import { WHOLE_LIST } from '../records/feed-definition.ts';
import { createHead, type SliceHead } from '../snapshot/snapshot.ts';
import type { HeadWrite } from './commit-step.ts';

/**
 * A head among those of the slices, whose revision every commit with an arrival increases. Heads of slices do not
 * prevent two overlapping polls from each finding the same record new, on two dates between which it moved. It sorts
 * after every date, so that it is always loaded with them.
 */
export const INSERT_FENCE = 'arrivals';

/**
 * Whether a change brings a record to a date where a poll that reads the heads meanwhile does not see it: an unknown
 * one, or one whose row or tombstone leaves a later slice. Heads are read in the order of their slices, so that such a
 * poll could read the new place before the commit and the former one after it, and take the record for a new one. In a
 * feed of one slice its head is fence enough.
 */
export function isArrival({ after, rowSlice, tombstoneSlice }: Change): boolean {
  if (after === null || after.slice === WHOLE_LIST) return false;
  const former = rowSlice ?? tombstoneSlice;
  return former === null || after.slice < former;
}

/** The write of the fence in a commit with arrivals (rule 1). It has no leaves. */
export function planFenceWrite(heads: ReadonlyMap<string, SliceHead>): HeadWrite {
  const before = heads.get(INSERT_FENCE);
  const head = before ?? createHead(INSERT_FENCE, '0');
  return {
    head: { ...head, revision: head.revision + 1 },
    expectedRevision: before?.revision ?? null,
    changedLeaves: [],
  };
}
