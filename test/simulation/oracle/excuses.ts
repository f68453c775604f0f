import type { FeedName } from '#shared/core/feeds.ts';
import type { PollEntry, Walk } from '../journal.ts';
import { lasts, type RecordSpell, type TopicSpell } from '../spells.ts';
import { failedAlone, isPastPublishing, ranOutOfTime } from './able-polls.ts';
import { showedAbsence } from './absences.ts';
import { backoffMs, CADENCES_MS, classOf, MAX_BACKOFF_MS } from './cadence.ts';
import { hasClocking } from './clockings.ts';
import { covers, type Evidence } from './evidence.ts';
import { pagesOfLargest } from './list-sizes.ts';
import { isMassChange } from './mass-losses.ts';
import { closingSeenAt } from './standings.ts';
import type { RecordStory } from './story.ts';
import { isActive } from './unsettled.ts';

/** What liveness needs to know of a poll. */
export interface Chance {
  readonly poll: PollEntry;
  readonly able: boolean;
  /** Its walks, complete or not. */
  readonly walks: readonly Walk[];
  /** Requests that would have read the whole window several times. */
  readonly roundRequests: number;
  /** Dates of the window. When nothing else can be read, each poll tries one of them in turn. */
  readonly dates: number;
}

/** A version of a record that is due to subscribers: since when, and on which slices it shows. */
export interface Debt {
  readonly story: RecordStory;
  readonly version: number;
  readonly since: number;
  readonly slices: readonly string[];
}

/** Fully busy polls must have made this many times the requests of a whole round before anything is late. */
const ROUNDS_OF_REQUESTS = 3;
/** Absent records that one poll requests by id. */
const MAX_LOOK_UPS = 200;
/** Polls in a row in which a slice may change while it is read: records move between dates only so often. */
const MAX_REREAD_POLLS = 2;
/** For so long the closing of a pay period waits for looks at its dates after it was seen. */
const CLOSING_HELD_MS = 5 * 60_000;
/** So far apart are the clocks of the poll that saw it and of the one that tells it. */
const CLOCKS_APART_MS = 10_000;
/** A second scan confirms a mass change at least a minute later, and when its incomplete list is due again. */
const MASS_CHANGE_HELD_MS = 60_000;

/** What delays one version, poll by poll. */
export class Excuses {
  readonly #evidence: Evidence;
  readonly #debt: Debt;
  /** Not due before this, whatever the cadence. */
  #notBefore = 0;
  #failures = 0;
  /** Requests for the record by id that failed since a list showed it: it is requested ever more rarely. */
  #asksInVain = 0;
  #requestsInVain = 0;
  /** The last counted scan that did not show the version. */
  #lookedInVainAt = Number.NEGATIVE_INFINITY;
  #pollsInVain = 0;
  #rereads = 0;
  #closedSince: number | null = null;
  /** Instants around which a scan, or a next try, stands that a clock which was ahead noted. */
  readonly #misdatedScans: number[] = [];

  constructor(evidence: Evidence, debt: Debt) {
    this.#evidence = evidence;
    this.#debt = debt;
  }

  /** What failed before anything was owed counts: it is tried ever more rarely. */
  noteEarlier(chance: Chance): void {
    this.#look(chance);
  }

  /** Whether a poll has no excuse: it must publish the version by its end. */
  take(chance: Chance): boolean {
    const { poll } = chance;
    // What this poll sees delays the next ones.
    const notBefore = this.#notBefore;
    const lookedAt = Math.max(this.#debt.since, this.#lookedInVainAt);
    if (!this.#look(chance) || !chance.able || poll.startedAt < notBefore) return false;
    const cadence = this.#cadenceAt(poll.startedAt);
    if (poll.startedAt < lookedAt + cadence) return false;
    if (cadence > CADENCES_MS.hot && leavesOthers(poll)) return false;
    if (!this.#isWatched(poll, cadence) || this.#isRefused(poll) || this.#isHeld(poll)) return false;
    if (this.#waitsForLooks(poll)) return false;
    if (this.#misdatedScans.some((at) => Math.abs(poll.startedAt - at) <= MAX_BACKOFF_MS)) return false;
    if (this.#wasReread(chance) || hadNoRoomToAsk(poll)) return false;
    if (readNothing(chance)) {
      this.#pollsInVain += 1;
      return this.#pollsInVain > chance.dates;
    }
    const isReadWhole = (slice: string) => chance.walks.some((walk) => walk.complete && covers(walk, slice));
    const unread = this.#debt.slices.filter((slice) => !isReadWhole(slice));
    const pages = pagesOfLargest(this.#evidence, this.#debt.story.feed, {
      slices: unread,
      at: poll.startedAt,
    });
    if (!ranOutOfTime(poll, pages)) return true;
    if (this.#wasCommittedTooLate(poll)) return false;
    this.#requestsInVain += poll.requests;
    return this.#requestsInVain > ROUNDS_OF_REQUESTS * chance.roundRequests;
  }

  #cadenceAt(at: number): number {
    const { story, slices } = this.#debt;
    if (story.feed !== 'timesheets') return CADENCES_MS.hot;
    return Math.max(
      ...slices.map((date) => {
        const { since } = this.#debt;
        const active = isActive(this.#evidence, story, { date, since, at });
        const now = classOf(this.#evidence, date, { at, active });
        const before = classOf(this.#evidence, date, { at: since, active });
        return Math.max(CADENCES_MS[now], CADENCES_MS[before]);
      }),
    );
  }

  /** Records what the walks of a poll saw of the slices; false when they, or requests by id, failed on purpose. */
  #look(chance: Chance): boolean {
    const { poll } = chance;
    const { slices, story } = this.#debt;
    const view = viewOf(this.#evidence, chance, { slices, feed: story.feed });
    const { covering, last } = view;
    const endedAt = poll.endedAt ?? poll.deadline;
    if (covering.length > 0) this.#noteMisdated(poll, endedAt);
    if (this.#noteFailure(poll, view)) return false;
    const mistaken = this.#findMistaken(poll, covering);
    if (mistaken !== undefined) this.#lookedInVainAt = Math.max(this.#lookedInVainAt, mistaken.beganAt);
    if (view.isMassChange()) {
      const cadence = this.#cadenceAt(poll.startedAt);
      const wait = Math.max(MASS_CHANGE_HELD_MS, Math.min(cadence, CADENCES_MS.active));
      this.#notBefore = Math.max(this.#notBefore, endedAt + wait);
      return false;
    }
    if (last.length === slices.length && last.every(({ complete }) => complete) && isSaved(poll))
      this.#failures = 0;
    return !this.#isHidden(poll, endedAt) && mistaken === undefined;
  }

  /** Whether a poll failed to see the slices or the record whole: they are tried again later. */
  #noteFailure(poll: PollEntry, { covering, last, failed }: View): boolean {
    const inVain = this.#isUnanswered(poll);
    if (covering.some(({ records }) => records.get(this.#debt.story.id)?.shape === 'good'))
      this.#asksInVain = 0;
    if (inVain) this.#asksInVain += 1;
    const spoilt = last.some((walk) => walk.spoilt);
    if (!spoilt && !failed && !inVain) return false;
    const endedAt = poll.endedAt ?? poll.deadline;
    // A walk that seemed complete, or lacks only a request by id, counts as a scan.
    if (inVain || covering.some(({ complete }) => complete)) this.#lookedInVainAt = endedAt;
    // A list that stays incomplete waits for others, as a date with expected changes does. When the source wants no
    // more requests, nothing is said against a date that failed, and its list is incomplete.
    const isOwn = failed && !spoilt && !poll.troubles.has('source');
    const retry = isOwn ? 0 : Math.min(this.#cadenceAt(poll.startedAt), CADENCES_MS.active);
    this.#failures += 1;
    const backoff = backoffMs(inVain ? Math.max(this.#failures, this.#asksInVain) : this.#failures);
    this.#notBefore = Math.max(this.#notBefore, endedAt + Math.max(backoff, retry));
    return true;
  }

  /** A request by id failed, or brought the record in a shape from which nothing can be told. */
  #isUnanswered({ number }: PollEntry): boolean {
    const { feed, id } = this.#debt.story;
    const { unanswered, served } = this.#evidence.history.journal;
    if (unanswered[feed].some((each) => each.poll === number && each.id === id)) return true;
    const answers = served[feed].get(id) ?? [];
    return answers.some(({ poll, walk, shape }) => poll === number && walk === null && shape !== 'good');
  }

  /** The last walk that counts as a scan and yet did not show the version. */
  #findMistaken({ troubles }: PollEntry, covering: readonly Walk[]): Walk | undefined {
    // If the source failed after a complete list, absent records were not requested, and the scan still counts.
    const wasCut = troubles.has('source');
    return covering.findLast((walk) => (wasCut && walk.complete) || this.#isMistaken(walk));
  }

  /** A walk beside this one committed to the slice while it was read, and again while it was read anew. */
  #wasReread({ walks }: Chance): boolean {
    const { slices } = this.#debt;
    if (!slices.some((slice) => walks.filter((walk) => covers(walk, slice)).length > 1)) return false;
    this.#rereads += 1;
    return this.#rereads <= MAX_REREAD_POLLS;
  }

  /** The pay period closed, and waits with all that happened to it for looks at its dates that began later. */
  #waitsForLooks(poll: PollEntry): boolean {
    const { story } = this.#debt;
    if (story.feed !== 'pay-periods') return false;
    const seenAt = closingSeenAt(this.#evidence, story.id, poll) ?? this.#closedUnseen(poll);
    return seenAt !== null && poll.startedAt < seenAt + CLOSING_HELD_MS + CLOCKS_APART_MS;
  }

  /** Since when polls did not see that it is closed. */
  #closedUnseen({ startedAt }: PollEntry): number | null {
    const { feed, id } = this.#debt.story;
    const latest = this.#evidence.history.world.truth[feed].get(id)?.indexAt(startedAt) ?? -1;
    if (latest < 0 || this.#evidence.watched(feed, id, latest)?.closed == null) return null;
    this.#closedSince ??= startedAt;
    return this.#closedSince;
  }

  #noteMisdated({ clockAtStart, startedAt }: PollEntry, endedAt: number): void {
    if (clockAtStart > startedAt) this.#misdatedScans.push(endedAt + clockAtStart - startedAt);
  }

  /** A walk that seemed complete and, by fault of the source, did not show the version, or in a bad shape. */
  #isMistaken(walk: Walk): boolean {
    const { story, version } = this.#debt;
    if (walk.beganAt <= this.#debt.since) return true;
    const seen = walk.records.get(story.id);
    if (seen !== undefined) return seen.version < version || seen.shape !== 'good' || this.#wasUntold(walk);
    const slice = this.#evidence.slice(story.feed, story.id, version);
    return walk.complete && slice !== null && covers(walk, slice);
  }

  /** A first scan of a date that entered the window withholds facts; the next scan publishes them (rule 5). */
  #wasUntold({ number }: Walk): boolean {
    return this.#debt.story.sights.some(({ sights }) =>
      sights.some(({ walk, manner }) => walk === number && (manner === 'untold' || manner === 'either')),
    );
  }

  /** Lists leave the record out, or it fails by id: excused for another cadence after that. */
  #isHidden({ startedAt }: PollEntry, endedAt: number): boolean {
    const { story } = this.#debt;
    const spells = this.#evidence.history.spells.records.filter(({ id }) => id === story.id);
    const hides = (spell: RecordSpell) => lasts(spell, startedAt) || lasts(spell, endedAt);
    const spell = spells.find(hides);
    if (spell === undefined) return false;
    this.#notBefore = Math.max(this.#notBefore, spell.to + backoffMs(10) + this.#cadenceAt(startedAt));
    return true;
  }

  /** Whether one of the slices was in the window for as long as its cadence. */
  #isWatched({ startedAt }: PollEntry, cadence: number): boolean {
    const { story, slices } = this.#debt;
    return slices.every(
      (slice) =>
        this.#evidence.inWindow(story.feed, slice, startedAt) &&
        this.#evidence.inWindow(story.feed, slice, startedAt - cadence),
    );
  }

  /** Its poll read it and committed an event of it, which took so long that the next one must publish it. */
  #wasCommittedTooLate(poll: PollEntry): boolean {
    const { feed, id } = this.#debt.story;
    return (this.#evidence.told[feed].get(id) ?? []).some(
      (event) =>
        this.#evidence.committedBy(event) === poll.number &&
        isPastPublishing(poll, this.#evidence.committedAt(event)),
    );
  }

  /** Its topic refuses; clockings have another topic than the other events of timesheets. */
  #isRefused({ startedAt, endedAt, deadline }: PollEntry): boolean {
    const { story } = this.#debt;
    const until = endedAt ?? deadline;
    const refuses = (spell: TopicSpell) => lasts(spell, startedAt) || lasts(spell, until);
    return this.#evidence.history.spells.topics.some((spell) => {
      if (!refuses(spell)) return false;
      if (spell.topic === 'clockings')
        return hasClocking(this.#evidence, story) || showedAbsence(this.#evidence, story, until);
      const isOfDirectory = story.feed === 'employees' || story.feed === 'departments';
      return spell.topic === (isOfDirectory ? 'directory' : story.feed);
    });
  }

  /**
   * So many records of its slice vanished at once that removals are held, as long as the config says and another
   * cadence.
   */
  #isHeld({ startedAt, endedAt }: PollEntry): boolean {
    const { story, slices } = this.#debt;
    const { minutes } = this.#evidence.history.settings.guards.vanishing;
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

/** What the walks of a poll show of some slices, whichever record it is about. */
interface View {
  readonly covering: readonly Walk[];
  /** The last walk over each slice. */
  readonly last: readonly Walk[];
  readonly failed: boolean;
  readonly isMassChange: () => boolean;
}

const views = new WeakMap<Chance, Map<string, View>>();

function viewOf(
  evidence: Evidence,
  chance: Chance,
  { slices, feed }: { readonly slices: readonly string[]; readonly feed: FeedName },
): View {
  const known = views.get(chance) ?? new Map<string, View>();
  views.set(chance, known);
  const key = slices.join(' ');
  const before = known.get(key);
  if (before !== undefined) return before;
  const { poll, walks } = chance;
  const covering = walks.filter((walk) => slices.some((slice) => covers(walk, slice)));
  const endedAt = poll.endedAt ?? poll.deadline;
  let mass: boolean | undefined;
  const view: View = {
    covering,
    last: slices.flatMap((slice) => walks.findLast((walk) => covers(walk, slice)) ?? []),
    failed: covering.some((walk) => failedAlone(walk, slices, poll)),
    isMassChange: () => (mass ??= isMassChange(evidence, feed, { slices, covering, endedAt })),
  };
  known.set(key, view);
  return view;
}

/** Whether a follow-up leaves what is not hot to the next scheduled poll, which begins within the minute. */
function leavesOthers({ repeatUntil, clockAtStart }: PollEntry): boolean {
  return repeatUntil !== undefined && repeatUntil - clockAtStart < CADENCES_MS.hot;
}

/** Whether a poll requested as many absent records by id as one may, and left others to the next one. */
function hadNoRoomToAsk({ requests, report }: PollEntry): boolean {
  const isLeft = report?.reasons.some((reason) => reason.includes('could not be looked up yet')) === true;
  return isLeft && requests > MAX_LOOK_UPS;
}

/** Whether the next poll knows what this one saw. */
function isSaved({ endedAt, failure }: PollEntry): boolean {
  return endedAt !== null && failure === null;
}

/** Every requested list covered a failing date, so nothing came at all. */
function readNothing({ walks }: Chance): boolean {
  const came = walks.some(({ complete, records }) => complete || records.size > 0);
  return !came && walks.some(({ failedOn }) => failedOn.length > 0);
}
