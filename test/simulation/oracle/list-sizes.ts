import type { FeedName } from '#shared/core/feeds.ts';
import { covers, type Evidence } from './evidence.ts';

/**
 * Pages of the largest of some slices at an instant, at least one: a slice is read whole, or not at all. One that nobody
 * has read by then is expected to be as large as others.
 */
export function pagesOfLargest(
  evidence: Evidence,
  feed: FeedName,
  { slices, at }: { readonly slices: readonly string[]; readonly at: number },
): number {
  const { settings, world } = evidence.history;
  const records = [...world.truth[feed]].map(([id, record]) => evidence.slice(feed, id, record.indexAt(at)));
  const walks = evidence.walksOf[feed].filter(({ beganAt }) => beganAt <= at);
  const isKnown = slices.every((slice) => walks.some((walk) => covers(walk, slice)));
  const expected = isKnown ? slices : [...slices, ...new Set(records)];
  const sizes = expected.map((slice) => records.filter((each) => each === slice).length);
  return Math.ceil(Math.max(1, ...sizes) / settings.pageSize);
}
