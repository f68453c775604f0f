import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';

/** A record as the source sends it. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** A record from an instant on; null while it does not exist. */
export interface Version {
  readonly at: number;
  readonly record: RawRecord | null;
}

/** A record with all its versions. */
export class TrackedRecord {
  readonly feed: FeedName;
  readonly id: string;
  /** Its place in lists: the order is stable, and new records appear anywhere. */
  readonly rank: number;
  readonly versions: Version[] = [];

  constructor(feed: FeedName, id: string, rank: number) {
    this.feed = feed;
    this.id = id;
    this.rank = rank;
  }

  get latest(): RawRecord | null {
    return this.versions.at(-1)?.record ?? null;
  }

  /** Index of the version at an instant; -1 before the first. */
  indexAt(instant: number): number {
    let index = this.versions.length - 1;
    while (index >= 0 && (this.versions[index]?.at ?? 0) > instant) index -= 1;
    return index;
  }

  version(index: number): RawRecord | null {
    return this.versions[index]?.record ?? null;
  }

  /** When the next version replaces this one. */
  endOf(index: number): number {
    return this.versions[index + 1]?.at ?? Number.POSITIVE_INFINITY;
  }
}

/** All records by feed and id. */
export type Truth = Readonly<Record<FeedName, Map<string, TrackedRecord>>>;

export function emptyTruth(): Truth {
  return perFeed(() => new Map());
}

export function perFeed<Value>(make: (feed: FeedName) => Value): Record<FeedName, Value> {
  return Object.fromEntries(FEED_NAMES.map((feed) => [feed, make(feed)])) as Record<FeedName, Value>;
}
