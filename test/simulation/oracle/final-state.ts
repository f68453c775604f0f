import type { FeedName } from '#shared/core/feeds.ts';
import type { Evidence } from './evidence.ts';
import { standingsAfter } from './forgotten.ts';
import { sliceOf, textOf } from './reading.ts';
import { silentlyKnown } from './record-story.ts';
import type { RecordStory } from './story.ts';

/** At the end, the last event of every record in the window has its true state. */
export function judgeFinalState(evidence: Evidence, story: RecordStory): void {
  const { feed, id, chapters, bases } = story;
  const record = evidence.history.world.truth[feed].get(id);
  const truth = evidence.watched(feed, id, (record?.versions.length ?? 0) - 1);
  const known = chapters.at(-1);
  if (truth === null || !isWatched(evidence, feed, sliceOf(feed, truth))) {
    judgeDeparture(evidence, story, truth === null ? 'ever' : 'a date outside the window');
    return;
  }
  const possible =
    known === undefined ? [...bases, ...story.withheld] : standingsAfter(evidence, story, known);
  const text = textOf(truth);
  if (possible.some(({ watched }) => watched !== null && textOf(watched) === text)) return;
  const what = possible.length === 0 ? 'it was never told of' : 'its last state was never told';
  evidence.violate(`${feed} ${id}`, `lost: ${what}`, 'lost');
}

/**
 * Subscribers must not keep a record on a date that it left. Of a date that came into the window at the very end, the
 * removals may still be held.
 */
function judgeDeparture(evidence: Evidence, story: RecordStory, whereTo: string): void {
  const { feed, id } = story;
  const { quietFrom } = evidence.history.settings;
  const stuck = placesOf(story).find(
    (slice) => isWatched(evidence, feed, slice) && evidence.inWindow(feed, slice, quietFrom),
  );
  if (stuck !== undefined) evidence.violate(`${feed} ${id}`, `lost: it left ${stuck} for ${whereTo}`, 'lost');
}

/** Slices where subscribers know a record. One in two baselines has moved between them, unseen. */
function placesOf(story: RecordStory): string[] {
  const known = story.chapters.at(-1);
  if (known !== undefined) return known.watched === null ? [] : [sliceOf(story.feed, known.watched)];
  const silent = silentlyKnown(story).map(({ slice }) => slice);
  return silent.length === 1 ? silent : [];
}

function isWatched(evidence: Evidence, feed: FeedName, slice: string): boolean {
  const last = evidence.history.journal.polls.findLast((poll) => poll.feed === feed);
  return evidence.inWindow(feed, slice, last?.startedAt ?? 0);
}
