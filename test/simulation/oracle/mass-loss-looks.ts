import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import type { Served, Walk } from '../journal.ts';
import { covers, type Evidence, type Told } from './evidence.ts';
import { FACTS, sliceOf } from './reading.ts';

/** A second scan is at least this much later than the first. */
const MIN_APART_MS = 60_000;

/** Records of a slice of which one walk told that they lost a fact. */
interface ToldLoss {
  readonly feed: FeedName;
  readonly slice: string;
  readonly field: string;
  readonly walk: Walk;
  readonly ids: ReadonlySet<string>;
}

/** What most records of a slice lose at once is told after a second scan has shown it again (rule 6 of docs/architecture.md). */
export function judgeMassLosses(evidence: Evidence): void {
  if (evidence.isUncertain) return;
  for (const loss of FEED_NAMES.flatMap((feed) => toldLosses(evidence, feed))) {
    if (!isMassive(evidence, loss) || wasSeenBefore(evidence, loss)) continue;
    const what = `${loss.ids.size} records lost ${loss.field} in poll ${loss.walk.poll}`;
    evidence.violate(`${loss.feed} ${loss.slice}`, `${what}, and it was told at first sight`);
  }
}

function toldLosses(evidence: Evidence, feed: FeedName): ToldLoss[] {
  const losses = new Map<string, ToldLoss & { readonly ids: Set<string> }>();
  for (const [id, events] of evidence.told[feed]) {
    for (const event of events) {
      const fact = FACTS[feed].find(({ off }) => off === event.type);
      const seen = fact === undefined ? null : whereSeen(evidence, { feed, id, event, events });
      if (fact === undefined || seen === null) continue;
      const key = `${seen.walk.number} ${seen.slice} ${fact.field}`;
      const loss = losses.get(key) ?? { feed, field: fact.field, ...seen, ids: new Set<string>() };
      loss.ids.add(id);
      losses.set(key, loss);
    }
  }
  return [...losses.values()];
}

interface ToldEvent {
  readonly feed: FeedName;
  readonly id: string;
  readonly event: Told;
  /** All events of the record. */
  readonly events: readonly Told[];
}

/** The walk that saw a loss, and the slice; null for a record that came from another slice, or was seen by id. */
function whereSeen(
  evidence: Evidence,
  { feed, id, event, events }: ToldEvent,
): Pick<ToldLoss, 'walk' | 'slice'> | null {
  const { served, walks } = evidence.history.journal;
  const answer = served[feed].get(id)?.find(({ receivedAt }) => receivedAt === event.by);
  const walk = walks[answer?.walk ?? -1];
  const slice = answer === undefined ? null : evidence.slice(feed, id, answer.version);
  const hasMoved = events.some(({ by, data }) => by === event.by && isAbout(data.changed, 'date'));
  return walk === undefined || slice === null || hasMoved ? null : { walk, slice };
}

function isAbout(changed: unknown, field: string): boolean {
  return Array.isArray(changed) && changed.includes(field);
}

/** Whether they are more than the config allows, of all records that ever were on the slice. */
function isMassive(evidence: Evidence, { feed, slice, walk, ids }: ToldLoss): boolean {
  const { share, records } = evidence.history.settings.guards.vanishing;
  if (ids.size < records) return false;
  const until = evidence.endOfWalk(walk.number);
  let known = 0;
  for (const [id, { versions }] of evidence.history.world.truth[feed]) {
    const was = versions.some(
      ({ at }, version) => at <= until && evidence.slice(feed, id, version) === slice,
    );
    if (was) known += 1;
  }
  return ids.size > share * known;
}

/** Whether an earlier scan had shown one of the losses, be it by id where its list left the record out. */
function wasSeenBefore(evidence: Evidence, { feed, slice, field, walk, ids }: ToldLoss): boolean {
  const { served } = evidence.history.journal;
  return evidence.walks.some((earlier) => {
    if (earlier.feed !== feed || !covers(earlier, slice)) return false;
    if (beginOf(earlier) > beginOf(walk) - MIN_APART_MS) return false;
    const isById = ({ walk: number, poll, receivedAt }: Served) =>
      number === null &&
      poll === earlier.poll &&
      earlier.endedAt <= receivedAt &&
      receivedAt <= beginOf(walk);
    return [...ids].some((id) => {
      const seen = earlier.records.get(id) ?? served[feed].get(id)?.find(isById);
      const watched = seen === undefined ? null : evidence.watched(feed, id, seen.version);
      return watched !== null && sliceOf(feed, watched) === slice && watched[field] === null;
    });
  });
}

/** Where the source throttles, a walk waits before it asks. */
function beginOf({ askedAt, startedAt }: Walk): number {
  return askedAt ?? startedAt;
}
