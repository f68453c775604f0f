import type { PollReport } from '#shared/config/requests/poll-report.ts';
import type { EventTopic } from '#shared/core/event-types.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Totals } from './world/books.ts';
import { perFeed } from './world/truth.ts';

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
  /** It shows what was there, though it may fail, and records of it may be broken. */
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
  /** No other poll was under way meanwhile. */
  isAlone: boolean;
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

/** What the source said of an employee and a pay period. */
export interface SentMembers {
  readonly poll: number;
  readonly at: number;
  readonly employeeId: string;
  readonly payPeriodId: string;
  /** As the books have it. */
  readonly isRight: boolean;
}

/** Totals of a pay period as they were sent. */
export interface SentTotals {
  readonly poll: number;
  readonly at: number;
  readonly totals: Totals;
  /** Those of the books at that instant. */
  readonly isRight: boolean;
}

/** Everything that shows outside the engine while a history runs. */
export class Journal {
  readonly polls: PollEntry[] = [];
  readonly walks: Walk[] = [];
  readonly gone: Readonly<Record<FeedName, Map<string, Gone[]>>> = perFeed(() => new Map());
  readonly committed: Committed[] = [];
  readonly publications: Publication[] = [];
  /** Texts that a topic refuses for good. */
  readonly refused = new Set<string>();
  /** By table and feed: when its baseline was committed as whole. */
  readonly baselines = new Map<string, number>();
  /** By pay period. */
  readonly totals = new Map<string, SentTotals[]>();
  readonly members: SentMembers[] = [];
  /** One look showed most of a date without a fact that all of it has. */
  hasLostFacts = false;
  /** What a look after a poll found wrong in the store. */
  readonly wrongRows: string[] = [];

  noteGone(feed: FeedName, id: string, gone: Gone): void {
    append(this.gone[feed], id, gone);
  }

  noteTotals(id: string, sent: SentTotals): void {
    append(this.totals, id, sent);
  }
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
