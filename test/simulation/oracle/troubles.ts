import type { TroubleKind } from '#shared/core/events/trouble.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { feedsOf } from '../world/lives.ts';
import type { Evidence, Told } from './evidence.ts';

/** A record that no poll met for so long is bad no more. */
const MET_WITHIN_MS = 86_400_000;

/** Events of operations: each trouble is told once when it begins and once when it ends, and only when it is true. */
export function judgeTroubles(evidence: Evidence): void {
  for (const feed of feedsOf(evidence.history.settings)) {
    const events = evidence.operations[feed];
    judgeBaseline(evidence, feed, events);
    const troubles = events.filter(({ type }) => type.startsWith('trouble.'));
    for (const turns of Map.groupBy(troubles, toKey).values()) judgeTurns(evidence, feed, turns);
    for (const told of troubles) judgeTruth(evidence, feed, told);
  }
}

function kindOf({ data }: Told): TroubleKind {
  return data.kind as TroubleKind;
}

export function isBegun({ type }: Told): boolean {
  return type === 'trouble.began';
}

function toKey(told: Told): string {
  return `${kindOf(told)} ${subjectOf(told)}`;
}

function subjectOf({ envelope }: Told): string {
  return String(envelope.subject);
}

function judgeBaseline(evidence: Evidence, feed: FeedName, events: readonly Told[]): void {
  const baselines = events.filter(({ type }) => type === 'baseline.completed');
  if (baselines.length !== 1)
    evidence.violate(`${feed} operations`, `${baselines.length} baselines completed`, 'baseline');
}

/** What begins ends, in turns, and in the end nothing is open. */
function judgeTurns(evidence: Evidence, feed: FeedName, turns: readonly Told[]): void {
  for (const [index, told] of turns.entries()) {
    if (isBegun(told) !== (index % 2 === 0))
      evidence.violate(`${feed} operations`, `${toKey(told)}: ${told.type} out of turn`);
    const began = isBegun(told) ? undefined : turns[index - 1];
    if (began !== undefined && began.data.since !== told.data.since && !hasWrongTimes(evidence))
      evidence.violate(`${feed} operations`, `${toKey(told)} ends what began at another instant`);
  }
  const last = turns.at(-1);
  if (last !== undefined && isBegun(last) && !mayStayOpen(evidence, feed, last))
    evidence.violate(`${feed} operations`, `${toKey(last)} began, and nobody said that it is over`, 'late');
}

/** An instant of a clock that was ahead is corrected later, and of two polls that overlap the earlier look counts. */
function hasWrongTimes({ isUncertain, history: { faults } }: Evidence): boolean {
  return isUncertain || faults.has('clock_a_day_off') || faults.has('overlapping_polls');
}

function mayStayOpen({ history }: Evidence, feed: FeedName, told: Told): boolean {
  switch (kindOf(told)) {
    // It ends with the next event that is published, and one that was bad may have been removed.
    case 'publish_failed':
    case 'records_unreadable':
      return true;
    // The last poll of a slow source cannot read everything after the pause before it, and no other follows. A pace that
    // was learned from refusals grows by answers, and when all is quiet few polls ask.
    case 'feed_late': {
      const last = history.journal.polls.findLast((poll) => poll.feed === feed);
      return (history.settings.wide && told.poll === last?.number) || history.faults.has('source_limited');
    }
    default:
      return false;
  }
}

function judgeTruth(evidence: Evidence, feed: FeedName, told: Told): void {
  switch (kindOf(told)) {
    case 'source_unreachable':
      if (isBegun(told) && !evidence.isUncertain) judgeSilence(evidence, feed, told);
      return;
    case 'dates_unreadable':
      if (isBegun(told) && !evidence.isUncertain) judgeReading(evidence, feed, told);
      return;
    case 'records_unreadable':
      judgeRecord(evidence, feed, told);
      return;
    case 'dates_doubtful':
      if (isBegun(told)) judgeDoubt(evidence, feed, told);
      return;
    default:
      return;
  }
}

/** No poll wholly within an unreachable time got an answer and could publish that. */
function judgeSilence(evidence: Evidence, feed: FeedName, { by, data }: Told): void {
  const since = String(data.since);
  const from = Date.parse(since);
  const { polls, served } = evidence.history.journal;
  const { renewal } = evidence.history.settings;
  // A restored table does not know what was answered since its backup.
  const isForgotten = (at: number) =>
    renewal?.backupAt != null && at > renewal.backupAt - 60_000 && at < renewal.at;
  const answered = polls.find(
    ({ feed: its, startedAt, endedAt, report, number, troubles }) =>
      its === feed &&
      // What cannot tell its table stores nothing of what it saw.
      !troubles.has('table') &&
      startedAt >= from &&
      !isForgotten(startedAt) &&
      endedAt !== null &&
      endedAt < by &&
      report?.counts.conflicts === 0 &&
      [...served[feed].values()].some((list) =>
        list.some(({ poll, walk }) => poll === number && walk !== null),
      ),
  );
  if (answered !== undefined)
    evidence.violate(
      `${feed} operations`,
      `unreachable since ${since}, though poll ${answered.number} got answers`,
    );
}

/** A date becomes unreadable after as many failed attempts as the config says. */
function judgeReading(evidence: Evidence, feed: FeedName, told: Told): void {
  const slice = subjectOf(told);
  const { unreachableAfterPolls } = evidence.history.settings.guards;
  const failed = evidence.walks.filter((walk) => {
    const covers = walk.from !== null && walk.from <= slice && slice <= (walk.to ?? '');
    return covers && !walk.complete && walk.beganAt <= told.by;
  });
  const polls = new Set(failed.map(({ poll }) => poll));
  if (polls.size < unreachableAfterPolls)
    evidence.violate(`${feed} ${slice}`, `is unreadable, though only ${polls.size} tries failed`);
}

/** A record was bad before it is told to be, and good, or met no more, before it is told to be read again. */
function judgeRecord(evidence: Evidence, feed: FeedName, told: Told): void {
  const id = subjectOf(told);
  if (id.startsWith('#')) return;
  const served = evidence.history.journal.served[feed].get(id) ?? [];
  if (isBegun(told)) {
    if (!served.some(({ shape }) => shape !== 'good'))
      evidence.violate(`${feed} operations`, `${id} cannot be read and never was bad`);
    return;
  }
  const isRead = served.some(({ shape, receivedAt }) => shape === 'good' && receivedAt <= told.by);
  const isMet = served.some(
    ({ receivedAt }) => told.by - MET_WITHIN_MS < receivedAt && receivedAt <= told.by,
  );
  if (!isRead && isMet && !hasWrongTimes(evidence))
    evidence.violate(`${feed} operations`, `${id} is read again and never was good`);
}

/** So many records as the config says are missing, or some lost a fact. */
function judgeDoubt(evidence: Evidence, feed: FeedName, told: Told): void {
  const { count, cause } = told.data;
  const { records } = evidence.history.settings.guards.vanishing;
  const least = cause === 'records_missing' ? records : 1;
  if (Number(count) < least)
    evidence.violate(`${feed} operations`, `${toKey(told)} by ${String(count)} (${String(cause)})`);
}
