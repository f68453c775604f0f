import { addDays } from '#shared/core/dates.ts';
import type { FeedName } from '#shared/core/feeds.ts';

/** A record as the source sends it. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** A record from an instant (ms since 1970) on; null while it does not exist. */
export interface Version<Row> {
  readonly at: number;
  readonly record: Row | null;
}

/** Inclusive dates; without `to`, no upper bound. */
export interface Dates {
  readonly from: string;
  readonly to?: string | undefined;
}

/** A record with all its versions, in order. */
export class TrackedRecord<Row extends RawRecord = RawRecord> {
  readonly feed: FeedName;
  readonly id: string;
  readonly versions: Version<Row>[] = [];

  constructor(feed: FeedName, id: string) {
    this.feed = feed;
    this.id = id;
  }

  get latest(): Row | null {
    return this.versions.at(-1)?.record ?? null;
  }

  /** Index of the version at an instant; -1 before the first. */
  indexAt(instant: number): number {
    let index = this.versions.length - 1;
    while (index >= 0 && (this.versions[index]?.at ?? 0) > instant) index -= 1;
    return index;
  }

  version(index: number): Row | null {
    return this.versions[index]?.record ?? null;
  }

  /** The record at an instant. */
  at(instant: number): Row | null {
    return this.version(this.indexAt(instant));
  }
}

/** The records of a feed by id, those too that are gone. Without an instant, lists are of the latest versions. */
export class Records<Row extends RawRecord = RawRecord> extends Map<string, TrackedRecord<Row>> {
  readonly #feed: FeedName;
  /** Whatever was on a date at some time, in the order in which it got there. */
  readonly #onDate = new Map<string, Set<TrackedRecord<Row>>>();
  #first = '9999-12-31';
  #last = '0000-01-01';

  constructor(feed: FeedName) {
    super();
    this.#feed = feed;
  }

  /** Adds a version of a record, which may be its first one. */
  add(id: string, version: Version<Row>): TrackedRecord<Row> {
    const tracked = this.get(id) ?? new TrackedRecord<Row>(this.#feed, id);
    this.set(id, tracked);
    tracked.versions.push(version);
    if (typeof version.record?.date === 'string') this.#putOn(version.record.date, tracked);
    return tracked;
  }

  /** All that there is at an instant, in the order in which it came. */
  list(at = Number.POSITIVE_INFINITY): Row[] {
    return [...this.values()].map((each) => each.at(at)).filter((row) => row !== null);
  }

  /** What is on these dates at an instant: by date, and on a date the newest first. */
  between({ from, to }: Dates, at = Number.POSITIVE_INFINITY): Row[] {
    const found: Row[] = [];
    const last = to === undefined || to > this.#last ? this.#last : to;
    for (let date = from < this.#first ? this.#first : from; date <= last; date = addDays(date, 1)) {
      const rows = [...(this.#onDate.get(date) ?? [])].map((each) => each.at(at)).reverse();
      for (const row of rows) if (row?.date === date) found.push(row);
    }
    return found;
  }

  #putOn(date: string, tracked: TrackedRecord<Row>): void {
    const day = this.#onDate.get(date) ?? new Set();
    this.#onDate.set(date, day.add(tracked));
    if (date < this.#first) this.#first = date;
    if (date > this.#last) this.#last = date;
  }
}
