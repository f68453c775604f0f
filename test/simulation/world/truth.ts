import type { FeedName } from '#shared/core/feeds.ts';

/** A record as the source would answer it. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** What a record was from an instant on; null while it is not there. */
export interface Version {
  readonly at: number;
  readonly record: RawRecord | null;
}

/** A record with everything it ever was. */
export class TrackedRecord {
  readonly feed: FeedName;
  readonly id: string;
  /** Its place in lists: the source keeps some order, and new records come in anywhere. */
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

  /** Which version stood at an instant; -1 before there was any. */
  indexAt(instant: number): number {
    let index = this.versions.length - 1;
    while (index >= 0 && (this.versions[index]?.at ?? 0) > instant) index -= 1;
    return index;
  }

  version(index: number): RawRecord | null {
    return this.versions[index]?.record ?? null;
  }

  /** The instant from which a version was replaced by the next. */
  endOf(index: number): number {
    return this.versions[index + 1]?.at ?? Number.POSITIVE_INFINITY;
  }
}

/** Everything that ever was, by feed and id. */
export type Truth = Readonly<Record<FeedName, Map<string, TrackedRecord>>>;

export function emptyTruth(): Truth {
  return { timesheets: new Map(), 'pay-periods': new Map() };
}
