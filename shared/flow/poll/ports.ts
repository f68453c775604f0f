import type { DateRange } from '#shared/core/dates.ts';
import type { EventTopic } from '#shared/core/event-types.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { CountedHours } from '#shared/core/periods/counted-hours.ts';
import type { MemberAnswers } from '#shared/core/periods/members.ts';
import type { Head, SliceKey } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';

/** One page of a list as received, with unchecked records. Instants in milliseconds since 1970. */
export interface Page {
  readonly records: readonly unknown[];
  /** As the source announced them; of a list that comes whole, its length and 1. */
  readonly totalRecords: number;
  readonly totalPages: number;
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** Which page of which list. */
export interface PageRequest {
  readonly feed: FeedName;
  /** Dates of timesheets; null for a feed that comes as one list. */
  readonly range: DateRange | null;
  /** From 1. */
  readonly page: number;
  /** Records on a page, as asked for; null: as many as the source likes. */
  readonly size: number | null;
}

/** Answer to a request by id: the record as the source sent it, or proof that it is gone (404). */
export type Lookup =
  | { readonly outcome: 'found'; readonly record: unknown; readonly requestedAt: number }
  | { readonly outcome: 'gone'; readonly requestedAt: number };

/** The source API as the poll needs it. Every failure is a `SourceError`. */
export interface SourceApi {
  /** Throws unless the answer is that page: another number, a next page on another host or a loop is a bad response. */
  page(request: PageRequest): Promise<Page>;
  /** One record by id. */
  lookUp(feed: FeedName, id: string): Promise<Lookup>;
  /** Ids of the timesheets of an employee that belong to a pay period, whole. Throws also when the list moved. */
  listMembers(employeeId: string, payPeriodId: string): Promise<readonly string[]>;
  /** Requests sent and 429s received since the adapter was made. */
  counts(): { readonly requests: number; readonly throttled: number };
  /** Requests a second that the source takes, as learned so far; null before anything was learned. */
  learnedPace(): number | null;
  /** Begins with the pace that an earlier poll learned. */
  resumePace(perSecond: number): void;
}

/** New contents of one bucket; null when it is gone. */
export interface BucketWrite extends SliceKey {
  readonly from: number;
  readonly rows: readonly StoredRow[] | null;
}

/** Events of one topic, in the order in which they are published: one item of the log. */
export interface LogWrite {
  readonly topic: EventTopic;
  /** CloudEvents as JSON. */
  readonly texts: readonly string[];
}

/** Members of the state that a commit writes, besides renewing the lease. */
export type StateWrite = Partial<Omit<ConnectionState, 'token' | 'clock' | 'topics'>>;

/** One transaction (rule 2): all of it or nothing, conditional on the token. */
export interface Commit {
  readonly heads: readonly Head[];
  /** Slices that left the window for long. */
  readonly removedHeads: readonly SliceKey[];
  readonly buckets: readonly BucketWrite[];
  readonly log: readonly LogWrite[];
  /** Cursors: the last item of the log of each topic that SNS has. */
  readonly published: Readonly<Partial<Record<EventTopic, string>>>;
  readonly state: StateWrite;
}

/** What a poll holds of its lease. */
export interface Lease {
  readonly connection: string;
  readonly token: number;
}

/** A commit in the log. */
export interface LogItem {
  /** Sort key: `{clock}.{number}` (`toLogKey`); in the order of commits. */
  readonly key: string;
  readonly topic: EventTopic;
  /** By the connection's clock, in milliseconds since 1970. */
  readonly committedAt: number;
  readonly texts: readonly string[];
}

export interface BucketKey extends SliceKey {
  readonly from: number;
}

/**
 * State, heads, buckets and log of the connections. All reads are strongly consistent. What a poll writes is conditional
 * on its token: `LeaseLost` when another poll has taken the lease since; then nothing of it is stored.
 */
export interface Store {
  /**
   * Takes the lease until an instant (rule 1): null while another poll holds it. One that ends later than this one by
   * more than clocks differ is from a wrong clock, and counts as ended. Raises the token, and the clock above its last
   * value. The state is `EMPTY_STATE` with that token and clock for a connection that was never polled.
   */
  takeLease(connection: string, until: number, now: number): Promise<ConnectionState | null>;
  /** Keeps the lease until an instant, without a commit. */
  renewLease(lease: Lease, until: number): Promise<void>;
  /** The last write of a poll: what it learned, its cursors, and the lease free. */
  giveBack(lease: Lease, state: StateWrite & Pick<ConnectionState, 'topics'>): Promise<void>;
  /**
   * Keys of the log items, in the order of `commit.log`; one that is too large for an item has several, of which this is
   * the last. A commit lies behind those before, whatever its clock. Throws `store_transaction_too_large` beyond 100
   * items or 4 MB.
   */
  commit(
    lease: Lease,
    commit: Commit,
    time: { readonly clock: number; readonly until: number; readonly expiresAt: number },
  ): Promise<readonly string[]>;
  /** The state as it is, without the lease; null for a connection that was never polled. */
  loadState(connection: string): Promise<ConnectionState | null>;
  /** Heads of all slices of the connection, by feed and slice. */
  loadHeads(connection: string): Promise<readonly Head[]>;
  /** Rows of buckets, in the order asked for; a bucket that was never written has none. */
  readBuckets(connection: string, keys: readonly BucketKey[]): Promise<readonly (readonly StoredRow[])[]>;
  /** Items of the log behind a key (`logKeyAt` of an instant, '' for all), in the order of their commits; of one topic, or of all. */
  readLog(connection: string, after: string, topic?: EventTopic): AsyncIterable<LogItem>;
  /** Identity of the table: a restored one has another. Null when it is not known now. Does not throw. */
  tableId(): Promise<string | null>;
  /** The timesheets of a pay period as it was told once; null where that is not stored any more. */
  loadCount(key: CountKey): Promise<readonly CountedHours[] | null>;
  saveCount(key: CountKey, hours: readonly CountedHours[], expiresAt: number): Promise<void>;
  /** What the source answered about the members of a pay period; empty where nobody was asked. */
  loadAnswers(connection: string, payPeriodId: string): Promise<MemberAnswers>;
  /** Replaces them, and keeps the lease until an instant, in one transaction. */
  saveAnswers(
    lease: Lease,
    payPeriodId: string,
    write: { readonly answers: MemberAnswers; readonly until: number; readonly expiresAt: number },
  ): Promise<void>;
}

/** The timesheets of a pay period at one count. */
export interface CountKey {
  readonly connection: string;
  readonly payPeriodId: string;
  /** A hash of its entries: two counts never have the same key. */
  readonly name: string;
}

export interface PublishResult {
  readonly published: number;
  /** Positions, in the given list, of events that were not published. */
  readonly unpublished: readonly number[];
  /** Those of them that SNS refuses for good. */
  readonly refused: readonly number[];
}

/** Publishes events of one topic at least once, in their order. Never throws for what SNS does. */
export interface EventPublisher {
  publish(topic: EventTopic, texts: readonly string[]): Promise<PublishResult>;
}
