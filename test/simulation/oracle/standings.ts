import type { PollEntry, Served, Walk } from '../journal.ts';
import { MINUTE_MS } from '../settings.ts';
import { isOverlapped } from './able-polls.ts';
import { countedManifest } from './close-manifests.ts';
import { type Evidence, isCertain, type Told } from './evidence.ts';
import { FACTS, sliceOf, type Watched } from './reading.ts';

/** A closing is told so long after it was first seen, or after the period was last seen open, at the latest. */
const CLOSING_WAITS_MS = 5 * MINUTE_MS;
const CLOSING_HELD_MS = 10 * MINUTE_MS;
/** Losses that are held keep a reminder waiting for so long. */
const REMINDER_WAITS_MS = 10 * MINUTE_MS;
/** What differs from the totals of the source is not final before. */
const DISAGREEMENT_MS = 6 * 60 * MINUTE_MS;
/** From a look to what its poll commits. */
const TELLING_MS = MINUTE_MS;

interface Dates {
  readonly from: string;
  readonly to: string;
}

/**
 * Why a closing is told too early: from looks at its dates that began before it was seen, although newer ones could still
 * be waited for. Null when it is not.
 */
export function earlyClosing(event: Told, evidence: Evidence): string | null {
  const { lookedAtBefore } = countedManifest(event) ?? {};
  const period = event.data.current as Watched;
  if (lookedAtBefore === undefined || evidence.isUncertain) return null;
  // Since when it is held a poll knows as it was stored at its start: one beside it may have seen the period open since.
  const poll = evidence.poll(event.poll);
  if (poll !== undefined && isOverlapped(evidence, poll)) return null;
  // Removals are held for longer than anybody waits for a closing.
  if (hasHeldRemovals(datesOf(period), event, evidence)) return null;
  // That a killed poll saw a closing may be stored, while that another one saw the period open again is not.
  const isKnown = ({ poll, closed }: Look) =>
    poll === event.poll || closed !== closedBefore(event) || isCertain(evidence.poll(poll));
  const waited = waitedMs(findLooks(event, evidence).filter(isKnown), event, evidence);
  return waited === null ? null : `told from looks before it, ${waited} ms after it was seen`;
}

function closedBefore(event: Told): unknown {
  return (event.data.previous as Watched).closed ?? null;
}

/** For how long a closing waited that could be told by then, in an order of looks; null when it waited for long enough. */
function waitedMs(looks: readonly Look[], event: Told, evidence: Evidence): number | null {
  const isAsBefore = ({ closed }: Look) => closed === closedBefore(event);
  const first = looks[looks.findLastIndex(isAsBefore) + 1];
  if (first === undefined) return null;
  const told = evidence.committedAt(event);
  const openLook = looks.findLast((look) => isAsBefore(look) && isCertain(evidence.poll(look.poll)));
  const openAt = openLook?.at ?? Number.NEGATIVE_INFINITY;
  const mayBeTold =
    told >= first.at + CLOSING_WAITS_MS || (first.poll !== event.poll && told >= openAt + CLOSING_HELD_MS);
  return mayBeTold ? null : told - first.at;
}

/**
 * When polls knew first of the closing that a poll saw last: of complete looks in a row that show its stamp, or nothing
 * of the period, at the end of the first whose poll could store it. Null when the poll did not see the period, or saw it
 * open.
 */
export function closingSeenAt(evidence: Evidence, id: string, poll: PollEntry): number | null {
  const until = poll.endedAt ?? poll.deadline;
  const looks = evidence.walksOf['pay-periods']
    .filter((walk) => walk.poll <= poll.number || walk.beganAt <= until)
    .map((walk) => ({ poll: walk.poll, at: walk.beganAt, closed: closedOn(walk, id, evidence) }))
    .filter(({ closed }) => closed !== undefined);
  // What a poll beside it saw later says nothing of what this one knew.
  const known = looks.slice(0, looks.findLastIndex((look) => look.poll === poll.number) + 1);
  const last = known.at(-1);
  if (last?.closed == null) return null;
  const sameSince = known.findLastIndex(({ closed }) => closed !== last.closed) + 1;
  const first = known
    .slice(sameSince)
    .find((look) => look.poll === poll.number || couldStore(evidence.poll(look.poll), evidence));
  return first === undefined ? null : (evidence.poll(first.poll)?.endedAt ?? first.at);
}

/** What a poll saw is dropped when another poll of its feed commits before it does, or is newer by its clock. */
function couldStore(poll: PollEntry | undefined, evidence: Evidence): boolean {
  if (!isCertain(poll) || isBehindOthers(poll, evidence)) return false;
  const isMeanwhile = (at: number) =>
    poll !== undefined && poll.startedAt <= at && at <= (poll.endedAt ?? poll.deadline);
  return !evidence.history.journal.committed.some(
    (each) =>
      each.poll !== poll?.number && isMeanwhile(each.at) && evidence.poll(each.poll)?.feed === poll?.feed,
  );
}

/** A poll whose clock is behind takes its own list for older than one that another poll stored before. */
function isBehindOthers(poll: PollEntry | undefined, { history, walksOf }: Evidence): boolean {
  if (poll?.endedAt == null) return false;
  const { endedAt, startedAt, clockAtStart } = poll;
  const clockAtEnd = clockAtStart + endedAt - startedAt;
  return history.journal.polls.some(
    (other) =>
      other.feed === poll.feed &&
      other.report !== null &&
      other.endedAt !== null &&
      other.endedAt < endedAt &&
      clockAtStart < other.clockAtStart &&
      other.clockAtStart <= clockAtEnd &&
      walksOf[other.feed].some((walk) => walk.poll === other.number),
  );
}

/**
 * The closing that a list shows of a period, or the request by id of who is not on it; null where it is open, undefined
 * where nothing shows it.
 */
function closedOn({ records, poll }: Walk, id: string, evidence: Evidence): unknown {
  const byId = evidence.history.journal.served['pay-periods']
    .get(id)
    ?.findLast((each) => each.poll === poll && each.walk === null);
  const served = records.get(id) ?? byId;
  return served?.shape === 'good'
    ? (evidence.watched('pay-periods', id, served.version)?.closed ?? null)
    : undefined;
}

interface Look {
  readonly poll: number;
  readonly at: number;
  readonly closed: unknown;
}

/** How polls of pay periods saw the period of an event up to then. */
function findLooks({ envelope, by }: Told, evidence: Evidence): Look[] {
  const id = String(envelope.subject);
  const served = evidence.history.journal.served['pay-periods'].get(id) ?? [];
  const isOwn = ({ poll, shape, receivedAt }: Served) =>
    shape === 'good' && receivedAt <= by && evidence.poll(poll)?.feed === 'pay-periods';
  return served.filter(isOwn).map(({ poll, version, receivedAt }) => {
    return { poll, at: receivedAt, closed: evidence.watched('pay-periods', id, version)?.closed };
  });
}

/** Why a reminder is told too early: dates of it hold losses that the next look may take back. Null when it is not. */
export function earlyReminder(event: Told, evidence: Evidence): string | null {
  const { held } = event.data.readiness as { readonly held?: Dates };
  if (held === undefined || evidence.isUncertain || hasHeldRemovals(held, event, evidence)) return null;
  const told = evidence.committedAt(event);
  const isOld = hasMassLossBefore(held, told - REMINDER_WAITS_MS + TELLING_MS, evidence);
  return isOld ? null : `reminded of, although ${held.from} to ${held.to} lost facts only now`;
}

/**
 * Whether so many timesheets had lost a fact by an instant that it may have been held since then, and one of them on some
 * dates: what is held of a date is held wherever its timesheets have moved to.
 */
function hasMassLossBefore(dates: Dates, until: number, evidence: Evidence): boolean {
  const { world, settings } = evidence.history;
  const places = [...world.truth.timesheets.keys()].map((id) => placesOfLosses(id, until, evidence));
  const isOnDates = (date: string) => dates.from <= date && date <= dates.to;
  return FACTS.timesheets.some(({ field }) => {
    const lost = places.map((each) => each.get(field) ?? []).filter((each) => each.length > 0);
    return lost.length >= settings.guards.vanishing.records && lost.flat().some(isOnDates);
  });
}

/** The dates on which a timesheet stood without a fact that it had before, for each fact. */
function placesOfLosses(id: string, until: number, evidence: Evidence): ReadonlyMap<string, string[]> {
  const versions = evidence.history.world.truth.timesheets.get(id)?.versions ?? [];
  const states = versions
    .filter(({ at }) => at <= until)
    .map((_, version) => evidence.watched('timesheets', id, version))
    .filter((state) => state !== null);
  return new Map(
    FACTS.timesheets.map(({ field }) => {
      const had = states.findIndex((state) => state[field] != null);
      const without = had < 0 ? [] : states.slice(had).filter((state) => state[field] == null);
      return [field, without.map((state) => sliceOf('timesheets', state))] as const;
    }),
  );
}

interface FinalWords {
  readonly stage: string;
  readonly addsUp: unknown;
  readonly held?: Dates;
}

/**
 * Why a final statement is told too early: something of it is held, or it differs from the totals of the source, and
 * these did not have their time since the closing. Null when it is not.
 */
export function earlyFinal(event: Told, closing: Told | undefined, evidence: Evidence): string | null {
  const { stage, addsUp, held } = event.data.statement as FinalWords;
  if (stage !== 'final') return null;
  if (held !== undefined) return `settled, although ${held.from} to ${held.to} are held`;
  if (addsUp !== false || closing === undefined || evidence.isUncertain) return null;
  const after = event.by - closing.by;
  return after >= DISAGREEMENT_MS ? null : `it differs, and is settled ${after} ms after its closing`;
}

function hasHeldRemovals({ from, to }: Dates, { by }: Told, { shrinkings }: Evidence): boolean {
  return shrinkings.some(
    ({ feed, slice, at }) => feed === 'timesheets' && from <= slice && slice <= to && at <= by + TELLING_MS,
  );
}

function datesOf({ startDate, finishDate }: Watched): Dates {
  return { from: String(startDate), to: String(finishDate) };
}
