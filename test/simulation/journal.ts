import type { PollReport } from '#shared/config/requests/poll-report.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Membership } from '#shared/core/periods/membership.ts';
import type { SentAgain } from './knots/sent-again.ts';
import type { ItemCounts } from './ports/counting-store.ts';
import type { Totals } from './world/books.ts';
import { perFeed } from './world/truth.ts';

/** A record that a poll received. */
export interface Served {
  readonly poll: number;
  /** Number of its walk; null when it was requested by id. */
  readonly walk: number | null;
  readonly id: string;
  /** Index of the version that was served. */
  readonly version: number;
  /** `bad`: against the specification. `unplaced`: without a readable id or slice, or twice. */
  readonly shape: 'good' | 'bad' | 'unplaced';
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** A request by id that was answered with 404. */
export interface Gone {
  readonly poll: number;
  readonly id: string;
  readonly version: number;
  readonly receivedAt: number;
}

/** Totals of a pay period as they were sent. */
export interface SentTotals {
  readonly poll: number;
  /** In virtual time. */
  readonly at: number;
  readonly totals: Totals;
  /** Those of the books at that instant. */
  readonly isRight: boolean;
}

/** What the source answered about the timesheets of an employee in a pay period. */
export interface SentMembers {
  readonly poll: number;
  readonly at: number;
  readonly isEmpty: boolean;
}

/** One walk over pages, complete or not. */
export interface Walk {
  readonly number: number;
  readonly poll: number;
  readonly feed: FeedName;
  readonly from: string | null;
  readonly to: string | null;
  /** By the clock of its poll. */
  startedAt: number;
  /** When its first page was requested. */
  askedAt: number | null;
  endedAt: number;
  /** In virtual time. */
  readonly beganAt: number;
  complete: boolean;
  /** A fault struck or the list moved: the walk may have missed records even if it seems complete. */
  spoilt: boolean;
  /** Dates whose own failure ended the walk; it excuses no other date. */
  failedOn: readonly string[];
  /** A failure of the source that is no fault of a date ended it. */
  failedByChance: boolean;
  /** Records that came, by id, in their last version; drifting pages may leave some out. */
  readonly records: Map<string, Served>;
}

/** A request by id that failed on purpose. */
export interface Unanswered {
  readonly poll: number;
  readonly id: string;
}

/** Faults that excuse a whole poll: the source failed, events could not be published, or its table has no name. */
type PollTrouble = 'source' | 'publishing' | 'table';

export interface PollEntry {
  readonly number: number;
  readonly feed: FeedName;
  readonly startedAt: number;
  readonly scope: 'due' | 'owed' | 'window';
  /** Of a follow-up. */
  readonly repeatUntil?: number | undefined;
  /** When it is killed. */
  readonly deadline: number;
  readonly troubles: Set<PollTrouble>;
  /** Requests to the source. */
  requests: number;
  readonly items: ItemCounts;
  /** By its own clock. */
  readonly clockAtStart: number;
  /** Who it knew to belong to which calendar; null when it did not read that. */
  membership: Membership['employees'] | null;
  /** Null when it crashed. */
  endedAt: number | null;
  report: PollReport | null;
  failure: unknown;
}

/** A text that reached subscribers. */
export interface Publication {
  readonly poll: number;
  readonly at: number;
  readonly text: string;
  /** Its poll does not know that it did. */
  readonly isAnswerLost?: boolean;
}

/** An event that never reached subscribers, and when a poll found that. */
export interface Loss extends Publication {
  readonly reason: 'refused' | 'expired';
  /** Number of texts published before it. */
  readonly place: number;
}

/** Everything that shows outside the engine while a history runs. */
export class Journal {
  readonly polls: PollEntry[] = [];
  readonly walks: Walk[] = [];
  readonly served: Readonly<Record<FeedName, Map<string, Served[]>>> = perFeed(() => new Map());
  readonly gone: Readonly<Record<FeedName, Map<string, Gone[]>>> = perFeed(() => new Map());
  /** By pay period. */
  readonly totals = new Map<string, SentTotals[]>();
  /** By employee. */
  readonly members = new Map<string, SentMembers[]>();
  readonly unanswered: Readonly<Record<FeedName, Unanswered[]>> = perFeed(() => []);
  readonly publications: Publication[] = [];
  /** Events that cannot be published. */
  readonly lost: Loss[] = [];
  /** What a subscriber got that started in the middle, and how many texts had been published before; null without one. */
  snapshot: { readonly at: number; readonly place: number; readonly texts: readonly string[] } | null = null;
  /** Events that were sent again; null without any. */
  sentAgain: SentAgain | null = null;
  /** When batches were found missing from the event log, published or not. */
  readonly expiries: { readonly at: number; readonly feed: FeedName }[] = [];
  /** Events that were certainly committed, with their polls. */
  readonly committed: { readonly poll: number; readonly at: number; readonly text: string }[] = [];

  /** Events that were published or lost, in order. */
  get told(): readonly Publication[] {
    if (this.lost.length === 0) return this.publications;
    const published = this.publications.map((publication, place) => ({ publication, place: place + 0.5 }));
    const lost = this.lost.map((publication) => ({ publication, place: publication.place }));
    return [...published, ...lost].sort((a, b) => a.place - b.place).map(({ publication }) => publication);
  }

  /** What reached a subscriber that was connected after so many publications, and what was lost since. */
  toldSince(place: number): readonly Publication[] {
    return [...this.publications.slice(place), ...this.lost.filter((loss) => loss.place >= place)];
  }

  /** What was published up to a place. */
  reportedBefore(place: number): readonly Publication[] {
    return this.publications.slice(0, place);
  }

  noteLost(loss: Omit<Loss, 'place'>): void {
    this.lost.push({ ...loss, place: this.publications.length });
  }

  noteServed(feed: FeedName, served: Served): void {
    append(this.served[feed], served.id, served);
    if (served.walk !== null) this.walks[served.walk]?.records.set(served.id, served);
  }

  noteTotals(id: string, sent: SentTotals): void {
    append(this.totals, id, sent);
  }

  noteMembers(employeeId: string, sent: SentMembers): void {
    append(this.members, employeeId, sent);
  }

  noteGone(feed: FeedName, gone: Gone): void {
    append(this.gone[feed], gone.id, gone);
  }
}

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
