import type { FeedName } from '#shared/core/feeds.ts';
import type { PollEntry, Walk } from '../journal.ts';
import { lasts, type RecordSpell, type TopicSpell } from '../spells.ts';
import { isAble, judgeSkips, ranOutOfTime } from './able-polls.ts';
import { backoffMs, CADENCES_MS, classOf } from './cadence.ts';
import { covers, type Evidence } from './evidence.ts';
import { isCertainly } from './first-looks.ts';
import { FACTS, sliceOf, textOf, type Watched } from './reading.ts';
import type { RecordStory } from './story.ts';

/** A poll as far as liveness is concerned. */
interface Chance {
  readonly poll: PollEntry;
  readonly able: boolean;
  /** Its walks, whole or not. */
  readonly walks: readonly Walk[];
  /** Requests with which the whole window could have been looked at then, several times over. */
  readonly roundRequests: number;
}

/** A version of a record that is owed to subscribers: since when, and on which slices it shows. */
interface Debt {
  readonly story: RecordStory;
  readonly version: number;
  readonly since: number;
  readonly slices: readonly string[];
}

/** Polls that were as busy as they could be must have made this many times the requests of a round before all is late. */
const ROUNDS_OF_REQUESTS = 3;

/**
 * Nothing comes late: each change is told by the end of the first able poll that begins when the cadence of its date
 * is over, counted from the change; later by what went wrong with this date, this record or this topic, and by
 * nothing that went wrong elsewhere (rules 13 and 14).
 */
export function judgeLiveness(evidence: Evidence, stories: readonly RecordStory[]): void {
  judgeSkips(evidence);
  const chances = {
    timesheets: chancesOf(evidence, 'timesheets'),
    'pay-periods': chancesOf(evidence, 'pay-periods'),
  };
  for (const story of stories) judgeStory(evidence, story, chances[story.feed]);
}

function chancesOf(evidence: Evidence, feed: FeedName): Chance[] {
  const { journal, world } = evidence.history;
  const walks = Map.groupBy(journal.walks, ({ poll }) => poll);
  return journal.polls
    .filter((poll) => poll.feed === feed)
    .map((poll) => ({
      poll,
      able: isAble(evidence, poll),
      walks: walks.get(poll.number) ?? [],
      roundRequests: requestsOfRound(evidence, feed, world.truth[feed].size),
    }));
}

/** A page for each date and for each full page of records, and a question for each record. */
function requestsOfRound(evidence: Evidence, feed: FeedName, records: number): number {
  const { pageSize, connection, rosterSize } = evidence.history.settings;
  const dates = feed === 'timesheets' ? connection.window.backDays + connection.window.forwardDays + 1 : 1;
  return dates + Math.ceil(records / pageSize) + rosterSize;
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

/** The slice of a version, and those where subscribers may know the record from before. */
function slicesOf(evidence: Evidence, { feed, id, chapters, bases }: RecordStory, version: number): string[] {
  const slices = new Set<string>();
  for (const each of [version, version - 1]) {
    const slice = evidence.slice(feed, id, each);
    if (slice !== null) slices.add(slice);
  }
  for (const { watched } of [...bases, ...chapters]) if (watched !== null) slices.add(sliceOf(feed, watched));
  return [...slices];
}

/** The poll by whose end a version must have been told; null when nothing was owed before all ended. */
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

/** A record that went to another slice is owed from then on, as of that slice. */
function hasMovedOn(evidence: Evidence, { story, version, slices }: Debt, poll: PollEntry): boolean {
  const { feed, id } = story;
  const last = evidence.history.world.truth[feed].get(id)?.indexAt(poll.endedAt ?? poll.deadline) ?? -1;
  for (let later = version + 1; later <= last; later += 1) {
    const slice = evidence.slice(feed, id, later);
    if (slice !== null && !slices.includes(slice)) return true;
  }
  return false;
}

/** What delays one debt, taken poll by poll. */
class Excuses {
  readonly #evidence: Evidence;
  readonly #debt: Debt;
  /** Not before this, whatever the cadence. */
  #notBefore = 0;
  #failures = 0;
  #requestsInVain = 0;

  constructor(evidence: Evidence, debt: Debt) {
    this.#evidence = evidence;
    this.#debt = debt;
  }

  /** What failed before anything was owed counts: it is tried ever more rarely. */
  noteEarlier(chance: Chance): void {
    this.#look(chance, this.#cadenceAt(chance.poll.startedAt));
  }

  /** Whether a poll has no excuse: what is owed must be told by its end. */
  take(chance: Chance): boolean {
    const { poll } = chance;
    const cadence = this.#cadenceAt(poll.startedAt);
    const due = Math.max(this.#debt.since + cadence, this.#notBefore);
    const seen = this.#look(chance, cadence);
    if (!chance.able || !seen || poll.startedAt < due) return false;
    if (!this.#isWatched(poll, cadence) || this.#isRefused(poll) || this.#isHeld(poll)) return false;
    if (!ranOutOfTime(poll)) return true;
    this.#requestsInVain += poll.requests;
    return this.#requestsInVain > ROUNDS_OF_REQUESTS * chance.roundRequests;
  }

  #cadenceAt(at: number): number {
    const { story, slices } = this.#debt;
    if (story.feed === 'pay-periods') return CADENCES_MS.hot;
    return Math.max(
      ...slices.map((date) => {
        const active = isUnsettled(story, date, Math.min(this.#debt.since, at));
        const now = classOf(this.#evidence, date, { at, active });
        const before = classOf(this.#evidence, date, { at: this.#debt.since, active });
        return Math.max(CADENCES_MS[now], CADENCES_MS[before]);
      }),
    );
  }

  /** Takes what the walks of a poll saw of the slices; false when they, or questions, failed on purpose. */
  #look({ poll, walks }: Chance, cadence: number): boolean {
    const { slices, story } = this.#debt;
    const covering = walks.filter((walk) => slices.some((slice) => covers(walk, slice)));
    const endedAt = poll.endedAt ?? poll.deadline;
    const last = slices.flatMap((slice) => walks.findLast((walk) => covers(walk, slice)) ?? []);
    const unanswered = this.#evidence.history.journal.unanswered[story.feed];
    const inVain = unanswered.some((each) => each.poll === poll.number && each.id === story.id);
    const failed = covering.some(({ failedOn }) => failedOn !== null && slices.includes(failedOn));
    if (last.some(({ spoilt }) => spoilt) || failed || inVain) {
      this.#failures += 1;
      // What seemed whole, or left only a question open, counts as a look.
      const isLook = inVain || covering.some(({ complete }) => complete);
      const wait = Math.max(backoffMs(this.#failures), isLook ? cadence : 0);
      this.#notBefore = Math.max(this.#notBefore, endedAt + wait);
      return false;
    }
    if (last.length > 0 && last.every(({ complete }) => complete)) this.#failures = 0;
    // Where the source failed after a whole list, absent records were not asked for, and the look counts all the same.
    const wasCut = poll.troubles.has('source');
    const mistaken = covering.findLast((walk) => (wasCut && walk.complete) || this.#isMistaken(walk));
    if (mistaken !== undefined) this.#notBefore = Math.max(this.#notBefore, mistaken.beganAt + cadence);
    return !this.#isHidden(poll, endedAt, cadence) && mistaken === undefined;
  }

  /** A walk that seemed whole, and by fault of the source did not show the version, or not in a good shape. */
  #isMistaken(walk: Walk): boolean {
    const { story, version } = this.#debt;
    if (walk.beganAt <= this.#debt.since) return true;
    const seen = walk.records.get(story.id);
    if (seen !== undefined) return seen.version < version || seen.shape !== 'good' || this.#wasUntold(walk);
    const slice = this.#evidence.slice(story.feed, story.id, version);
    return walk.complete && slice !== null && covers(walk, slice);
  }

  /** A first look at a date that time brought in withholds what happened; the next one tells it (rule 5). */
  #wasUntold({ number }: Walk): boolean {
    return this.#debt.story.sights.some(({ sights }) =>
      sights.some(({ walk, manner }) => walk === number && (manner === 'untold' || manner === 'either')),
    );
  }

  /** Lists leave the record out, or it cannot be had by id: then for another cadence after that. */
  #isHidden({ startedAt }: PollEntry, endedAt: number, cadence: number): boolean {
    const { story } = this.#debt;
    const spells = this.#evidence.history.spells.records.filter(({ id }) => id === story.id);
    const hides = (spell: RecordSpell) =>
      story.feed === 'timesheets' && (lasts(spell, startedAt) || lasts(spell, endedAt));
    const spell = spells.find(hides);
    if (spell === undefined) return false;
    this.#notBefore = Math.max(this.#notBefore, spell.to + backoffMs(10) + cadence);
    return true;
  }

  /** Whether one of the slices stood in the window for as long as its cadence. */
  #isWatched({ startedAt }: PollEntry, cadence: number): boolean {
    const { story, slices } = this.#debt;
    return slices.every(
      (slice) =>
        this.#evidence.inWindow(story.feed, slice, startedAt) &&
        this.#evidence.inWindow(story.feed, slice, startedAt - cadence),
    );
  }

  /** Its topic refuses: of timesheets, clockings have a topic of their own. */
  #isRefused({ startedAt, endedAt, deadline }: PollEntry): boolean {
    const { story } = this.#debt;
    const refuses = (spell: TopicSpell) => lasts(spell, startedAt) || lasts(spell, endedAt ?? deadline);
    return this.#evidence.history.spells.topics.some((spell) => {
      if (!refuses(spell)) return false;
      if (spell.topic === 'clockings') return hasClocking(this.#evidence, story, spell.from);
      return spell.topic === story.feed;
    });
  }

  /** So much of its slice vanished at once that it is held: for as long as the config says, and another cadence. */
  #isHeld({ startedAt, endedAt }: PollEntry): boolean {
    const { story, slices } = this.#debt;
    const { minutes } = this.#evidence.history.settings.connection.vanishing;
    const cadence = this.#cadenceAt(startedAt);
    return this.#evidence.shrinkings.some(
      ({ feed, slice, at }) =>
        feed === story.feed &&
        slices.includes(slice) &&
        at <= (endedAt ?? startedAt) &&
        startedAt < at + minutes * 60_000 + 2 * cadence,
    );
  }
}

/** Whether subscribers knew the record by the end of a poll as it was in this version or later. */
function isTold(evidence: Evidence, { story, version }: Debt, poll: PollEntry): boolean {
  const { feed, id, chapters, bases, withheld } = story;
  const by = poll.endedAt ?? poll.startedAt;
  const told = chapters.findLast(({ toldAt }) => toldAt <= by);
  const known = told === undefined ? [...bases, ...withheld].filter(({ toldAt }) => toldAt <= by) : [told];
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

/** Whether the record itself, as it was known then on this date, was still expected to be processed. */
function isUnsettled({ chapters, bases, sights }: RecordStory, date: string, at: number): boolean {
  const told = chapters.findLast(({ toldAt }) => toldAt <= at);
  if (told === undefined && !sights.some((each) => isCertainly(each, 'silent'))) return false;
  const known = told === undefined ? bases.filter(({ toldAt }) => toldAt <= at) : [told];
  return (
    known.length > 0 &&
    known.every(({ watched }) => watched !== null && watched.date === date && watched.processed === null)
  );
}

/** Whether anything was clocked, corrected or taken back since a topic began to refuse, or stood to be told then. */
function hasClocking(evidence: Evidence, { feed, id }: RecordStory, since: number): boolean {
  const record = evidence.history.world.truth[feed].get(id);
  const clocks = FACTS[feed].filter(({ off }) => off.includes('clock')).map(({ field }) => field);
  const last = (record?.versions.length ?? 0) - 1;
  for (let version = Math.max(0, (record?.indexAt(since) ?? 0) - 3); version <= last; version += 1) {
    const [now, before] = [evidence.watched(feed, id, version), evidence.watched(feed, id, version - 1)];
    if (
      clocks.some((field) => JSON.stringify(now?.[field] ?? null) !== JSON.stringify(before?.[field] ?? null))
    )
      return true;
  }
  return false;
}
