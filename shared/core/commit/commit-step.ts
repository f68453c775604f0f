import { hash } from 'node:crypto';
import type { FeedKey } from '../feeds.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { Leaf, SliceHead } from '../snapshot/snapshot.ts';

/**
 * Bounds of one DynamoDB transaction, and of our storage layout, which the planner of commits keeps to so that the
 * adapter never has to split (rule 2).
 */
export const MAX_TRANSACTION_ITEMS = 100;
/** Of the 4 MB of a transaction, what events may take before compression. */
export const MAX_TRANSACTION_EVENT_BYTES = 2_500_000;
/** An item holds at most 400 KB; a chunk of events stays below even when it does not compress. */
export const MAX_EVENT_CHUNK_BYTES = 300_000;
/** Leaf digests up to this many leaves stand in the head itself (8 bytes each); more go to pages of their own. */
export const MAX_INLINE_DIGEST_LEAVES = 96;
/** Leaf digests on one page, so that a page stays under 1 KB, the unit of a write. */
const DIGESTS_PER_PAGE = 110;
/** With their head they must fit one transaction, so that a generation is switched in one. */
const MAX_DIGEST_PAGES = 90;

/** Digests on a page of a slice: more than usual when there would be too many pages for one transaction. */
export function computeDigestsPerPage(leafCount: number): number {
  return Math.max(DIGESTS_PER_PAGE, Math.ceil(leafCount / MAX_DIGEST_PAGES));
}

/** The page on which a leaf's digest stands; null when it stands in the head. */
export function findDigestPage(leafIndex: number, leafCount: number): number | null {
  return leafCount > MAX_INLINE_DIGEST_LEAVES
    ? Math.floor(leafIndex / computeDigestsPerPage(leafCount))
    : null;
}

/** Events of one commit, as they will be published: JSON texts in chunks that each fit an item. */
export interface EventBatch {
  /** Sorts by time of commit and is unique in the feed: `{instant}/{slice}/{revision}`. */
  readonly key: string;
  readonly chunks: readonly (readonly string[])[];
}

/** Pointer to a batch in the outbox of a head or of the feed's state: key and number of chunks. */
export function toBatchPointer(batch: EventBatch): string {
  return `${batch.key}/${batch.chunks.length}`;
}

/** Chunks, and so items of the table, that the batch of a pointer takes. */
export function parseChunkCount(pointer: string): number {
  return Math.max(1, Number(pointer.slice(pointer.lastIndexOf('/') + 1)) || 1);
}

/** A head as it becomes, and the revision it must still have: null when it must not exist yet. */
export interface HeadWrite {
  readonly head: SliceHead;
  readonly expectedRevision: number | null;
  /** Leaves whose digest this write changes; null when all do (a new generation). */
  readonly changedLeaves: readonly number[] | null;
}

/** One transaction: all of it or nothing. */
export interface CommitStep {
  readonly feed: FeedKey;
  /** Client request token, at most 36 characters: repeating a step that already succeeded does nothing. */
  readonly token: string;
  readonly heads: readonly HeadWrite[];
  readonly leaves: readonly Leaf[];
  readonly events: EventBatch | null;
  /** Instant after which the logged events may be deleted. */
  readonly eventsExpireAt: number;
}

/** The client request token of a transaction, out of what makes it this one and no other. */
export function toRequestToken(parts: readonly (string | number)[]): string {
  return hash('sha256', parts.join(' '), 'hex').slice(0, 36);
}

/** The feed's own state as it becomes, with the operational events that go with it. */
export interface FeedStateWrite {
  readonly feed: FeedKey;
  readonly token: string;
  readonly state: FeedState;
  /** Null when the state must not exist yet. */
  readonly expectedRevision: number | null;
  readonly events: EventBatch | null;
  readonly eventsExpireAt: number;
}

/** Somebody else committed first: drop the result, the next poll looks again (rule 1). */
export type CommitOutcome = 'committed' | 'conflict';
