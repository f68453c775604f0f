import { isDeepStrictEqual } from 'node:util';
import { type Folded, fold } from '#kit/fold.ts';
import type { RecordEvent } from '#kit/workforce-event.ts';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import type { Evidence } from './evidence.ts';
import type { FirstLooks } from './first-looks.ts';
import { mayHaveReturned } from './forgotten.ts';
import { canonicalStamp, sliceOf, type Watched } from './reading.ts';

/** Clocks of polls differ by less. */
const CLOCK_SKEW_MS = 10_000;

/**
 * What a subscriber keeps who folds every event as it came is how the records are when all is quiet, also after the
 * table was restored or the notifier installed anew (rule 16). Of whom nothing was told since then is not judged: what
 * changed while nobody looked was never told. Nor who may have been taken over silently after his removal was forgotten.
 */
export function judgeFoldedStates(evidence: Evidence, looks: FirstLooks): void {
  for (const feed of FEED_NAMES) {
    for (const [id, { state, at }] of foldedStates(evidence, feed)) {
      if (state.removed && mayHaveReturned(evidence, looks, { feed, id, removedAt: at })) continue;
      const wrong = wrongState(evidence, { feed, id }, state);
      if (wrong !== null) evidence.violate(`${feed} ${id}`, `lost: who folds its events ${wrong}`, 'lost');
    }
  }
}

/** `at`: the time of the last event. */
interface FoldedRecord {
  readonly state: Folded;
  readonly at: number;
}

/** The records of a feed of which something was told, by whichever table is used in the end. */
function foldedStates(evidence: Evidence, feed: FeedName): Map<string, FoldedRecord> {
  const { journal, settings, world } = evidence.history;
  const renewedAt = (settings.renewal?.at ?? Number.NEGATIVE_INFINITY) - CLOCK_SKEW_MS;
  const states = new Map<string, FoldedRecord>();
  const news = new Set<string>();
  for (const { text } of journal.told) {
    const event = evidence.read<RecordEvent>(text);
    const { source, type, epoch = '', subject = '' } = event;
    const isRecord =
      /\.(?:timesheet|pay_period|employee|department)\./.test(type) && source.endsWith(`/${feed}`);
    if (!isRecord || !world.truth[feed].has(subject)) continue;
    const { state } = fold(states.get(subject)?.state ?? null, event);
    states.set(subject, { state, at: Date.parse(event.time) });
    // A restored outbox is sent again, in the epochs of before.
    if (Date.parse(epoch) >= renewedAt) news.add(subject);
  }
  // After a restore each record that is there begins anew, also one of which nothing was told since.
  const isRestored = wasBaselined(journal, feed, settings.renewal?.backupAt ?? null);
  const isThere = (id: string) => isRestored && world.truth[feed].get(id)?.versions.at(-1)?.record != null;
  return new Map([...states].filter(([id]) => news.has(id) || isThere(id)));
}

/** Whether a backup of that instant knows the feed: with an empty one the notifier is as new, and baselines silently. */
function wasBaselined(
  { publications }: Evidence['history']['journal'],
  feed: FeedName,
  backupAt: number | null,
) {
  if (backupAt === null) return false;
  return publications.some(({ at, text }) => {
    const { type, source } = JSON.parse(text) as RecordEvent;
    return at <= backupAt && String(type).endsWith('.baseline.completed') && source.endsWith(`/${feed}`);
  });
}

/** How the state of a subscriber differs from the truth; null when it does not. */
export function wrongState(
  evidence: Evidence,
  { feed, id }: { readonly feed: FeedName; readonly id: string },
  { current, removed }: Folded,
): string | null {
  const { world, journal, settings } = evidence.history;
  const truth = evidence.watched(feed, id, (world.truth[feed].get(id)?.versions.length ?? 0) - 1);
  const last = journal.polls.findLast((poll) => poll.feed === feed)?.startedAt ?? 0;
  const isWatched = (watched: Watched) => evidence.inWindow(feed, sliceOf(feed, watched), last);
  const known = removed ? null : (current as Watched | null);
  // Of a date that came into the window at the very end, the removals may still be held.
  const wasWatched = (watched: Watched) =>
    evidence.inWindow(feed, sliceOf(feed, watched), settings.quietFrom);
  if (truth === null) return known !== null && isWatched(known) && wasWatched(known) ? 'still has it' : null;
  if (!isWatched(truth)) return null;
  if (known === null) return 'does not have it';
  const wrong = Object.entries(known).find(
    ([name, value]) =>
      !name.endsWith('Missing') &&
      !isDeepStrictEqual(truth[name], name === 'closed' ? canonicalStamp(value) : value),
  );
  return wrong === undefined ? null : `has another ${wrong[0]}`;
}
