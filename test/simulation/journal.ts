import type { PollReport } from '#shared/config/requests/poll-report.ts';
import type { EventTopic } from '#shared/core/event-types.ts';
import type { FeedName } from '#shared/core/feeds.ts';

/** One reading of the pages of a list, complete or not. Instants in virtual time. */
export interface Walk {
  readonly poll: number;
  readonly table: number;
  readonly feed: FeedName;
  readonly from: string | null;
  readonly to: string | null;
  readonly beganAt: number;
  endedAt: number;
  /** Every page was answered, and every record has an id. */
  complete: boolean;
  /** No fault struck and the list did not move. */
  honest: boolean;
  /** It shows all that was there, though it may fail, and records of it may be broken. */
  faithful: boolean;
  /** Versions that came, by id; drifting pages may leave some out. */
  readonly content: Map<string, number>;
}

/** A request by id that was answered with 404. Instants: in virtual time, and by the clock of its poll. */
export interface Gone {
  readonly poll: number;
  readonly at: number;
  readonly clock: number;
}

export interface PollEntry {
  readonly number: number;
  readonly startedAt: number;
  /** What its clock is ahead, in milliseconds. */
  readonly skew: number;
  /** Number of its table: restores and new installations make others. */
  readonly table: number;
  /** Something failed that may keep it from telling what it saw. */
  isTroubled: boolean;
  /** Null when it crashed. */
  endedAt: number | null;
  report: PollReport | null;
  failure: unknown;
}

/** Events that were committed together, in the order of commits. */
export interface Committed {
  readonly poll: number;
  readonly at: number;
  readonly topic: EventTopic;
  readonly texts: readonly string[];
  readonly table: number;
}

/** A text that reached subscribers. */
export interface Publication {
  readonly poll: number;
  readonly at: number;
  readonly topic: EventTopic;
  readonly text: string;
}

/** Everything that shows outside the engine while a history runs. */
export class Journal {
  readonly polls: PollEntry[] = [];
  readonly walks: Walk[] = [];
  /** By feed and record. */
  readonly gone = new Map<string, Gone[]>();
  readonly committed: Committed[] = [];
  readonly publications: Publication[] = [];
  /** Texts that a topic refuses for good. */
  readonly refused = new Set<string>();
  /** By table and feed: when its baseline was committed as whole. */
  readonly baselines = new Map<string, number>();
  /** One look showed most of a date without a fact that all of it has. */
  hasLostFacts = false;

  noteGone(feed: FeedName, id: string, gone: Gone): void {
    const key = `${feed}/${id}`;
    this.gone.set(key, [...(this.gone.get(key) ?? []), gone]);
  }
}
