import { hash } from 'node:crypto';
import type { FeedKey } from '../feeds.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { Leaf, SliceHead } from '../snapshot/snapshot.ts';
import type { WatermarkCheck, WatermarkWrite } from '../snapshot/watermark-memory.ts';

/**
 * Bounds of a DynamoDB transaction and of the storage layout. The planner keeps to them, so that the adapter never has
 * to split a step (rule 2).
 */
export const MAX_TRANSACTION_ITEMS = 100;
/** Share of events, before compression, in the 4 MB of a transaction. */
export const MAX_TRANSACTION_EVENT_BYTES = 2_500_000;
/** An item holds at most 400 KB, so a chunk of events fits even if it does not compress. */
export const MAX_EVENT_CHUNK_BYTES = 300_000;
/** The head itself holds the digests of up to this many leaves (8 bytes each); more are on digest pages. */
export const MAX_INLINE_DIGEST_LEAVES = 96;
/** A digest page stays under 1 KB, the unit of a write. */
const DIGESTS_PER_PAGE = 110;
/** With their head they fit one transaction, so that a generation is switched at once. */
const MAX_DIGEST_PAGES = 90;

/** Digests on a page of a slice: more than usual if there were too many pages for one transaction otherwise. */
export function computeDigestsPerPage(leafCount: number): number {
  return Math.max(DIGESTS_PER_PAGE, Math.ceil(leafCount / MAX_DIGEST_PAGES));
}

/** The page that holds a leaf's digest; null when the head does. */
export function findDigestPage(leafIndex: number, leafCount: number): number | null {
  return leafCount > MAX_INLINE_DIGEST_LEAVES
    ? Math.floor(leafIndex / computeDigestsPerPage(leafCount))
    : null;
}

/** Events of one commit as JSON, in chunks that each fit an item. */
export interface EventBatch {
  /** `{instant}/{slice}/{revision}`: sorts by the time of the commit, and is unique in the feed. */
  readonly key: string;
  readonly chunks: readonly (readonly string[])[];
  /** Id of the poll that saw the changes, as its log line has it; absent where no poll did. */
  readonly look?: string | undefined;
}

/** Pointer to a batch, for outboxes: key and number of chunks. */
export function toBatchPointer(batch: EventBatch): string {
  return `${batch.key}/${batch.chunks.length}`;
}

/** Number of chunks, each an item of the table, of a pointer's batch. */
export function parseChunkCount(pointer: string): number {
  return Math.max(1, Number(pointer.slice(pointer.lastIndexOf('/') + 1)) || 1);
}

/** A new head, and the revision that the stored one must have: null when there must be none yet. */
export interface HeadWrite {
  readonly head: SliceHead;
  readonly expectedRevision: number | null;
  /** Leaves whose digest this write changes; null for all of them (a new generation). */
  readonly changedLeaves: readonly number[] | null;
}

/** One transaction. */
export interface CommitStep {
  readonly feed: FeedKey;
  /** Client request token, at most 36 characters: repeating a committed step has no effect. */
  readonly token: string;
  readonly heads: readonly HeadWrite[];
  readonly leaves: readonly Leaf[];
  readonly events: EventBatch | null;
  /** Instant after which the logged events may be deleted, in milliseconds since 1970. */
  readonly eventsExpireAt: number;
  /** Of a connection with watermarks: what the fence of the feed must let pass (ADR 36). */
  readonly watermark?: WatermarkCheck;
}

/** The client request token of a transaction: a hash of what identifies it. */
export function toRequestToken(parts: readonly (string | number)[]): string {
  return hash('sha256', parts.join(' '), 'hex').slice(0, 36);
}

/** The new state of a feed, with its operational events. */
export interface FeedStateWrite {
  readonly feed: FeedKey;
  readonly token: string;
  readonly state: FeedState;
  /** Null when there must be no state yet. */
  readonly expectedRevision: number | null;
  readonly events: EventBatch | null;
  readonly eventsExpireAt: number;
  /** When a watermark is among the events. */
  readonly watermark?: WatermarkWrite;
}

/** `conflict`: another poll committed first, so this result is dropped and the next poll scans again (rule 1). */
export type CommitOutcome = 'committed' | 'conflict';
