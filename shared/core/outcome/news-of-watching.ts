import { toLostSubject } from '../commit/outbox.ts';
import { toIso } from '../dates.ts';
import { type Trouble, tellBegan, tellEnded } from '../events/trouble.ts';
import type { Operation } from '../records/operation.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import { toSlice } from '../snapshot/recent-loss.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';

/** What a poll knows besides the states before and after it. */
interface WatchedFeed {
  readonly heads: ReadonlyMap<string, SliceHead>;
  readonly window: readonly string[];
  /** Code of the last error of the source. */
  readonly errorCode: string | null;
  /** Nobody asked for events of the feed, so nobody waits for its baseline. Troubles are told all the same. */
  readonly isSilent: boolean;
}

/** The events about the watching itself: what is different after a poll. */
export function tellNews(before: FeedState, after: FeedState, watched: WatchedFeed): Operation[] {
  const [was, is] = [before, after].map((state) => listTroubles(state, watched.errorCode));
  return [
    ...listMissing(was, is).map(tellEnded),
    ...tellBaseline(before, after, watched),
    ...listMissing(is, was).map(tellBegan),
  ];
}

/** Troubles of the first list that the second does not have. */
function listMissing(troubles: readonly Trouble[] = [], others: readonly Trouble[] = []): Trouble[] {
  const keys = new Set(others.map(toKey));
  return troubles.filter((each) => !keys.has(toKey(each)));
}

function toKey({ kind, subject }: Trouble): string {
  return `${kind} ${subject}`;
}

function tellBaseline(
  before: FeedState,
  { baseline }: FeedState,
  { heads, window, isSilent }: WatchedFeed,
): Operation[] {
  if (isSilent || before.baseline?.completedAt != null || baseline?.completedAt == null) return [];
  const { from, to, startedAt, completedAt } = baseline;
  const records = window.reduce((sum, slice) => sum + (heads.get(slice)?.recordCount ?? 0), 0);
  const times = { startedAt: toIso(startedAt), completedAt: toIso(completedAt) };
  return [{ type: 'baseline.completed', subject: null, data: { from, to, records, ...times } }];
}

/** What is wrong as a feed remembers it: each trouble lasts as long as it is listed. */
function listTroubles(state: FeedState, errorCode: string | null): Trouble[] {
  const { unreachableSince: since } = state;
  const unreachable = { kind: 'source_unreachable', subject: 'feed', about: [], count: 1 } as const;
  return [
    ...(since === null ? [] : [{ ...unreachable, since, cause: errorCode ?? 'no_answer' }]),
    ...listUnreadable(state),
    ...listDoubtful(state),
    ...listLate(state),
    ...listLost(state),
  ];
}

function listUnreadable({ failing, unreadable }: FeedState): Trouble[] {
  const dates = Object.entries(failing)
    .filter(([, { told }]) => told)
    .map(([slice, { since, code }]) => ({
      kind: 'dates_unreadable' as const,
      subject: slice,
      since,
      cause: code,
    }));
  const records = Object.entries(unreadable)
    .filter(([, { told }]) => told)
    .map(([id, { since, cause }]) => ({ kind: 'records_unreadable' as const, subject: id, since, cause }));
  return [...dates, ...records].map((each) => ({ ...each, about: [each.subject], count: 1 }));
}

function listDoubtful({ shrunk, massChange, formChanged }: FeedState): Trouble[] {
  const held = [
    ...Object.entries(shrunk).map(([slice, { since, missing }]) => ({
      ...{ slice, since, count: missing, cause: 'records_missing' },
    })),
    ...Object.entries(massChange).map(([key, { field, since, records }]) => ({
      ...{ slice: toSlice(key), since, count: records, cause: `lost ${field}` },
    })),
  ];
  const dates = held.map(({ slice, ...each }): Trouble => {
    return { ...each, kind: 'dates_doubtful', subject: `${slice} ${each.cause}`, about: [slice] };
  });
  if (formChanged === null) return dates;
  const { since, slices, fields, bad } = formChanged;
  const cause = `form_changed ${fields.map(({ field }) => field).join(' ')}`.trim();
  return [...dates, { kind: 'dates_doubtful', subject: 'form', about: slices, count: bad, since, cause }];
}

function listLost({ lost }: FeedState): Trouble[] {
  return lost.map((loss) => {
    const { since, cause, count, events } = loss;
    return { kind: 'publish_failed', subject: toLostSubject(loss), about: events, count, since, cause };
  });
}

function listLate({ lag: { since, worst } }: FeedState): Trouble[] {
  if (since === null) return [];
  const about = worst.flatMap(({ dates }) => dates);
  return [{ kind: 'feed_late', subject: 'feed', about, count: about.length, since, cause: 'overdue' }];
}
