import type { FeedName } from '#shared/core/feeds.ts';
import { feedsOf } from '../world/lives.ts';
import type { Evidence, Told } from './evidence.ts';
import { dayAt } from './local-time.ts';
import { judgeProgressNews } from './progress-news.ts';

/** Events of operations: each once, and only when it is true. */
export function judgeOperations(evidence: Evidence): void {
  for (const feed of feedsOf(evidence.history.settings)) {
    const events = evidence.operations[feed];
    judgeBaseline(evidence, feed, events);
    judgeReachability(evidence, feed, events);
    judgeQuarantine(evidence, feed, events);
    judgeStalls(evidence, feed, events);
    judgeResumptions(evidence, feed, events);
    judgeShrinking(evidence, feed, events);
    judgeWholeAgain(evidence, feed, events);
    judgeReadable(evidence, feed, events);
    judgeProgressNews(evidence, feed);
  }
}

function judgeBaseline(evidence: Evidence, feed: FeedName, events: readonly Told[]): void {
  const baselines = events.filter(({ type }) => type === 'baseline.completed');
  if (baselines.length !== 1)
    evidence.violate(`${feed} operations`, `${baselines.length} baselines completed`, 'baseline');
}

/** Unreachable and recovered alternate, after as many polls without an answer as the config says. */
function judgeReachability(evidence: Evidence, feed: FeedName, events: readonly Told[]): void {
  const { unreachableAfterPolls } = evidence.history.settings.connection.health;
  const turns = events.filter(({ type }) => type === 'source.unreachable' || type === 'source.recovered');
  for (const [index, { type, data }] of turns.entries()) {
    const due = index % 2 === 0 ? 'source.unreachable' : 'source.recovered';
    if (type !== due) evidence.violate(`${feed} operations`, `${type} where ${due} is due`);
    if (Number(data.failedPolls) < unreachableAfterPolls)
      evidence.violate(`${feed} operations`, `${type} after ${String(data.failedPolls)} failed polls`);
  }
  for (const { type, by, data } of turns) {
    if (type === 'source.unreachable' && !evidence.isUncertain)
      judgeSilence(evidence, feed, { by, since: String(data.failingSince) });
  }
  if (turns.at(-1)?.type === 'source.unreachable')
    evidence.violate(`${feed} operations`, 'the source answers again, and nobody said so', 'late');
}

/** No poll wholly within an unreachable time got an answer and could publish that. */
function judgeSilence(
  evidence: Evidence,
  feed: FeedName,
  { by, since }: { readonly by: number; readonly since: string },
): void {
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

/** One event per bad record and day, and none for other records. */
function judgeQuarantine(evidence: Evidence, feed: FeedName, events: readonly Told[]): void {
  const { timeZone } = evidence.history.settings.connection;
  const told = new Set<string>();
  for (const { data, by } of events.filter(({ type }) => type === 'record.quarantined')) {
    const id = data.recordId === null ? null : String(data.recordId);
    const name = `${dayAt(by, timeZone)} ${id ?? JSON.stringify(data.issues)}`;
    if (told.has(name) && !evidence.history.faults.has('clock_a_day_off'))
      evidence.violate(`${feed} operations`, `${String(id)} was quarantined twice on a day`);
    told.add(name);
    if (id === null) continue;
    const bad = evidence.history.journal.served[feed].get(id)?.some(({ shape }) => shape !== 'good');
    if (bad !== true) evidence.violate(`${feed} operations`, `${id} was quarantined and never was bad`);
  }
}

/** A slice shrinks, then is whole again, and nothing else. It may leave the window in between. */
function judgeWholeAgain(evidence: Evidence, feed: FeedName, events: readonly Told[]): void {
  const shrunk = new Set<string>();
  for (const { type, data } of events) {
    const slice = String(data.slice);
    if (type === 'slice.shrunk') shrunk.add(slice);
    if (type === 'slice.whole' && !shrunk.delete(slice))
      evidence.violate(`${feed} operations`, `${slice} is whole again and never shrank`);
  }
}

/** A record is read again after it was quarantined, and when it was served as it should be. */
function judgeReadable(evidence: Evidence, feed: FeedName, events: readonly Told[]): void {
  const quarantined = new Set<string>();
  for (const { type, data, by } of events) {
    const id = String(data.recordId);
    if (type === 'record.quarantined') quarantined.add(id);
    if (type !== 'record.readable') continue;
    if (!quarantined.delete(id))
      evidence.violate(`${feed} operations`, `${id} is read again and was not quarantined`);
    const served = evidence.history.journal.served[feed].get(id) ?? [];
    const isGood = served.some(({ shape, receivedAt }) => shape === 'good' && receivedAt <= by);
    if (!isGood && !evidence.isUncertain)
      evidence.violate(`${feed} operations`, `${id} is read again and never was good`);
  }
}

/** Stalled once until a poll reads something whole, and not too early. */
function judgeStalls(evidence: Evidence, feed: FeedName, events: readonly Told[]): void {
  const minutes = evidence.history.settings.connection.health.stalledAfterMinutes;
  const readWhole = new Set(evidence.walksOf[feed].map(({ poll }) => poll));
  const going = evidence.history.journal.polls.filter(
    ({ feed: own, report, number }) =>
      own === feed && report !== null && (report.outcome === 'complete' || readWhole.has(number)),
  );
  let before = Number.NEGATIVE_INFINITY;
  for (const { by, data } of events.filter(({ type }) => type === 'poll.stalled')) {
    const isFirst = before === Number.NEGATIVE_INFINITY || evidence.isUncertain;
    if (!isFirst && !going.some(({ endedAt }) => (endedAt ?? 0) > before))
      evidence.violate(`${feed} operations`, 'stalled twice, and no poll read anything whole between');
    if (by - Date.parse(String(data.completedAt)) < minutes * 60_000)
      evidence.violate(`${feed} operations`, 'stalled too early');
    before = by;
  }
}

/** A feed that stalled is told to go on, once, before it stalls again and when all is over. */
function judgeResumptions(evidence: Evidence, feed: FeedName, events: readonly Told[]): void {
  const turns = events.filter(({ type }) => type === 'poll.stalled' || type === 'poll.resumed');
  for (const [index, { type }] of turns.entries()) {
    const due = index % 2 === 0 ? 'poll.stalled' : 'poll.resumed';
    if (type !== due) evidence.violate(`${feed} operations`, `${type} where ${due} is due`);
  }
  if (turns.at(-1)?.type === 'poll.stalled')
    evidence.violate(`${feed} operations`, 'polls go on, and nobody said so', 'late');
}

/** Shrunk when more than the configured share of a slice, and enough records, are missing. */
function judgeShrinking(evidence: Evidence, feed: FeedName, events: readonly Told[]): void {
  const { records, share } = evidence.history.settings.connection.vanishing;
  for (const { data, by } of events.filter(({ type }) => type === 'slice.shrunk')) {
    const missing = Number(data.missing);
    // Records created in the same poll count as known.
    const since = startOf(evidence, feed, by);
    const came = [...evidence.told[feed].values()].flat().filter((told) => told.by >= since && told.by <= by);
    const known = Number(data.known) - new Set(came.map(({ envelope }) => envelope.subject)).size;
    const isTooFew = missing <= share * known && !evidence.isUncertain;
    if (missing < records || isTooFew)
      evidence.violate(`${feed} operations`, `shrunk by ${missing} of ${known}`);
  }
}

/** Start of the earliest poll that ran at an instant. */
function startOf({ history }: Evidence, feed: FeedName, instant: number): number {
  const polls = history.journal.polls.filter((poll) => poll.feed === feed && poll.startedAt <= instant);
  const atWork = polls.filter(({ endedAt }) => endedAt === null || endedAt >= instant);
  return Math.min(instant, ...atWork.map(({ startedAt }) => startedAt));
}
