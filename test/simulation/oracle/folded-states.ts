import { isDeepStrictEqual } from 'node:util';
import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import { type Folded, fold } from '#shared/kit/fold.ts';
import type { RecordEvent } from '#shared/kit/workforce-event.ts';
import type { Evidence } from './evidence.ts';
import { sliceOf } from './reading.ts';

/**
 * What a subscriber keeps who folds every event as it came is how the records are when all is quiet, also after the
 * table was restored or the notifier installed anew (rule 16). Of whom nothing was told since then is not judged: what
 * changed while nobody looked was never told.
 */
export function judgeFoldedStates(evidence: Evidence): void {
  const { journal, settings, world } = evidence.history;
  const renewedAt = settings.renewal?.at ?? Number.NEGATIVE_INFINITY;
  const renewed = new Set(
    journal.polls.filter(({ plannedAt }) => plannedAt >= renewedAt).map(({ number }) => number),
  );
  for (const feed of FEED_NAMES) {
    const states = new Map<string, Folded>();
    const news = new Set<string>();
    for (const { text, poll } of journal.publications) {
      const event = JSON.parse(text) as RecordEvent;
      const { source, subject = '' } = event;
      if (!source.endsWith(`/${feed}`) || !world.truth[feed].has(subject)) continue;
      states.set(subject, fold(states.get(subject) ?? null, event).state);
      if (renewed.has(poll)) news.add(subject);
    }
    for (const id of news) judgeFolded(evidence, { feed, id }, states.get(id));
  }
}

function judgeFolded(
  evidence: Evidence,
  { feed, id }: { readonly feed: FeedName; readonly id: string },
  folded: Folded | undefined,
): void {
  const { world, journal } = evidence.history;
  const truth = evidence.watched(feed, id, (world.truth[feed].get(id)?.versions.length ?? 0) - 1);
  const last = journal.polls.findLast((poll) => poll.feed === feed)?.startedAt ?? 0;
  const isIn = truth !== null && evidence.inWindow(feed, sliceOf(feed, truth), last);
  if (folded === undefined || (!isIn && truth !== null)) return;
  const { current, removed } = folded;
  if (truth === null) {
    const stood = current === null ? '' : sliceOf(feed, current as never);
    if (!removed && evidence.inWindow(feed, stood, last))
      evidence.violate(`${feed} ${id}`, 'lost: who folds its events still has it', 'lost');
    return;
  }
  const wrong = Object.entries(current ?? {}).find(([name, value]) => !isDeepStrictEqual(truth[name], value));
  if (current === null || removed || wrong !== undefined)
    evidence.violate(
      `${feed} ${id}`,
      `lost: who folds its events has another ${wrong?.[0] ?? 'state'}`,
      'lost',
    );
}
