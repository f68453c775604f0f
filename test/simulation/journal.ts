import type { PollReport } from '#shared/config/requests/poll-report.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { ItemCounts } from './ports/counting-store.ts';

/** One record that a poll got from the source. */
export interface Served {
  readonly poll: number;
  /** Number of the walk over pages, or null when it was asked for by id. */
  readonly walk: number | null;
  readonly id: string;
  /** Index of the version that was served. */
  readonly version: number;
  /** `bad`: not as specified. `unplaced`: so bad that it does not say who it is or where it belongs. */
  readonly shape: 'good' | 'bad' | 'unplaced';
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** A question by id that was answered with 404. */
export interface Gone {
  readonly poll: number;
  readonly id: string;
  readonly version: number;
  readonly receivedAt: number;
}

/** One walk over pages, whole or not. */
export interface Walk {
  readonly number: number;
  readonly poll: number;
  readonly feed: FeedName;
  readonly from: string | null;
  readonly to: string | null;
  /** As the clock of its poll said. */
  startedAt: number;
  endedAt: number;
  /** When it really began. */
  readonly beganAt: number;
  complete: boolean;
  /** Something went wrong on purpose, or the list moved: it need not have seen all, whatever it looks like. */
  spoilt: boolean;
  /** The dates that failed by themselves, so that this walk has no excuse for the others. */
  failedOn: readonly string[];
  /** Drifted pages may leave out a record: which ones really came, by id, as they came last. */
  readonly records: Map<string, Served>;
}

/** A question by id that got no answer on purpose. */
export interface Unanswered {
  readonly poll: number;
  readonly id: string;
}

/** What excuses a whole poll: the source as such failed, or what it published did not get through. */
type PollTrouble = 'source' | 'publishing';

export interface PollEntry {
  readonly number: number;
  readonly feed: FeedName;
  readonly startedAt: number;
  readonly scope: 'due' | 'window';
  /** When it would be killed. */
  readonly deadline: number;
  readonly troubles: Set<PollTrouble>;
  /** Requests it has made of the source. */
  requests: number;
  readonly items: ItemCounts;
  /** What its own clock said then. */
  readonly clockAtStart: number;
  /** Null when it was never heard of again. */
  endedAt: number | null;
  report: PollReport | null;
  failure: unknown;
}

/** A text that reached subscribers. */
export interface Publication {
  readonly poll: number;
  readonly at: number;
  readonly text: string;
}

/** An event that never reached subscribers, and when that became known. */
export interface Loss extends Publication {
  readonly reason: 'refused' | 'expired';
  /** How many texts had been published before. */
  readonly place: number;
}

/** Everything that could be seen from outside while a history ran. */
export class Journal {
  readonly polls: PollEntry[] = [];
  readonly walks: Walk[] = [];
  readonly served: Readonly<Record<FeedName, Map<string, Served[]>>> = {
    timesheets: new Map(),
    'pay-periods': new Map(),
  };
  readonly gone: Readonly<Record<FeedName, Map<string, Gone[]>>> = {
    timesheets: new Map(),
    'pay-periods': new Map(),
  };
  readonly unanswered: Readonly<Record<FeedName, Unanswered[]>> = { timesheets: [], 'pay-periods': [] };
  readonly publications: Publication[] = [];
  /** What cannot be published. */
  readonly lost: Loss[] = [];
  /** When batches were found to be gone from the event log, whether they had been published or not. */
  readonly expiries: { readonly at: number; readonly feed: FeedName }[] = [];
  /** Every event that was certainly committed, by whom. */
  readonly committed: { readonly poll: number; readonly at: number; readonly text: string }[] = [];

  /** What was published, and what was given up in its place, in order. */
  get told(): readonly Publication[] {
    if (this.lost.length === 0) return this.publications;
    const published = this.publications.map((publication, place) => ({ publication, place: place + 0.5 }));
    const lost = this.lost.map((publication) => ({ publication, place: publication.place }));
    return [...published, ...lost].sort((a, b) => a.place - b.place).map(({ publication }) => publication);
  }

  noteLost(loss: Omit<Loss, 'place'>): void {
    this.lost.push({ ...loss, place: this.publications.length });
  }

  noteServed(feed: FeedName, served: Served): void {
    append(this.served[feed], served.id, served);
    if (served.walk !== null) this.walks[served.walk]?.records.set(served.id, served);
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
