import { isDeepStrictEqual } from 'node:util';
import type { FeedName } from '#shared/core/feeds.ts';
import {
  type ChangeGroup,
  groupsOf,
  isCutShort,
  mismatchOf,
  type Standing,
  standingAfter,
} from './change-group.ts';
import { covers, type Evidence, type Told } from './evidence.ts';
import {
  type FirstLooks,
  type FirstSight,
  isCertainly,
  isPossibly,
  mayBe,
  type SliceSights,
  sightsUntil,
} from './first-looks.ts';
import { forgottenFrom, standingsAfter } from './forgotten.ts';
import { judgeTimes } from './honest-time.ts';
import { isOfMoment } from './readiness-news.ts';
import { saysGone, saysNew, sliceOf, type Watched, withoutFacts } from './reading.ts';
import type { Known, RecordStory } from './story.ts';

/** Folds the events of a record by sequence and compares each step with what the source served. */
export function tellStory(
  evidence: Evidence,
  looks: FirstLooks,
  { feed, id }: { feed: FeedName; id: string },
): RecordStory {
  // readiness-news.ts judges what time alone makes.
  const events = (evidence.told[feed].get(id) ?? []).filter(({ type }) => !isOfMoment(type));
  const sights = looks.of(feed, id);
  const silent = sights.flatMap((each) => each.sights).filter((sight) => isPossibly(sight, 'silent'));
  const bases = silent.map(({ version, walk }): Known => {
    const watched = evidence.watched(feed, id, version);
    const toldAt = evidence.endOfWalk(walk);
    return { since: Number.NEGATIVE_INFINITY, version, toldAt, watched, poll: -1 };
  });
  const withheld = sights
    .flatMap((each) => each.sights)
    .flatMap((sight) => withheldAt(evidence, { feed, id }, sight));
  const chapters: Known[] = [];
  const story: RecordStory = { feed, id, sights, bases, withheld, chapters };
  let standing: Standing = new Map();
  for (const group of groupsOf(events)) {
    const after = seenAs(evidence, story, group);
    if (after === null) return story;
    const told = judgeGroup(evidence, story, { group, after, standing });
    if (told === null) return story;
    standing = standingAfter(told, standing);
    const toldAt = Math.max(...group.map(({ at }) => at));
    chapters.push({ ...after, toldAt, ...(after.watched === null ? { buried: told.before } : {}) });
  }
  return story;
}

/** The answer of the source at the time of a group of events: a record, or a 404 (rule 6 of docs/architecture.md). */
function seenAs(
  evidence: Evidence,
  { feed, id, chapters }: RecordStory,
  group: readonly Told[],
): Known | null {
  const [first] = group;
  if (first === undefined) return null;
  const { journal } = evidence.history;
  if (saysGone(first.type)) {
    const gone = journal.gone[feed].get(id)?.find(({ receivedAt }) => receivedAt === first.by);
    if (gone !== undefined)
      return { since: first.by, version: gone.version, toldAt: first.at, watched: null, poll: gone.poll };
    evidence.violate(`${feed} ${id}`, `${first.sequence} ${first.type} without a 404 at its time`);
    return null;
  }
  const served = journal.served[feed].get(id) ?? [];
  const answers = served.filter((each) => each.receivedAt === first.by && each.shape === 'good');
  // Skewed clocks may give two polls the same instant: the later event belongs to the later answer.
  const last = chapters.at(-1)?.version ?? -1;
  const later = answers.filter(({ version }) => version > last);
  const seen =
    later.find(({ version }) => isShown(group, evidence.watched(feed, id, version))) ??
    later[0] ??
    answers[0];
  if (seen !== undefined) {
    const { version, poll } = seen;
    return { since: first.by, version, toldAt: first.at, watched: evidence.watched(feed, id, version), poll };
  }
  evidence.violate(`${feed} ${id}`, `${first.sequence} ${first.type} at a time when it was not served`);
  return null;
}

/** Whether a state is the one that the last of these events shows. */
function isShown(group: readonly Told[], watched: Watched | null): boolean {
  const current = Object.entries(group.at(-1)?.data.current ?? {});
  return current.every(([name, value]) => isDeepStrictEqual(value, watched?.[name]));
}

interface Judged {
  readonly group: readonly Told[];
  readonly after: Known;
  readonly standing: Standing;
}

/** Finds the state from which a group leads to what was seen; null when there is none. */
function judgeGroup(evidence: Evidence, story: RecordStory, judged: Judged): ChangeGroup | null {
  const { group, after, standing } = judged;
  const { feed, id, chapters } = story;
  const isNew = group[0] !== undefined && saysNew(group[0].type);
  const last = chapters.at(-1);
  const unknown: Known = { since: 0, version: last?.version ?? -1, toldAt: 0, watched: null, poll: -1 };
  const possible =
    last !== undefined ? beginningsAfter(evidence, story, { last, after }) : isNew ? [unknown] : story.bases;
  let mismatch = 'it was never known before';
  let cutShort = false;
  // Names are not shown: of several states that fit, the one that was seen last was stored.
  for (const before of feed === 'departments' ? possible.toReversed() : possible) {
    const change: ChangeGroup = {
      feed,
      record: id,
      before: before.watched,
      after: after.watched,
      buried: before.buried ?? null,
      events: group,
      poll: after.poll,
    };
    const wrong = mismatchOf(change, standing, evidence);
    if (wrong === null) {
      judgeTimes(evidence, story, { before, after, group });
      if (isNew) judgeArrival(evidence, story, { after, group });
      return change;
    }
    mismatch = wrong;
    cutShort ||= isCutShort(change);
  }
  evidence.violate(`${feed} ${id}`, mismatch, cutShort ? 'lost' : 'protocol');
  return null;
}

/** As what a record may stand before a change. What it was removed as is forgotten in the end. */
function beginningsAfter(
  evidence: Evidence,
  story: RecordStory,
  { last, after }: { readonly last: Known; readonly after: Known },
): readonly Known[] {
  const possible = standingsAfter(evidence, story, last);
  const isForgotten = last.watched === null && after.since >= forgottenFrom(evidence, last.since);
  return isForgotten ? [...possible, { ...last, buried: null }] : possible;
}

/**
 * `created` is for records that an earlier scan of their slice did not have, or for facts on dates that entered the
 * window (rule 5 of docs/architecture.md).
 */
function judgeArrival(
  evidence: Evidence,
  { feed, id, sights, chapters }: RecordStory,
  { after, group }: { readonly after: Known; readonly group: readonly Told[] },
): void {
  const [first] = group;
  if (chapters.length > 0 || first === undefined) return;
  const about = `${feed} ${id}`;
  const before = sightsUntil(sights, evidence.lastWalkOf(after.poll, first.by));
  // A look that shows a later version came after the one that found the record new on another slice.
  const isEarlier = ({ version }: FirstSight) => version <= after.version;
  // A record whose facts another date still withheld is published on the date to which it moved.
  const isWithheldElsewhere = ({ slice }: SliceSights) =>
    before.some((each) => each.slice !== slice && mayBe(each, 'untold'));
  const adopted = before.find(
    (each) => isCertainly(each, 'silent') && each.sights.every(isEarlier) && !isWithheldElsewhere(each),
  );
  if (adopted !== undefined)
    evidence.violate(about, `created, though the first look at ${adopted.slice} took it over silently`);
  if (first.after !== null) {
    if (before.some((each) => isCertainly(each, 'untold')))
      evidence.violate(about, 'created with a moment of not being there, though nobody had looked before');
    return;
  }
  const { watched } = after;
  const slice = watched === null ? null : sliceOf(feed, watched);
  const hadFacts = before.some((each) => mayBe(each, 'untold'));
  if (!hadFacts && !before.some(({ flawed }) => flawed) && wasLookedAt(evidence, feed, { slice, after }))
    evidence.violate(
      about,
      'created as if nobody had looked before, without anything that had happened to it',
    );
}

/** Whether a complete poll had scanned the slice before the one that saw the record. */
function wasLookedAt(
  evidence: Evidence,
  feed: FeedName,
  { slice, after }: { readonly slice: string | null; readonly after: Known },
): boolean {
  // The scan of a date is forgotten while another window or a wrong clock excludes it.
  const { settings, faults } = evidence.history;
  if (settings.redeployed !== null || faults.has('clock_a_day_off')) return false;
  const before = evidence.poll(after.poll)?.startedAt ?? 0;
  return evidence.walksOf[feed].some((walk) => {
    const poll = evidence.poll(walk.poll);
    const isOver = poll?.report?.outcome === 'complete' && (poll.endedAt ?? before) < before;
    return isOver && slice !== null && covers(walk, slice);
  });
}

function withheldAt(
  evidence: Evidence,
  { feed, id }: { readonly feed: FeedName; readonly id: string },
  sight: FirstSight,
): Known[] {
  const seen = isPossibly(sight, 'untold') ? evidence.watched(feed, id, sight.version) : null;
  if (seen === null) return [];
  const watched = withoutFacts(feed, seen);
  const toldAt = evidence.endOfWalk(sight.walk);
  return [{ since: Number.NEGATIVE_INFINITY, version: sight.version, toldAt, watched, poll: -1 }];
}

/** Slices whose baseline certainly includes a record. */
export function silentlyKnown({ sights }: RecordStory): readonly SliceSights[] {
  return sights.filter((each) => isCertainly(each, 'silent'));
}
