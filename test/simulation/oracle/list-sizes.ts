import type { FeedName } from '#shared/core/feeds.ts';
import { covers, type Evidence } from './evidence.ts';
import { rememberByHistory } from './remember.ts';

/**
 * Pages of the largest of some slices at an instant, at least one: a slice is read whole, or not at all. One that nobody
 * has read by then is expected to be as large as others.
 */
export function pagesOfLargest(
  evidence: Evidence,
  feed: FeedName,
  { slices, at }: { readonly slices: readonly string[]; readonly at: number },
): number {
  const sizes = sizesAt(evidence, feed, at);
  const walks = evidence.walksOf[feed].filter(({ beganAt }) => beganAt <= at);
  const isKnown = slices.every((slice) => walks.some((walk) => covers(walk, slice)));
  const expected = isKnown ? slices : sizes.keys();
  const largest = Math.max(1, ...Array.from(expected, (slice) => sizes.get(slice) ?? 0));
  return Math.ceil(largest / evidence.history.settings.pageSize);
}

const remember = rememberByHistory<ReadonlyMap<string, number>>();

/** Records of each slice at an instant. */
function sizesAt(evidence: Evidence, feed: FeedName, at: number): ReadonlyMap<string, number> {
  return remember(evidence, `${feed} ${at}`, () => {
    const sizes = new Map<string, number>();
    for (const [id, record] of evidence.history.world.truth[feed]) {
      const slice = evidence.slice(feed, id, record.indexAt(at));
      if (slice !== null) sizes.set(slice, (sizes.get(slice) ?? 0) + 1);
    }
    return sizes;
  });
}
