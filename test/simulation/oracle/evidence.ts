import type { FeedName } from '#shared/core/feeds.ts';
import type { History } from '../history.ts';
import type { PollEntry, Walk } from '../journal.ts';
import { type Check, isNotYet } from '../not-yet.ts';
import { connectionAt } from '../settings.ts';
import { perFeed } from '../world/truth.ts';
import { dayAt, shiftDay } from './local-time.ts';
import { sliceOf, type Watched, watchedOf } from './reading.ts';

/** An event of which subscribers got at least one copy. */
export interface Told {
  readonly id: string;
  readonly type: string;
  readonly epoch: string;
  readonly sequence: number;
  /** Milliseconds. */
  readonly after: number | null;
  readonly by: number;
  readonly poll: number;
  /** When it first reached subscribers. */
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly envelope: Readonly<Record<string, unknown>>;
}

export interface Violation {
  readonly check: Check;
  readonly text: string;
}

/** The history and its published events by feed and subject. */
export class Evidence {
  readonly history: History;
  readonly violations: Violation[] = [];
  /** Violations of known gaps, which do not count. */
  readonly pending: Violation[] = [];
  readonly told: Readonly<Record<FeedName, Map<string, Told[]>>> = perFeed(() => new Map());
  /** Events about missing clockings, by timesheet. */
  readonly absences = new Map<string, Told[]>();
  /** Statements by pay period: they change nothing of its record. */
  readonly statements = new Map<string, Told[]>();
  /** Events of operations by sequence. */
  readonly operations: Readonly<Record<FeedName, Told[]>> = perFeed(() => []);
  /** Accounts of pay periods that could be compared with the world. */
  judgedAccounts = 0;
  /** Lagging lists or skewed clocks: it is not known which version was true when. */
  readonly isUncertain: boolean;
  /** When removals of slices were held after a mass deletion, with or without an event so far. */
  readonly shrinkings: readonly { readonly feed: FeedName; readonly slice: string; readonly at: number }[];
  readonly #polls: ReadonlyMap<number, PollEntry>;
  readonly #parsed = new Map<string, unknown>();
  #commits: ReadonlyMap<string, { readonly at: number; readonly poll: number }> | null = null;
  /**
   * Walks of polls over the lists of their own feed. What a poll reads of another feed tells it alone where to look.
   */
  readonly walks: readonly Walk[];
  /** Those that were complete. */
  readonly walksOf: Readonly<Record<FeedName, readonly Walk[]>>;

  constructor(history: History) {
    this.history = history;
    this.shrinkings = shrinkingsIn(history);
    this.#polls = new Map(history.journal.polls.map((poll) => [poll.number, poll]));
    this.isUncertain =
      history.faults.has('lagging_list') ||
      history.faults.has('skewed_clock') ||
      history.faults.has('clock_a_day_off');
    this.walks = history.journal.walks.filter(({ poll, feed }) => this.poll(poll)?.feed === feed);
    const complete = this.walks.filter((walk) => walk.complete);
    this.walksOf = perFeed((name) => complete.filter(({ feed }) => feed === name));
  }

  violate(about: string, what: string, check: Check = 'protocol'): void {
    const list = isNotYet(check, this.history.faults) ? this.pending : this.violations;
    list.push({ check, text: `${about}: ${what}` });
  }

  /** What a text says. Many ask, and nobody changes it. */
  read<Event>(text: string): Event {
    const before = this.#parsed.get(text);
    if (before !== undefined) return before as Event;
    const event = JSON.parse(text) as Event;
    this.#parsed.set(text, event);
    return event;
  }

  poll(number: number): PollEntry | undefined {
    return this.#polls.get(number);
  }

  /** Number of the last walk that a poll had begun at an instant of its clock. */
  lastWalkOf(poll: number, until: number): number {
    const { walks } = this.history.journal;
    return walks.findLast((walk) => walk.poll === poll && walk.startedAt <= until)?.number ?? -1;
  }

  /** End of the poll of a walk, if it ended. */
  endOfWalk(number: number): number {
    const poll = this.poll(this.history.journal.walks[number]?.poll ?? -1);
    return poll?.endedAt ?? poll?.startedAt ?? 0;
  }

  /** Whether a committed event of a record may still wait in the outbox. */
  isCommitted(subject: string, sequence: number): boolean {
    return this.history.journal.committed.some(({ text }) => {
      const event = this.read<Record<string, unknown>>(text);
      return event.subject === subject && event.sequence === sequence;
    });
  }

  /** When an event was committed; when it reached subscribers, where the answer of its commit was lost. */
  committedAt({ id, at }: Told): number {
    return this.#commitOf(id)?.at ?? at;
  }

  /** The poll that committed an event; a later one may have published it. */
  committedBy({ id, poll }: Told): number {
    return this.#commitOf(id)?.poll ?? poll;
  }

  #commitOf(id: string): { readonly at: number; readonly poll: number } | undefined {
    this.#commits ??= new Map(
      this.history.journal.committed.map((each) => [this.read<{ id: string }>(each.text).id, each]),
    );
    return this.#commits.get(id);
  }

  /** The watched values of a version; null when the record did not exist. */
  watched(feed: FeedName, id: string, version: number): Watched | null {
    const raw = this.history.world.truth[feed].get(id)?.version(version) ?? null;
    return raw === null ? null : watchedOf(feed, raw);
  }

  slice(feed: FeedName, id: string, version: number): string | null {
    const watched = this.watched(feed, id, version);
    return watched === null ? null : sliceOf(feed, watched);
  }

  /** The event that the baseline of a feed is complete. */
  baseline(feed: FeedName): Told | undefined {
    return this.operations[feed].find(({ type }) => type === 'baseline.completed');
  }

  /** Whether a slice is in the window of an instant. */
  inWindow(feed: FeedName, slice: string, instant: number): boolean {
    if (feed !== 'timesheets') return true;
    const { timeZone, window } = connectionAt(this.history.settings, instant);
    const today = dayAt(instant, timeZone);
    return shiftDay(today, -window.backDays) <= slice && slice <= shiftDay(today, window.forwardDays);
  }
}

function shrinkingsIn({ journal }: History): Evidence['shrinkings'] {
  return journal.committed.flatMap(({ text, at, poll }) => {
    if (!text.includes('"cause":"records_missing"')) return [];
    const { source, data } = JSON.parse(text) as { source: string; data: { about: [string] } };
    const feed = source.split('/').at(-1) as FeedName;
    const [slice] = data.about;
    return [{ feed, slice, at: heldSince(journal, { poll, feed, slice, at }) }];
  });
}

/** A time from a clock that was ahead counts until the next scan with a better clock, of a poll that began after it. */
function heldSince(
  { polls, walks }: History['journal'],
  told: { readonly poll: number; readonly feed: FeedName; readonly slice: string; readonly at: number },
): number {
  const isAhead = ({ clockAtStart, startedAt }: PollEntry) => clockAtStart - startedAt > 60_000;
  const teller = polls.find(({ number }) => number === told.poll);
  if (teller === undefined || !isAhead(teller)) return told.at;
  const next = polls.find(
    (poll) =>
      poll.feed === told.feed &&
      poll.startedAt > told.at &&
      poll.report !== null &&
      !isAhead(poll) &&
      walks.some(
        (walk) =>
          walk.poll === poll.number && walk.feed === told.feed && walk.complete && covers(walk, told.slice),
      ),
  );
  return Math.max(told.at, next?.endedAt ?? told.at);
}

/** Whether a walk covers a slice. */
export function covers({ from, to }: Walk, slice: string): boolean {
  return (from === null || from <= slice) && (to === null || slice <= to);
}

/** Whether a poll completed its plan: without a conflict, and without a lost answer. */
export function isCertain(poll: PollEntry | undefined): boolean {
  return poll?.report !== null && poll?.report !== undefined && poll.report.counts.conflicts === 0;
}
