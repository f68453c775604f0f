import { isDeepStrictEqual } from 'node:util';
import { type Folded, fold } from '#kit/fold.ts';
import type { RecordEvent } from '#kit/workforce-event.ts';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import type { Evidence } from './evidence.ts';
import { sliceOf, type Watched } from './reading.ts';

/** Clocks of polls differ by less. */
const CLOCK_SKEW_MS = 10_000;

/**
 * At the end, the state that a subscriber folds from all events is the true one, also after a restore or a new
 * installation (rule 16 of docs/architecture.md). Records without an event since then are not checked: changes while
 * nothing polled have no event.
 */
export function judgeFoldedStates(evidence: Evidence): void {
  for (const feed of FEED_NAMES) {
    for (const [id, state] of foldedStates(evidence, feed)) {
      const wrong = wrongState(evidence, { feed, id }, state);
      if (wrong !== null) evidence.violate(`${feed} ${id}`, `lost: who folds its events ${wrong}`, 'lost');
    }
  }
}

/** Folded states of the records of a feed that have events of the table in use at the end. */
function foldedStates({ history }: Evidence, feed: FeedName): Map<string, Folded> {
  const { journal, settings, world } = history;
  const renewedAt = (settings.renewal?.at ?? Number.NEGATIVE_INFINITY) - CLOCK_SKEW_MS;
  const states = new Map<string, Folded>();
  const news = new Set<string>();
  for (const { text } of journal.told) {
    const event = JSON.parse(text) as RecordEvent;
    const { source, type, epoch = '', subject = '' } = event;
    const isRecord = /\.(?:timesheet|pay_period)\./.test(type) && source.endsWith(`/${feed}`);
    if (!isRecord || !world.truth[feed].has(subject)) continue;
    states.set(subject, fold(states.get(subject) ?? null, event).state);
    // A restored outbox is sent again, in its earlier epochs.
    if (Date.parse(epoch) >= renewedAt) news.add(subject);
  }
  return new Map([...states].filter(([id]) => news.has(id)));
}

/** How the state of a subscriber differs from the truth; null when it does not. */
function wrongState(
  evidence: Evidence,
  { feed, id }: { readonly feed: FeedName; readonly id: string },
  { current, removed }: Folded,
): string | null {
  const { world, journal } = evidence.history;
  const truth = evidence.watched(feed, id, (world.truth[feed].get(id)?.versions.length ?? 0) - 1);
  const last = journal.polls.findLast((poll) => poll.feed === feed)?.startedAt ?? 0;
  const isWatched = (watched: Watched) => evidence.inWindow(feed, sliceOf(feed, watched), last);
  const known = removed ? null : (current as Watched | null);
  if (truth === null) return known !== null && isWatched(known) ? 'still has it' : null;
  if (!isWatched(truth)) return null;
  if (known === null) return 'does not have it';
  const wrong = Object.entries(known).find(([name, value]) => !isDeepStrictEqual(truth[name], value));
  return wrong === undefined ? null : `has another ${wrong[0]}`;
}
