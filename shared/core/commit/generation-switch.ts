import type { FeedKey } from '../feeds.ts';
import type { LeafRef, SliceHead } from '../snapshot/snapshot.ts';
import { type CommitStep, type HeadWrite, toRequestToken } from './commit-step.ts';

/** A new generation of a slice's leaves, which are written already, and the head that is to point to them. */
export interface NewGeneration {
  readonly head: SliceHead;
  readonly leaves: readonly LeafRef[];
  /** The head as it is now. */
  readonly before: SliceHead | undefined;
  /** The write of the insert fence, when records are new to the slice. */
  readonly fence: readonly HeadWrite[];
}

/** One write of the head, in one transaction with the insert fence; no events follow from it. */
export function planGenerationSwitch(
  { head, before, fence }: NewGeneration,
  { feed, eventsExpireAt }: { readonly feed: FeedKey; readonly eventsExpireAt: number },
): CommitStep {
  const fenceRevisions = fence.map((write) => write.head.revision).join(' ');
  return {
    feed,
    token: toRequestToken([feed.connection, feed.feed, head.slice, head.generation, fenceRevisions]),
    heads: [{ head, expectedRevision: before?.revision ?? null, changedLeaves: null }, ...fence],
    leaves: [],
    events: null,
    eventsExpireAt,
  };
}
