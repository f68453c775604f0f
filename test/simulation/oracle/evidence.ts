import type { FeedName } from '#shared/core/feeds.ts';
import type { History } from '../history.ts';
import type { PollEntry, Walk } from '../journal.ts';
import { type Check, isNotYet } from '../not-yet.ts';
import { connectionAt } from '../settings.ts';
import { dayAt, shiftDay } from './local-time.ts';
import { sliceOf, type Watched, watchedOf } from './reading.ts';

/** An event as subscribers got it, once. */
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

/** Something that came out wrong. */
export interface Violation {
  readonly check: Check;
  readonly text: string;
}

/** What the oracle goes by: the history, and what was told, by feed and subject. */
export class Evidence {
  readonly history: History;
  readonly violations: Violation[] = [];
  /** Violations that do not count yet. */
  readonly pending: Violation[] = [];
  readonly told: Readonly<Record<FeedName, Map<string, Told[]>>> = {
    timesheets: new Map(),
    'pay-periods': new Map(),
  };
  /** Events about the watching itself, in order of their sequence. */
  readonly operations: Readonly<Record<FeedName, Told[]>> = { timesheets: [], 'pay-periods': [] };
  /** Lists behind their records, or clocks that differ, make what was true when unknowable from outside. */
  readonly isUncertain: boolean;
  /** When slices lost too much at once to be believed, whether that was told yet or not. */
  readonly shrinkings: readonly { readonly feed: FeedName; readonly slice: string; readonly at: number }[];
  readonly #polls: ReadonlyMap<number, PollEntry>;
  /** Walks of polls over the lists of their own feed. What a poll reads of another feed tells it alone where to look. */
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
    this.walksOf = {
      timesheets: complete.filter(({ feed }) => feed === 'timesheets'),
      'pay-periods': complete.filter(({ feed }) => feed === 'pay-periods'),
    };
  }

  violate(about: string, what: string, check: Check = 'protocol'): void {
    const list = isNotYet(check, this.history.faults) ? this.pending : this.violations;
    list.push({ check, text: `${about}: ${what}` });
  }

  poll(number: number): PollEntry | undefined {
    return this.#polls.get(number);
  }

  /** Number of the last walk that a poll had begun when its clock said so. */
  lastWalkOf(poll: number, until: number): number {
    const { walks } = this.history.journal;
    return walks.findLast((walk) => walk.poll === poll && walk.startedAt <= until)?.number ?? -1;
  }

  /** When the poll of a walk was over, as far as it was heard of. */
  endOfWalk(number: number): number {
    const poll = this.poll(this.history.journal.walks[number]?.poll ?? -1);
    return poll?.endedAt ?? poll?.startedAt ?? 0;
  }

  /** Whether an event of a record was committed, and may wait still. */
  isCommitted(subject: string, sequence: number): boolean {
    return this.history.journal.committed.some(({ text }) => {
      const event = JSON.parse(text) as Record<string, unknown>;
      return event.subject === subject && event.sequence === sequence;
    });
  }

  /** The watched values of a version; null when the record was not there. */
  watched(feed: FeedName, id: string, version: number): Watched | null {
    const raw = this.history.world.truth[feed].get(id)?.version(version) ?? null;
    return raw === null ? null : watchedOf(feed, raw);
  }

  slice(feed: FeedName, id: string, version: number): string | null {
    const watched = this.watched(feed, id, version);
    return watched === null ? null : sliceOf(feed, watched);
  }

  /** What was told when the baseline of a feed was complete. */
  baseline(feed: FeedName): Told | undefined {
    return this.operations[feed].find(({ type }) => type === 'baseline.completed');
  }

  /** Whether a slice is in the window of an instant. */
  inWindow(feed: FeedName, slice: string, instant: number): boolean {
    if (feed === 'pay-periods') return true;
    const { timeZone, window } = connectionAt(this.history.settings, instant);
    const today = dayAt(instant, timeZone);
    return shiftDay(today, -window.backDays) <= slice && slice <= shiftDay(today, window.forwardDays);
  }
}

function shrinkingsIn({ journal }: History): Evidence['shrinkings'] {
  return journal.committed.flatMap(({ text, at, poll }) => {
    if (!text.includes('.slice.shrunk')) return [];
    const { source, data } = JSON.parse(text) as { source: string; data: { slice: string } };
    const feed = source.split('/').at(-1) as FeedName;
    return [{ feed, slice: data.slice, at: heldSince(journal, { poll, feed, slice: data.slice, at }) }];
  });
}

/** What a clock noted that was ahead counts from the next look of a poll with a better one. */
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
      poll.startedAt > teller.startedAt &&
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

/** Whether a poll saw all it planned, and said so: nobody committed before it, and nothing was lost on the way. */
export function isCertain(poll: PollEntry | undefined): boolean {
  return poll?.report !== null && poll?.report !== undefined && poll.report.counts.conflicts === 0;
}
