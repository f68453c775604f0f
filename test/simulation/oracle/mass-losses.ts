import type { FeedName } from '#shared/core/feeds.ts';
import type { Evidence } from './evidence.ts';
import { FACTS, sliceOf } from './reading.ts';

/** A slice during a time. */
interface Stretch {
  readonly slice: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Whether so many records of a slice may have lost the same fact at once that their events are held: at least the
 * number and more than the share that the config sets. What the engine knew between two scans does not show from
 * outside, so every record that lost the fact in that time counts.
 */
export function hasMassLoss(evidence: Evidence, feed: FeedName, stretch: Stretch): boolean {
  const known = answers.get(evidence) ?? new Map<string, boolean>();
  answers.set(evidence, known);
  const key = `${feed} ${stretch.slice} ${stretch.from} ${stretch.to}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const answer = computeMassLoss(evidence, feed, stretch);
  known.set(key, answer);
  return answer;
}

/** Cached, since the answer is the same for every record of a slice. */
const answers = new WeakMap<Evidence, Map<string, boolean>>();

function computeMassLoss(evidence: Evidence, feed: FeedName, stretch: Stretch): boolean {
  const { share, records: least } = evidence.history.settings.connection.vanishing;
  const losses = new Map<string, number>();
  let known = 0;
  for (const id of evidence.history.world.truth[feed].keys()) {
    const lost = lostBy(evidence, { feed, id }, stretch);
    if (lost === null) continue;
    known += 1;
    for (const field of lost) losses.set(field, (losses.get(field) ?? 0) + 1);
  }
  return [...losses.values()].some((count) => count >= least && count > share * known);
}

/** The facts that a record lost on a slice; null when it was not there. */
function lostBy(
  evidence: Evidence,
  { feed, id }: { readonly feed: FeedName; readonly id: string },
  { slice, from, to }: Stretch,
): Set<string> | null {
  const record = evidence.history.world.truth[feed].get(id);
  const last = record?.indexAt(to) ?? -1;
  const lost = new Set<string>();
  let wasThere = false;
  for (let version = Math.max(0, record?.indexAt(from) ?? 0); version <= last; version += 1) {
    const now = evidence.watched(feed, id, version);
    if (now === null || sliceOf(feed, now) !== slice) continue;
    wasThere = true;
    const before = evidence.watched(feed, id, version - 1);
    for (const { field } of FACTS[feed]) if (before?.[field] != null && now[field] === null) lost.add(field);
  }
  return wasThere ? lost : null;
}
