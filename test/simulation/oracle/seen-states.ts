import type { PollEntry, Served, Walk } from '../journal.ts';
import { MINUTE_MS } from '../settings.ts';
import { lasts } from '../spells.ts';
import { backoffMs } from './cadence.ts';
import { covers, type Evidence } from './evidence.ts';
import { standingsAfter } from './forgotten.ts';
import { textOf } from './reading.ts';
import { closingSeenAt } from './standings.ts';
import type { Known, RecordStory } from './story.ts';

/**
 * By the end of a complete poll, everything that it saw is published, or a later state is: every state that two
 * successive polls could see leads to its events.
 */
export function judgeSeenStates(evidence: Evidence, stories: readonly RecordStory[]): void {
  if (evidence.isUncertain) return;
  for (const poll of evidence.history.journal.polls) {
    if (poll.report?.outcome !== 'complete' || poll.endedAt === null) continue;
    const walks = evidence.walksOf[poll.feed].filter((walk) => walk.poll === poll.number);
    const times = { poll: poll.number, startedAt: poll.startedAt, endedAt: poll.endedAt };
    for (const story of stories) if (story.feed === poll.feed) judge(evidence, story, { walks, times });
  }
}

interface PollSight {
  readonly walks: readonly Walk[];
  readonly times: { readonly poll: number; readonly startedAt: number; readonly endedAt: number };
}

function judge(evidence: Evidence, story: RecordStory, { walks, times }: PollSight): void {
  const { feed, id } = story;
  const known = toldUntil(evidence, story, times.endedAt);
  const served = evidence.history.journal.served[feed].get(id);
  const seen = served?.findLast(
    (each) => each.poll === times.poll && isLooked(evidence, story, { each, walks }),
  );
  if (seen === undefined && served?.some((each) => each.poll === times.poll && each.shape !== 'good')) return;
  if (seen === undefined) {
    judgeUnseen(evidence, story, { walks, times });
    return;
  }
  if (seen.shape !== 'good' || isLeftToOther(evidence, story, { seen, times, walks })) return;
  if (isBackAgain(evidence, story, { seen, times })) return;
  const watched = evidence.watched(feed, id, seen.version);
  if (isHeldClosing(evidence, story, times)) return;
  const text = watched === null ? null : textOf(watched);
  const told = known.some(
    (each) => each.version >= seen.version || (each.watched !== null && textOf(each.watched) === text),
  );
  if (!told)
    evidence.violate(
      `${feed} ${id}`,
      `poll ${times.poll} saw version ${seen.version} and it was not told by its end`,
    );
}

/** Longer than the closing of a pay period waits for looks at its dates. */
const MAX_HELD_MS = 15 * MINUTE_MS;

/** A closing that was first seen some minutes ago, of which the poll says itself that it is held. */
function isHeldClosing(evidence: Evidence, { feed, id }: RecordStory, times: PollSight['times']): boolean {
  const poll = evidence.poll(times.poll);
  if (feed !== 'pay-periods' || poll?.report?.heldClosings === undefined) return false;
  const seenAt = closingSeenAt(evidence, id, poll);
  return seenAt !== null && times.endedAt - seenAt < MAX_HELD_MS;
}

/**
 * Whether an answer was about a slice that the poll requested. Of several scans in one poll the last counts: another
 * poll may have committed something newer than those before (rule 1 of docs/architecture.md).
 */
function isLooked(
  evidence: Evidence,
  { feed, id }: RecordStory,
  { each, walks }: { readonly each: Served; readonly walks: readonly Walk[] },
): boolean {
  const slice = evidence.slice(feed, id, each.version);
  if (slice === null) return false;
  return each.walk === null || walks.findLast((walk) => covers(walk, slice))?.number === each.walk;
}

/**
 * A record that was requested by id and is on a date that this poll does not read: when an overlapping poll tells its
 * move first, nobody asks for it any more. Whoever reads that date tells what happened to it since.
 */
function isLeftToOther(
  evidence: Evidence,
  { feed, id }: RecordStory,
  { seen, times, walks }: PollSight & { readonly seen: Served },
): boolean {
  const slice = evidence.slice(feed, id, seen.version);
  if (seen.walk !== null || slice === null) return false;
  const { committed, polls } = evidence.history.journal;
  if (!evidence.inWindow(feed, slice, times.startedAt))
    return polls.some((other) => other.feed === feed && isBeside(other, times));
  if (walks.some(({ from, to }) => from === null || to === null || (from <= slice && slice <= to)))
    return false;
  return committed.some(
    ({ poll, at, text }) =>
      poll !== times.poll && times.startedAt <= at && at <= times.endedAt && isMoveOf(text, id),
  );
}

function isMoveOf(text: string, id: string): boolean {
  const { subject, data } = JSON.parse(text) as { subject?: string; data?: { changed?: string[] } };
  return subject === id && data?.changed?.includes('date') === true;
}

/**
 * A record that was seen as it had been known when the poll began: there was nothing to commit, so that an overlapping
 * poll could still tell what it had seen in between. The next poll tells that it is back.
 */
function isBackAgain(
  evidence: Evidence,
  story: RecordStory,
  { seen, times }: { readonly seen: Served; readonly times: PollSight['times'] },
): boolean {
  const { feed, id, chapters } = story;
  const between = chapters.findLast(({ since }) => since <= times.endedAt);
  const teller = between === undefined ? undefined : evidence.poll(between.poll);
  if (between === undefined || teller === undefined || !isBeside(teller, times)) return false;
  if (between.version >= seen.version || between.since > seen.receivedAt) return false;
  const watched = evidence.watched(feed, id, seen.version);
  return (
    watched !== null &&
    toldUntil(evidence, story, times.startedAt).some(
      (each) => each.watched !== null && textOf(each.watched) === textOf(watched),
    )
  );
}

/** Whether another poll ran at the same time. */
function isBeside({ number, startedAt, endedAt, deadline }: PollEntry, times: PollSight['times']): boolean {
  return number !== times.poll && startedAt <= times.endedAt && times.startedAt <= (endedAt ?? deadline);
}

/** A known record that a slice no longer shows must have been requested by id. */
function judgeUnseen(evidence: Evidence, story: RecordStory, { walks, times }: PollSight): void {
  const { feed, id } = story;
  const [known] = knownAt(evidence, story, times.startedAt);
  const later = knownAt(evidence, story, times.endedAt);
  if (known === undefined || known.watched === null || story.chapters.length === 0) return;
  const toldBy = evidence.poll(known.poll)?.endedAt;
  if (toldBy == null || toldBy > times.startedAt || later[0] !== known) return;
  if (wasHidden(evidence, story, times.startedAt) || wasAskedInVain(evidence, story, times)) return;
  const slice = feed === 'timesheets' ? String(known.watched.date) : 'all';
  if (walks.some((walk) => covers(walk, slice)))
    evidence.violate(`${feed} ${id}`, `poll ${times.poll} did not see it on ${slice} and did not tell`);
}

/**
 * Lists left it out, or it failed by id, not long ago: it is then requested more rarely (rule 13 of
 * docs/architecture.md).
 */
function wasHidden({ history }: Evidence, { feed, id }: RecordStory, instant: number): boolean {
  const longest = backoffMs(10) * 2;
  const isUnreadable = ({ walk, shape, receivedAt }: Served) =>
    walk === null && shape !== 'good' && receivedAt <= instant && instant <= receivedAt + longest;
  if (history.journal.served[feed].get(id)?.some(isUnreadable)) return true;
  return history.spells.records.some(
    (spell) =>
      feed === 'timesheets' && spell.id === id && lasts({ ...spell, to: spell.to + longest }, instant),
  );
}

/** So many requests by id in vain, and a poll takes it that the list leaves the record out. */
const SETTLED_ASKS = 4;
/** A request that comes so much later than the one before it begins anew to count. */
const MAX_ASK_GAP_MS = 4 * 60 * MINUTE_MS;
const MAX_ASK_WAIT_MS = 60 * MINUTE_MS;

/** Requests by id failed by chance or found it, though no list had it: each makes the wait for the next twice as long. */
function wasAskedInVain(
  evidence: Evidence,
  { feed, id }: RecordStory,
  { startedAt, endedAt }: PollSight['times'],
): boolean {
  const { unanswered, served } = evidence.history.journal;
  const failed = unanswered[feed].filter((each) => each.id === id);
  const found = (served[feed].get(id) ?? []).filter(({ walk }) => walk === null);
  const asks = [...failed, ...found]
    .map(({ poll }) => evidence.poll(poll)?.startedAt ?? 0)
    .filter((at) => at <= endedAt)
    .sort((a, b) => a - b);
  const gap = asks.findLastIndex((at, index) => index > 0 && at - (asks[index - 1] ?? 0) > MAX_ASK_GAP_MS);
  const count = gap === -1 ? asks.length : asks.length - gap;
  const wait = Math.min(MAX_ASK_WAIT_MS, 2 ** (count - 1) * MINUTE_MS);
  return count >= SETTLED_ASKS && startedAt <= (asks.at(-1) ?? 0) + wait + MINUTE_MS;
}

/** States published by an instant, with and without those of a poll that was still running. */
function toldUntil(evidence: Evidence, story: RecordStory, instant: number): readonly Known[] {
  const isOver = ({ poll }: Known) => (evidence.poll(poll)?.endedAt ?? Number.POSITIVE_INFINITY) <= instant;
  const chapters = story.chapters.filter(isOver);
  return [...knownAt(evidence, story, instant), ...knownAt(evidence, { ...story, chapters }, instant)];
}

/** What was told by an instant; before the first event, whatever it may have been taken over as. */
function knownAt(evidence: Evidence, story: RecordStory, instant: number): readonly Known[] {
  const { chapters, bases, withheld } = story;
  const last = chapters.findLast(({ since }) => since <= instant);
  return last === undefined ? [...bases, ...withheld] : standingsAfter(evidence, story, last);
}
