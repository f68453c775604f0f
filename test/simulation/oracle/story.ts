import type { FeedName } from '#shared/core/feeds.ts';
import type { SliceSights } from './first-looks.ts';
import type { Watched } from './reading.ts';

/** What subscribers know of a record at some point. */
export interface Known {
  /** When the engine learned it; minus infinity for the baseline. */
  readonly since: number;
  /** Null: removed. */
  readonly watched: Watched | null;
  readonly version: number;
  /** When subscribers had all its events; for the baseline, the end of its scan. */
  readonly toldAt: number;
  /** As what it was removed. */
  readonly buried?: Watched | null;
  /** The poll that saw it; -1 when it does not matter. */
  readonly poll: number;
}

/** A record as subscribers know it over time. */
export interface RecordStory {
  readonly feed: FeedName;
  readonly id: string;
  readonly sights: readonly SliceSights[];
  /** Possible states in the baseline, before the first event. */
  readonly bases: readonly Known[];
  /**
   * Possible states after a first scan that withheld its facts: a fact that is unset before it is published has no
   * event.
   */
  readonly withheld: readonly Known[];
  /** Published steps in order. */
  readonly chapters: readonly Known[];
}
