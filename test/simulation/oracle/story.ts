import type { FeedName } from '#shared/core/feeds.ts';
import type { SliceSights } from './first-looks.ts';
import type { Watched } from './reading.ts';

/** What subscribers know of a record at some point. */
export interface Known {
  /** When it was learned; of what was taken over silently, since ever. */
  readonly since: number;
  /** Null: gone. */
  readonly watched: Watched | null;
  readonly version: number;
  /** When subscribers had all of it; of what was taken over silently, the end of that look. */
  readonly toldAt: number;
  /** The poll that saw it; -1 when it does not matter. */
  readonly poll: number;
}

/** A record's life as it was told. */
export interface RecordStory {
  readonly feed: FeedName;
  readonly id: string;
  readonly sights: readonly SliceSights[];
  /** What may have been taken over silently before the first event; one of them. */
  readonly bases: readonly Known[];
  /**
   * As what it may stand since a first look that withheld what had happened to it: when that is taken back before it
   * was told, there is nothing to tell.
   */
  readonly withheld: readonly Known[];
  /** What was told, in order. */
  readonly chapters: readonly Known[];
}
