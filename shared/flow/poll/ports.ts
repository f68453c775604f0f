import type { CommitOutcome, CommitStep, FeedStateWrite } from '#shared/core/commit/commit-step.ts';
import type { OutboxEntry } from '#shared/core/commit/outbox.ts';
import type { DateRange } from '#shared/core/dates.ts';
import type { FeedKey, FeedName } from '#shared/core/feeds.ts';
import type { Page, WalkEnd } from '#shared/core/fetch/pages.ts';
import type { LedgerEntry } from '#shared/core/periods/ledger.ts';
import type { Membership, MembershipBucket } from '#shared/core/periods/membership.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { LearnedPace } from '#shared/core/snapshot/learned-state.ts';
import type { Leaf, LeafRef, SliceHead } from '#shared/core/snapshot/snapshot.ts';
import type { WatermarkMemory, WatermarkWrite } from '#shared/core/snapshot/watermark-memory.ts';

/** Answer to a request by id: the record as the source sent it, or proof that it is gone (404). */
export type Lookup =
  | {
      readonly outcome: 'found';
      readonly record: unknown;
      readonly requestedAt: number;
      readonly receivedAt: number;
    }
  | { readonly outcome: 'gone'; readonly requestedAt: number; readonly receivedAt: number };

/** Requests sent and 429s received since the adapter was made; for metrics. */
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
  /**
   * Ids of the timesheets of an employee that belong to a pay period, whole. Throws `SourceError`, also when the list
   * moved. Without it, membership in a pay period is never asked.
   */
  listMembers?(employeeId: string, payPeriodId: string): Promise<readonly string[]>;
  counts(): RequestCounts;
  /** The pace that the source accepts, as learned so far, for other processes; null before anything was learned. */
  learnedPace?(): LearnedPace | null;
  /** Continues with the pace that another process learned, unless this one learned something later. */
  resumePace?(pace: LearnedPace): void;
}

/** A feed's state as stored, with the outbox that lives beside it. */
export interface StoredFeedState {
  readonly state: FeedState;
  readonly outbox: readonly string[];
}

/**
 * Heads, leaves, events and feed states. All reads are strongly consistent. Single items that are asked for at once may
 * be read in one request.
 */
export interface SnapshotStore {
  loadFeedState(feed: FeedKey): Promise<StoredFeedState | null>;
  saveFeedState(write: FeedStateWrite): Promise<CommitOutcome>;
  /** Heads of all slices from this key on, in order of their keys. */
  loadHeads(feed: FeedKey, fromSlice: string): Promise<readonly SliceHead[]>;
  /** The head of the insert fence alone; null when there is none. Without it, it is read as `loadHeads` reads all. */
  loadInsertFence?(feed: FeedKey): Promise<SliceHead | null>;
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
  /** Whether this owner holds the lease, until the given instant. */
  acquireLease(feed: FeedKey, lease: Lease): Promise<boolean>;
  /**
   * Whether another poll than the owner's holds the lease of the whole feed: a read, which costs less than taking it.
   * Without this member each poll takes the lease when it begins.
   */
  isLeaseHeld?(feed: FeedKey, by: Pick<Lease, 'owner' | 'now'>): Promise<boolean>;
  /** Gives back the lease of the whole feed; that of the hot dates ends by itself. */
  releaseLease(feed: FeedKey, owner: string): Promise<void>;
  /**
   * When changes usually come, as a text; null before anything was learned. `now`: ms since 1970; what another process
   * saved in this half hour may be missing.
   */
  loadChangeRates?(feed: FeedKey, now: number): Promise<string | null>;
  /** The last write wins; what two polls learn at the same time differs little. */
  saveChangeRates?(feed: FeedKey, rates: string): Promise<void>;
  /** A ledger as `saveLedger` got it; null when there is none, or it has expired. */
  loadLedger(key: LedgerKey): Promise<readonly LedgerEntry[] | null>;
  /** Keeps a ledger until an instant, in milliseconds since 1970. Not part of a transaction: a commit points to it. */
  saveLedger(key: LedgerKey, ledger: readonly LedgerEntry[], expiresAt: number): Promise<void>;
  /**
   * Who belongs to which pay calendar, as far as it was asked.
   * and nothing is stored.
   */
  loadMembership(connection: string): Promise<Membership>;
  /** The surveys of `loadMembership`, which are in one row of many. Without this member all are read. */
  loadSurveys?(connection: string): Promise<Membership['surveys']>;
  /** Rows replace those of the same index; the last write wins: what is lost is asked again. */
  saveMembership?(connection: string, buckets: readonly MembershipBucket[]): Promise<void>;
  /** What the feed remembers of its watermarks; null before the first. Without it none is published. */
  loadWatermark?(feed: FeedKey): Promise<WatermarkMemory | null>;
  saveWatermark?(feed: FeedKey, write: WatermarkWrite): Promise<CommitOutcome>;
  /** Committed batches from an instant on and before another one, in the order of their commits. */
  readLog?(
    feed: FeedKey,
    between: { readonly from: number; readonly to: number },
  ): AsyncIterable<{
    readonly pointer: string;
    readonly committedAt: number;
    readonly texts: readonly string[];
  }>;
  /**
   * Identity of the table; a restored table has another one. Null when it is not available now: a poll
   * then commits nothing. Does not throw.
   */
  tableId(): Promise<string | null>;
}

/** The timesheets of a pay period at one count. */
export interface LedgerKey {
  readonly connection: string;
  readonly payPeriodId: string;
  /** A hash of its entries: two ledgers never have the same key. */
  readonly name: string;
}

/** Keeps overlapping polls rare; correctness does not depend on it. */
export interface Lease {
  readonly owner: string;
  readonly now: number;
  readonly expiresAt: number;
  /** Take it even when another holds it. */
  readonly takeOver: boolean;
  /** The separate lease for yesterday to tomorrow; without it, the lease of the whole feed. */
  readonly dates?: 'hot';
}

export interface PublishResult {
  readonly published: number;
  /** Positions, in the given list, of events that were not published. */
  readonly unpublished: readonly number[];
  /** Those of them that SNS refuses for good; none when absent. */
  readonly refused?: readonly number[];
  readonly requests: number;
}

/** Publishes events at least once, those of one record in order (rule 3). Never throws for what SNS does. */
export interface EventPublisher {
  publish(texts: readonly string[]): Promise<PublishResult>;
}
