import type { FeedName } from '#shared/core/feeds.ts';
import type { Evidence } from './evidence.ts';
import { type FirstLooks, isPossibly } from './first-looks.ts';
import type { Known, RecordStory } from './story.ts';

const DAY_MS = 86_400_000;
/** Clocks differ by less about when something was seen. */
const CLOCK_SKEW_MS = 15_000;

/** From when on a removal may be forgotten that was seen at an instant: who comes back then comes back unknown. */
export function forgottenFrom({ history }: Evidence, removedAt: number): number {
  return removedAt + history.settings.connection.retentionDays * DAY_MS - CLOCK_SKEW_MS;
}

/**
 * As what a record may stand after a chapter. Subscribers keep as removed, until its next change, who came back after
 * his removal was forgotten, on a date that time brought in, and to whom nothing had happened: he was taken over
 * silently (rule 5).
 */
export function standingsAfter(evidence: Evidence, story: RecordStory, last: Known): readonly Known[] {
  if (last.watched !== null) return [last];
  const from = forgottenFrom(evidence, last.since);
  return [last, ...[...story.bases, ...story.withheld].filter(({ toldAt }) => toldAt >= from)];
}

/** A record of which the last event told that it was removed, as seen at an instant. */
interface Removal {
  readonly feed: FeedName;
  readonly id: string;
  readonly removedAt: number;
}

/** Whether a removed record may have come back in that way. */
export function mayHaveReturned(
  evidence: Evidence,
  looks: FirstLooks,
  { feed, id, removedAt }: Removal,
): boolean {
  const from = forgottenFrom(evidence, removedAt);
  const sights = looks.of(feed, id).flatMap((each) => each.sights);
  return sights.some(
    (sight) =>
      (isPossibly(sight, 'silent') || isPossibly(sight, 'untold')) && evidence.endOfWalk(sight.walk) >= from,
  );
}
