import type { FeedName } from '#shared/core/feeds.ts';
import type { PollEntry } from '../journal.ts';
import { perFeed } from '../world/truth.ts';
import { isAble, judgeSkips } from './able-polls.ts';
import type { Evidence } from './evidence.ts';
import { type Chance, type Debt, Excuses } from './excuses.ts';
import { isCertainly } from './first-looks.ts';
import { standingsAfter } from './forgotten.ts';
import { sliceOf, textOf, type Watched } from './reading.ts';
import type { RecordStory } from './story.ts';

/**
 * Nothing comes late: each change is told by the end of the first able poll that begins when the cadence of its date
 * is over, counted from the change; later by what went wrong with this date, this record or this topic, and by
 * nothing that went wrong elsewhere (rules 13 and 14).
 */
export function judgeLiveness(evidence: Evidence, stories: readonly RecordStory[]): void {
  judgeSkips(evidence);
  const chances = perFeed((feed) => chancesOf(evidence, feed));
  for (const story of stories) judgeStory(evidence, story, chances[story.feed]);
}

function chancesOf(evidence: Evidence, feed: FeedName): Chance[] {
  const { journal, world } = evidence.history;
  const walks = Map.groupBy(evidence.walks, ({ poll }) => poll);
  return journal.polls
    .filter((poll) => poll.feed === feed)
    .map((poll) => ({
      poll,
      able: isAble(evidence, poll),
      walks: walks.get(poll.number) ?? [],
      roundRequests: requestsOfRound(evidence, feed, world.truth[feed].size),
      dates: listDates(evidence, feed),
    }));
}

/** A page for each date and each full page of records, and a request by id for each record. */
function requestsOfRound(evidence: Evidence, feed: FeedName, records: number): number {
  const { pageSize, rosterSize } = evidence.history.settings;
  return listDates(evidence, feed) + Math.ceil(records / pageSize) + rosterSize;
}

function listDates({ history }: Evidence, feed: FeedName): number {
  const { backDays, forwardDays } = history.settings.connection.window;
  return feed === 'timesheets' ? backDays + forwardDays + 1 : 1;
}

function judgeStory(evidence: Evidence, story: RecordStory, chances: readonly Chance[]): void {
  const record = evidence.history.world.truth[story.feed].get(story.id);
  for (const [version, { at }] of (record?.versions ?? []).entries()) {
    const slices = slicesOf(evidence, story, version);
    const debt: Debt = { story, version, since: at, slices };
    const chance = firstDue(evidence, debt, chances);
    if (chance === null || isTold(evidence, debt, chance.poll)) continue;
    evidence.violate(
      `${story.feed} ${story.id}`,
      `late: version ${version} of ${slices.join(' and ')} was not told by the end of poll ${chance.poll.number}`,
      'late',
    );
    return;
  }
}

/** The slice of a version, and those where subscribers may still know the record. */
function slicesOf(evidence: Evidence, { feed, id, chapters, bases }: RecordStory, version: number): string[] {
  const slices = new Set<string>();
  for (const each of [version, version - 1]) {
    const slice = evidence.slice(feed, id, each);
    if (slice !== null) slices.add(slice);
  }
  for (const { watched } of [...bases, ...chapters]) if (watched !== null) slices.add(sliceOf(feed, watched));
  return [...slices];
}

/** The poll by whose end a version must be published; null when it is not due before the end of the history. */
function firstDue(evidence: Evidence, debt: Debt, chances: readonly Chance[]): Chance | null {
  const excuses = new Excuses(evidence, debt);
  for (const chance of chances) {
    if (chance.poll.startedAt <= debt.since) {
      excuses.noteEarlier(chance);
      continue;
    }
    if (hasMovedOn(evidence, debt, chance.poll)) return null;
    if (excuses.take(chance)) return chance;
  }
  return null;
}

/** A record that moved is due from then on, by the cadence of its new slice. */
function hasMovedOn(evidence: Evidence, { story, version, slices }: Debt, poll: PollEntry): boolean {
  const { feed, id } = story;
  const last = evidence.history.world.truth[feed].get(id)?.indexAt(poll.endedAt ?? poll.deadline) ?? -1;
  for (let later = version + 1; later <= last; later += 1) {
    const slice = evidence.slice(feed, id, later);
    if (slice !== null && !slices.includes(slice)) return true;
  }
  return false;
}

/** Whether subscribers knew this version of the record, or a later one, by the end of a poll. */
function isTold(evidence: Evidence, { story, version }: Debt, poll: PollEntry): boolean {
  const { feed, id, chapters, bases, withheld } = story;
  const by = poll.endedAt ?? poll.startedAt;
  const told = chapters.findLast(({ toldAt }) => toldAt <= by);
  const possible = told === undefined ? [...bases, ...withheld] : standingsAfter(evidence, story, told);
  const known = possible.filter(({ toldAt }) => toldAt <= by);
  if (known.some((each) => each.version >= version)) return true;
  const isUnknown = told === undefined && !story.sights.some((each) => isCertainly(each, 'silent'));
  const standing = [...known.map(({ watched }) => watched), ...(isUnknown ? [null] : [])];
  const isThere = (watched: Watched | null): watched is Watched =>
    watched !== null && evidence.inWindow(feed, sliceOf(feed, watched), poll.startedAt);
  const last = evidence.history.world.truth[feed].get(id)?.indexAt(by) ?? -1;
  for (let later = version; later <= last; later += 1) {
    const watched = evidence.watched(feed, id, later);
    if (standing.some((each) => (isThere(watched) ? isSame(watched, each) : !isThere(each)))) return true;
  }
  return false;
}

function isSame(left: Watched, right: Watched | null): boolean {
  return right !== null && textOf(left) === textOf(right);
}
