import { MAX_ABOUT, type Trouble, tellBegan, tellEnded } from '../events/trouble.ts';
import type { FeedName } from '../feeds.ts';
import { findOverdue, type PlannedSlice } from '../plan/plan.ts';
import type { Operation } from '../records/operation.ts';
import { type Head, nameSlice } from '../snapshot/head.ts';
import type { ConnectionState, OpenTrouble } from '../snapshot/state.ts';

const MINUTE_MS = 60_000;
/** A source that this many polls in a row could not read is told as unreachable. */
const UNREACHABLE_AFTER_POLLS = 3;
/** A slice that could not be read for so long, and so often, is told. */
const UNREADABLE_AFTER_MS = 5 * MINUTE_MS;
const UNREADABLE_AFTER_TRIES = 3;
/** A list that moves while it is read is read again in the next poll: told when no look for so long was whole. */
const DRIFTING_AFTER_MS = 30 * MINUTE_MS;
/** Doubts end with the next look, a minute later, unless there is much to ask for. */
const DOUBTFUL_AFTER_MS = 10 * MINUTE_MS;

/** A trouble of a feed. */
export type FeedTrouble = Trouble & { readonly feed: FeedName };

/** What is known at the end of a poll. */
export interface Watched {
  readonly now: number;
  readonly state: ConnectionState;
  readonly heads: Iterable<Head>;
  readonly slices: readonly PlannedSlice[];
  /** Topics that refused events for good, and take none since: ids of these events. */
  readonly refused: readonly {
    readonly feed: FeedName;
    readonly topic: string;
    readonly ids: readonly string[];
  }[];
}

/** Everything that goes wrong now, whether it was told or not. */
export function findTroubles(watched: Watched): FeedTrouble[] {
  return [
    ...findUnreachable(watched.state),
    ...findUnreadable(watched),
    ...listRead(watched).flatMap((head) => [...findBad(head), ...findDoubtful(head, watched.now)]),
    ...findLate(watched),
    ...watched.refused.map(({ feed, topic, ids }) => ({
      ...{ kind: 'publish_failed' as const, feed, subject: topic, about: ids, count: ids.length },
      ...{ since: watched.now, cause: 'refused' },
    })),
  ];
}

/** A date that has left the window is not read any more: what was wrong with it is over. */
function listRead({ heads, slices }: Watched): Head[] {
  const read = new Set(slices.map(nameSlice));
  return [...heads].filter((head) => read.has(nameSlice(head)));
}

function findUnreachable({ unreachable }: ConnectionState): FeedTrouble[] {
  if (unreachable === null || unreachable.polls < UNREACHABLE_AFTER_POLLS) return [];
  const { since, code } = unreachable;
  return [
    {
      kind: 'source_unreachable',
      feed: 'timesheets',
      subject: 'source',
      about: [],
      count: 1,
      since,
      cause: code,
    },
  ];
}

function findUnreadable({ state, slices, now }: Watched): FeedTrouble[] {
  return slices.flatMap(({ feed, slice }): FeedTrouble[] => {
    const failing = state.failing[`${feed}#${slice}`];
    if (failing === undefined) return [];
    const { since, attempts, code } = failing;
    const waitMs = code === 'drifted' || code === 'no_time' ? DRIFTING_AFTER_MS : UNREADABLE_AFTER_MS;
    if (now - since < waitMs || attempts < UNREADABLE_AFTER_TRIES) return [];
    return [{ kind: 'dates_unreadable', feed, subject: slice, about: [slice], count: 1, since, cause: code }];
  });
}

function findBad({ feed, slice, bad }: Head): FeedTrouble[] {
  if (bad === null) return [];
  const { ids, count, since, cause } = bad;
  return [{ kind: 'records_unreadable', feed, subject: slice, about: ids, count, since, cause }];
}

function findDoubtful({ feed, slice, doubt }: Head, now: number): FeedTrouble[] {
  if (doubt === null || now - doubt.since < DOUBTFUL_AFTER_MS) return [];
  const { since, records } = doubt;
  return [
    {
      kind: 'dates_doubtful',
      feed,
      subject: slice,
      about: [slice],
      count: records,
      since,
      cause: 'would_lose_most',
    },
  ];
}

/** While the source does not answer, that is the trouble. */
function findLate({ slices, now, state }: Watched): FeedTrouble[] {
  if (findUnreachable(state).length > 0) return [];
  const overdue = Object.entries(Object.groupBy(findOverdue(slices, now), ({ feed }) => feed));
  return overdue.map(([feed, late]) => ({
    ...{ kind: 'feed_late' as const, feed: feed as FeedName, subject: 'feed', cause: 'overdue' },
    about: late.map(({ slice }) => slice).slice(0, MAX_ABOUT),
    count: late.length,
    since: Math.min(...late.map(({ dueAt }) => dueAt)),
  }));
}

/** What is told of troubles after a poll, and those that are open from now on. */
export interface TroubleNews {
  readonly told: readonly { readonly feed: FeedName; readonly operation: Operation }[];
  readonly open: readonly OpenTrouble[];
}

/** Each trouble is told once when it begins and once when it ends. */
export function tellTroubles(troubles: readonly FeedTrouble[], open: readonly OpenTrouble[]): TroubleNews {
  const now = new Map(troubles.map((trouble) => [toKey(trouble), trouble]));
  const before = new Map(open.map((trouble) => [toKey(trouble), trouble]));
  const ended = open.filter((trouble) => !now.has(toKey(trouble)));
  const began = troubles.filter((trouble) => !before.has(toKey(trouble)));
  const opened = began.map(({ kind, feed, subject, about, since }) => ({
    kind,
    feed,
    subject,
    about: about.slice(0, MAX_ABOUT),
    since,
  }));
  return {
    told: [
      ...ended.map((trouble) => ({ feed: trouble.feed, operation: tellEnded(trouble) })),
      ...began.map((trouble) => ({ feed: trouble.feed, operation: tellBegan(trouble) })),
    ],
    open: [...open.filter((trouble) => now.has(toKey(trouble))), ...opened],
  };
}

function toKey({ kind, feed, subject }: Pick<OpenTrouble, 'kind' | 'feed' | 'subject'>): string {
  return `${kind} ${feed} ${subject}`;
}
