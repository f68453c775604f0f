import type { PollEntry, Served } from '../journal.ts';
import { MAX_POLL_MS } from '../schedule.ts';
import { covers, type Evidence, type Told } from './evidence.ts';
import { sliceOf, textOf } from './reading.ts';
import type { Known, RecordStory } from './story.ts';

/** A published step of a record: what was known, what was seen, and its events. */
interface Step {
  readonly before: Known;
  readonly after: Known;
  readonly group: readonly Told[];
}

/**
 * Events follow the order of the changes, each between its two times of observation (rule 10 of
 * docs/architecture.md).
 */
export function judgeTimes(evidence: Evidence, story: RecordStory, { before, after, group }: Step): void {
  if (evidence.isUncertain) return;
  const about = `${story.feed} ${story.id}`;
  const [first] = group;
  if (first === undefined) return;
  if (after.version <= before.version)
    evidence.violate(
      about,
      `${first.sequence} ${first.type} goes back from version ${before.version} to ${after.version}`,
      'time',
    );
  const moment =
    before.watched === null
      ? arrivedAt(evidence, story, after)
      : leftAt(evidence, story, { before, after, group });
  if (moment > first.by) evidence.violate(about, `${first.type} was seen before it happened`, 'time');
  if (first.after === null) {
    if (before.watched !== null)
      evidence.violate(about, `${first.type} does not say when the old state was seen`, 'time');
  } else if (first.after > moment && !wasMissed(evidence, story, { first, before, after })) {
    evidence.violate(
      about,
      `${first.sequence} ${first.type} says the old state was seen at ${first.after}, ${first.after - moment} ms after it had changed`,
      'time',
    );
  }
  const look = lastCertainLook(evidence, story, { before, after, group });
  // first-looks.ts checks records without an earlier scan.
  const isFirstLook = before.watched === null && first.after === null;
  if (look !== null && !isFirstLook && (first.after === null || first.after < look))
    evidence.violate(about, `${first.sequence} ${first.type} forgets the look at ${look}`, 'time');
}

/**
 * The start of a scan by the poll just before that certainly saw the old state: that poll ran alone and completed its
 * plan, and the next one found the change.
 */
function lastCertainLook(
  evidence: Evidence,
  { feed, id }: RecordStory,
  { before, after }: Step,
): number | null {
  const known = before.watched ?? after.watched;
  const previous = pollBefore(evidence, after.poll);
  if (known === null || previous === null) return null;
  const slice = sliceOf(feed, known);
  const walk = evidence.walksOf[feed].findLast(
    (each) => each.poll === previous.number && covers(each, slice),
  );
  if (walk === undefined) return null;
  // With an unreadable record it is not a scan of the whole slice, nor with a closing that is held back.
  if ((previous.report?.heldClosings ?? 0) > 0) return null;
  if ([...walk.records.values()].some(({ shape }) => shape !== 'good')) return null;
  const seen = walk.records.get(id);
  if (before.watched === null) return seen === undefined ? walk.startedAt : null;
  const watched = seen?.shape === 'good' ? evidence.watched(feed, id, seen.version) : null;
  return watched !== null && textOf(watched) === textOf(before.watched) ? walk.startedAt : null;
}

/** The poll before another one, if it ran alone and completed its plan. */
function pollBefore({ history }: Evidence, number: number): PollEntry | null {
  const { polls } = history.journal;
  const poll = polls.find((each) => each.number === number);
  if (poll === undefined) return null;
  const earlier = polls.filter(
    (each) => each.feed === poll.feed && each.startedAt < poll.startedAt && !isSkipped(each),
  );
  const last = earlier.at(-1);
  if (last?.report?.outcome !== 'complete' || last.endedAt === null || last.endedAt >= poll.startedAt)
    return null;
  const isOver = (each: PollEntry) => (each.endedAt ?? each.startedAt + MAX_POLL_MS) < last.startedAt;
  return earlier.slice(0, -1).every(isOver) ? last : null;
}

function isSkipped({ report }: PollEntry): boolean {
  return report?.outcome === 'skipped';
}

/** When a record came to the slice where it was found. */
function arrivedAt(evidence: Evidence, { feed, id }: RecordStory, { version }: Known): number {
  const slice = evidence.slice(feed, id, version);
  let first = version;
  while (first > 0 && evidence.slice(feed, id, first - 1) === slice) first -= 1;
  return evidence.history.world.truth[feed].get(id)?.versions[first]?.at ?? 0;
}

/** When a record last changed from its known state. */
function leftAt(evidence: Evidence, { feed, id }: RecordStory, { before, after }: Step): number {
  const record = evidence.history.world.truth[feed].get(id);
  const text = before.watched === null ? '' : textOf(before.watched);
  let last = after.version - 1;
  for (; last > before.version; last -= 1) {
    const watched = evidence.watched(feed, id, last);
    if (watched !== null && textOf(watched) === text) break;
  }
  return record?.endOf(last) ?? 0;
}

/**
 * A complete list may have missed the record: it moved unnoticeably, or hid the id. A record that was unreadable before
 * such a list counts as gone from then on. An event of it as new may say any instant before that list.
 */
function wasMissed(
  evidence: Evidence,
  { feed, id }: RecordStory,
  { first, before, after }: { readonly first: Told; readonly before: Known; readonly after: Known },
): boolean {
  const slice = after.watched === null ? '' : sliceOf(feed, after.watched);
  const { after: looked } = first;
  const until = before.watched === null ? first.by : looked;
  return evidence.walksOf[feed].some(
    // A request may have waited for the limiter since the walk began.
    (walk) =>
      looked !== null &&
      until !== null &&
      covers(walk, slice) &&
      walk.startedAt <= until &&
      looked <= walk.endedAt &&
      isHidden(walk.records.get(id)),
  );
}

function isHidden(seen: Served | undefined): boolean {
  return seen === undefined || seen.shape === 'unplaced';
}
