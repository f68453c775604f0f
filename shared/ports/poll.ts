import type { CommitOutcome, CommitStep, FeedStateWrite } from '../core/commit/commit-step.ts';
import type { OutboxEntry } from '../core/commit/outbox.ts';
import type { DateRange } from '../core/dates.ts';
import type { FeedKey, FeedName } from '../core/feeds.ts';
import type { Page, WalkEnd } from '../core/fetch/pages.ts';
import type { FeedState } from '../core/snapshot/feed-state.ts';
import type { LearnedPace } from '../core/snapshot/learned-state.ts';
import type { Leaf, LeafRef, SliceHead } from '../core/snapshot/snapshot.ts';

/** What one question by id got: the record as the source gave it, or the proof that it is gone (404). */
export type Lookup =
  | {
      readonly outcome: 'found';
      readonly record: unknown;
      readonly requestedAt: number;
      readonly receivedAt: number;
    }
  | { readonly outcome: 'gone'; readonly requestedAt: number; readonly receivedAt: number };

/** Requests sent and 429s received since the adapter was made; for receipts and metrics. */
export interface RequestCounts {
  readonly requests: number;
  readonly throttled: number;
}

/** The source API as the flow needs it. Every failure is a `SourceError`. */
export interface SourceApi {
  /**
   * The pages of a feed: timesheets of a range of dates, or the one page of a feed that comes as a bare array
   * (range `null`). Never throws for what the source does: the end of the walk says whether all was seen.
   */
  pages(feed: FeedName, range: DateRange | null): AsyncGenerator<Page, WalkEnd>;
  /** One record by id. Throws `SourceError` for everything but the record and 404. */
  lookUp(feed: FeedName, id: string): Promise<Lookup>;
  counts(): RequestCounts;
  /** What was learned of the pace the source takes, to be kept for other processes; `null` while nothing was. */
  learnedPace?(): LearnedPace | null;
  /** Begins with what another process learned; does nothing when this one has learned something later. */
  resumePace?(pace: LearnedPace): void;
}

/** A feed's state as stored, with the outbox that lives beside it. */
export interface StoredFeedState {
  readonly state: FeedState;
  readonly outbox: readonly string[];
  /** It was last written by a version that knows no epochs, which drops those of rows that it writes. */
  readonly epochsLost?: true;
}

/** Heads, leaves, events and feed states. All reads are strongly consistent. */
export interface SnapshotStore {
  loadFeedState(feed: FeedKey): Promise<StoredFeedState | null>;
  saveFeedState(write: FeedStateWrite): Promise<CommitOutcome>;
  /** Heads of all slices from this key on, in order of their keys. */
  loadHeads(feed: FeedKey, fromSlice: string): Promise<readonly SliceHead[]>;
  /** Leaves in the order of the references; one that was never written is empty. */
  readLeaves(feed: FeedKey, refs: readonly LeafRef[]): Promise<readonly Leaf[]>;
  /** Writes leaves that no head points to yet. Not a transaction: a commit that switches the head follows. */
  writeGeneration(feed: FeedKey, leaves: readonly Leaf[]): Promise<void>;
  /** Deletes leaves that no head points to any more. */
  deleteLeaves(feed: FeedKey, refs: readonly LeafRef[]): Promise<void>;
  commit(step: CommitStep): Promise<CommitOutcome>;
  /** The texts of a committed batch, in order. */
  readEvents(feed: FeedKey, pointer: string): Promise<readonly string[]>;
  /** The same of several batches in few requests, by pointer; null for a batch of which a part is missing. */
  readEventBatches?(
    feed: FeedKey,
    pointers: readonly string[],
  ): Promise<ReadonlyMap<string, readonly string[] | null>>;
  /** Takes pointers out of their outboxes; does nothing for those that are gone already. */
  clearOutbox(feed: FeedKey, entries: readonly OutboxEntry[]): Promise<void>;
  /** Whether the lease is ours now, until the given instant. */
  acquireLease(feed: FeedKey, lease: Lease): Promise<boolean>;
  /** Gives back the lease of the whole feed; that of the hot dates ends by itself. */
  releaseLease(feed: FeedKey, owner: string): Promise<void>;
  /** What was learned of when changes come, as a text; null when nothing was. */
  loadChangeRates?(feed: FeedKey): Promise<string | null>;
  /** The last one wins: what two polls learned at the same time differs little. */
  saveChangeRates?(feed: FeedKey, rates: string): Promise<void>;
  /**
   * Identity of the table, which a restored one does not share with the one it was made of. Null when it cannot be said
   * now; without this member, never. Does not throw.
   */
  tableId?(): Promise<string | null>;
}

/** Keeps overlapping polls rare; nothing depends on it for being right. */
export interface Lease {
  readonly owner: string;
  readonly now: number;
  readonly expiresAt: number;
  /** Take it even when another holds it. */
  readonly takeOver: boolean;
  /** A lease of its own, for yesterday to tomorrow alone; without it, that of the whole feed. */
  readonly dates?: 'hot';
}

/** What became of a list of events handed over for publishing. */
export interface PublishResult {
  readonly published: number;
  /** Positions, in the list handed over, of events that were not published. */
  readonly unpublished: readonly number[];
  /** Those of them that never will be, however often they are sent; none when absent. */
  readonly refused?: readonly number[];
  readonly requests: number;
}

/** Publishes events at least once, those of one record in their order (rule 3). Never throws for what SNS does. */
export interface EventPublisher {
  publish(texts: readonly string[]): Promise<PublishResult>;
}
