import type { FeedName } from '#shared/core/feeds.ts';
import type { Walk } from '../journal.ts';
import { covers, type Evidence, isCertain } from './evidence.ts';
import { FACTS, saysGone, sliceOf, type Watched, watchedOf } from './reading.ts';
import { rememberByHistory } from './remember.ts';

/** Scans before the one that shows a loss that may be the last that became known. */
const SCANS_BEFORE = 4;

/** A slice during a time. */
interface Stretch {
  readonly slice: string;
  readonly from: number;
  readonly to: number;
  /** The scan that shows a loss: what was committed before it began, its poll knew. */
  readonly scan: Walk;
}

/**
 * Whether so many records of a slice lost the same fact since the scan before the complete one among some walks that a
 * second scan must confirm it.
 */
export function isMassChange(
  evidence: Evidence,
  feed: FeedName,
  {
    slices,
    covering,
    endedAt,
  }: { readonly slices: readonly string[]; readonly covering: readonly Walk[]; readonly endedAt: number },
): boolean {
  const first = covering.find(({ complete }) => complete);
  if (first === undefined) return false;
  const { records: least } = evidence.history.settings.guards.vanishing;
  return slices.some((slice) => {
    if (listIdsOf(evidence, feed, slice).length < least) return false;
    const key = `${feed} ${slice} ${first.number} ${endedAt}`;
    return remember(evidence, key, () => hasMassLossBetween(evidence, feed, { slice, first, endedAt }));
  });
}

/** Which of the scans before became known, and how far, does not show from outside. */
function hasMassLossBetween(
  evidence: Evidence,
  feed: FeedName,
  { slice, first, endedAt }: { readonly slice: string; readonly first: Walk; readonly endedAt: number },
): boolean {
  const before = evidence.walksOf[feed].filter(
    (walk) => walk.number < first.number && covers(walk, slice) && isCertain(evidence.poll(walk.poll)),
  );
  const starts = before.length === 0 ? [0] : before.slice(-SCANS_BEFORE).map(({ beganAt }) => beganAt);
  return starts.some((from) => {
    const stretch: Stretch = { slice, from, to: endedAt, scan: first };
    return remember(evidence, `${feed} ${slice} from ${from} ${first.number} ${endedAt}`, () =>
      hasMassLoss(evidence, feed, stretch),
    );
  });
}

/** The answer is the same for every record of a slice. */
const remember = rememberByHistory<boolean>();

/**
 * Whether so many records of a slice may have lost the same fact at once that their events are held: at least the
 * number and more than the share that the config sets. What the engine knew between two scans does not show from
 * outside, so every record that lost the fact in that time counts.
 */
function hasMassLoss(evidence: Evidence, feed: FeedName, stretch: Stretch): boolean {
  const { share, records: least } = evidence.history.settings.guards.vanishing;
  const losses = new Map<string, number>();
  let known = 0;
  for (const id of listIdsOf(evidence, feed, stretch.slice)) {
    const lost = lostBy(evidence, { feed, id }, stretch);
    if (lost === null) continue;
    const isKnown = !isNewcomer(evidence, { feed, id }, stretch) && !hasLeft(evidence, { feed, id }, stretch);
    if (isKnown) known += 1;
    for (const field of lost) losses.set(field, (losses.get(field) ?? 0) + 1);
  }
  return [...losses.values()].some((count) => count >= least && count > share * known);
}

const idsOf = rememberByHistory<readonly string[]>();

/** The records that were on a slice at some time: few of all. */
function listIdsOf(evidence: Evidence, feed: FeedName, slice: string): readonly string[] {
  return idsOf(evidence, `${feed} ${slice}`, () =>
    [...evidence.history.world.truth[feed].values()]
      .filter(({ versions }) =>
        versions.some(({ record }) => record !== null && sliceOf(feed, watchedOf(feed, record)) === slice),
      )
      .map(({ id }) => id),
  );
}

interface RecordKey {
  readonly feed: FeedName;
  readonly id: string;
}

/**
 * Whether a record came to a slice after its first scan, or no poll before this one got it: such a record may not count
 * as known yet.
 */
function isNewcomer(evidence: Evidence, { feed, id }: RecordKey, { slice, from, scan }: Stretch): boolean {
  if (from === 0) return false;
  const record = evidence.history.world.truth[feed].get(id);
  const there = evidence.slice(feed, id, record?.indexAt(from) ?? -1);
  return there !== slice || firstShownIn(evidence, { feed, id }) >= scan.poll;
}

/** The first poll of its feed that got a record, good enough for a row. Infinity when lists left it out all the time. */
function firstShownIn(evidence: Evidence, { feed, id }: RecordKey): number {
  const answers = evidence.history.journal.served[feed].get(id) ?? [];
  const good = answers.filter(({ poll, shape }) => shape === 'good' && evidence.poll(poll)?.feed === feed);
  return Math.min(...good.map(({ poll }) => poll));
}

/** Whether events that were committed before the scan removed a record from the slice, or moved it to another one. */
function hasLeft(evidence: Evidence, { feed, id }: RecordKey, { slice, scan }: Stretch): boolean {
  const last = evidence.told[feed].get(id)?.findLast((told) => evidence.committedAt(told) < scan.beganAt);
  if (last === undefined) return false;
  return saysGone(last.type) || sliceOf(feed, last.data.current as Watched) !== slice;
}

/**
 * The facts that a record lost since it was on a slice, wherever it lost them: the slice that knows it counts them. Null
 * when it was not there, or no poll got it so far: nobody can lose what he does not know.
 */
function lostBy(
  evidence: Evidence,
  { feed, id }: RecordKey,
  { slice, from, to, scan }: Stretch,
): Set<string> | null {
  if (firstShownIn(evidence, { feed, id }) > scan.poll) return null;
  const record = evidence.history.world.truth[feed].get(id);
  const first = Math.max(0, record?.indexAt(from) ?? 0);
  const last = record?.indexAt(to) ?? -1;
  const lost = new Set<string>();
  // A record that was removed and came back between two scans lost what it had before.
  const had = new Set<string>();
  let wasThere = false;
  for (let version = first - 1; version <= last; version += 1) {
    const now = evidence.watched(feed, id, version);
    const isThere = version >= first && now !== null && sliceOf(feed, now) === slice;
    wasThere ||= isThere;
    for (const { field } of FACTS[feed]) {
      if (now?.[field] != null) had.add(field);
      else if (now !== null && wasThere && had.has(field)) lost.add(field);
    }
  }
  return wasThere ? lost : null;
}
