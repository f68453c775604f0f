import type { DateRange } from './core/dates.ts';
import type { FeedName } from './core/feeds.ts';
import type { Page, WalkEnd } from './core/pages.ts';

/** Milliseconds since 1970 UTC. */
export interface Clock {
  now(): number;
}

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
}
