import type { RawRecord, TrackedRecord } from '#local/source/world/records.ts';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import type { History } from '../history.ts';
import type { Walk } from '../journal.ts';
import { sliceOf } from './reading.ts';

/** Something that must not be. */
export interface Violation {
  readonly about: string;
  readonly text: string;
}

/** An event as it was committed. Instants of observation by the clocks of polls. */
export interface Told {
  readonly id: string;
  readonly feed: FeedName;
  /** Without `workforce.` */
  readonly type: string;
  /** Null for what the notifier says of itself. */
  readonly subject: string | null;
  readonly epoch: string;
  readonly sequence: number;
  readonly time: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Its commit, its poll and its table, and when. */
  readonly commit: number;
  readonly poll: number;
  readonly table: number;
  readonly at: number;
}

/** Clocks of polls are apart by less, and lists behind by less. */
const SKEW_MS = 12_000;
const LAG_MS = 320_000;

/** A history as the oracles read it. */
export class Evidence {
  readonly history: History;
  readonly violations: Violation[] = [];
  /** In the order of commits. */
  readonly told: readonly Told[];
  /** By feed and record. */
  readonly stories: Readonly<Record<FeedName, ReadonlyMap<string, readonly Told[]>>>;

  constructor(history: History) {
    this.history = history;
    this.told = history.journal.committed.flatMap((committed, commit) =>
      committed.texts.map((text) => readEvent(text, { ...committed, commit })),
    );
    const stories = Object.fromEntries(FEED_NAMES.map((feed) => [feed, new Map<string, Told[]>()])) as Record<
      FeedName,
      Map<string, Told[]>
    >;
    for (const event of this.told) {
      if (event.subject === null || isOperation(event.type)) continue;
      const story = stories[event.feed].get(event.subject);
      if (story === undefined) stories[event.feed].set(event.subject, [event]);
      else story.push(event);
    }
    this.stories = stories;
  }

  /**
   * Whether a record moved while the baseline was read, so that two dates have a row of it until both are read again: what
   * happens before then is told of both.
   */
  isDoubled(feed: FeedName, id: string): boolean {
    const early = (this.stories[feed].get(id) ?? []).filter(
      ({ epoch, table }) => Date.parse(epoch) < (this.history.journal.baselines.get(`${table} ${feed}`) ?? 0),
    );
    return feed === 'timesheets' && new Set(early.map(({ epoch }) => epoch)).size > 1;
  }

  violate(about: string, text: string): void {
    this.violations.push({ about, text });
  }

  /** Whether instants of polls say nothing: a clock was a day off. */
  get isUncertain(): boolean {
    return this.history.faults.counts.has('clock_a_day_off');
  }

  /** How far an instant of a poll may lie from the moment it is about. */
  get toleranceMs(): number {
    return this.history.faults.counts.has('lagging_list') ? LAG_MS : SKEW_MS;
  }

  /** Whether what complete looks show is what there was. */
  get isHonest(): boolean {
    const { faults, journal } = this.history;
    if (this.isUncertain || faults.counts.has('poison_record')) return false;
    return journal.walks.every(({ complete, honest }) => honest || !complete);
  }

  record(feed: FeedName, id: string): TrackedRecord | undefined {
    return this.history.world.records[feed].get(id);
  }

  /** Reads of a slice, in order. */
  walksOf(feed: FeedName, slice: string): Walk[] {
    return this.history.journal.walks.filter((walk) => walk.feed === feed && covers(walk, slice));
  }

  /** Complete looks at a slice by polls that did all they could. */
  goodLooks(feed: FeedName, slice: string): Walk[] {
    const { polls } = this.history.journal;
    return this.walksOf(feed, slice).filter((walk) => {
      const poll = polls[walk.poll];
      return walk.complete && walk.honest && poll !== undefined && isGood(poll);
    });
  }
}

/** A poll that did all it could with what it saw. */
function isGood(poll: History['journal']['polls'][number]): boolean {
  const { report, failure, isTroubled, endedAt } = poll;
  return endedAt !== null && failure === null && !isTroubled && report?.outcome === 'complete';
}

function covers({ from, to }: Walk, slice: string): boolean {
  return from === null || to === null || (from <= slice && slice <= to);
}

export function isOperation(type: string): boolean {
  return /^(?:baseline|feed|trouble|employee\.forgotten)/.test(type);
}

/** The versions of a record that were true at some moment between two instants, nulls for its absence. */
export function versionsBetween(
  record: TrackedRecord,
  from: number,
  to: number,
): { readonly index: number; readonly raw: RawRecord | null }[] {
  const first = Math.max(-1, record.indexAt(from));
  const last = record.indexAt(to);
  return Array.from({ length: last - first + 1 }, (_, place) => ({
    index: first + place,
    raw: record.version(first + place),
  }));
}

/** Whether a record was not on a slice at some moment between two instants. */
export function wasAway(record: TrackedRecord, slice: string, from: number, to: number): boolean {
  return versionsBetween(record, from, to).some(
    ({ raw }) => raw === null || sliceOf(record.feed, raw) !== slice,
  );
}

function readEvent(
  text: string,
  committed: { readonly poll: number; readonly at: number; readonly table: number; readonly commit: number },
): Told {
  const event = JSON.parse(text) as Record<string, never>;
  const { id, type, source, subject, epoch, sequence, time, data } = event;
  const { poll, at, table, commit } = committed;
  return {
    ...{ id, epoch, data, text, poll, at, table, commit },
    type: String(type).replace('workforce.', ''),
    feed: String(source).split('/').at(-1) as FeedName,
    subject: subject ?? null,
    sequence: Number(sequence),
    time: Date.parse(time ?? ''),
  } as unknown as Told;
}
