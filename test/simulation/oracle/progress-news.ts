import type { FeedName } from '#shared/core/feeds.ts';
import type { Evidence, Told } from './evidence.ts';

/**
 * Events about unreadable dates, late dates and mass changes: begin and end alternate, and each is true (rules 13 and
 * 14 of docs/architecture.md).
 */
export function judgeProgressNews(evidence: Evidence, feed: FeedName): void {
  const events = evidence.operations[feed];
  judgeReadings(evidence, feed, events);
  judgeTurns(evidence, { feed, events, begins: 'feed.lagging', ends: 'feed.caught_up' });
  judgeMassChanges(evidence, feed, events);
}

function judgeReadings(evidence: Evidence, feed: FeedName, events: readonly Told[]): void {
  const about = events.filter(({ type }) => type === 'slice.unreadable' || type === 'slice.readable');
  for (const [slice, each] of Map.groupBy(about, ({ data }) => String(data.slice))) {
    judgeTurns(evidence, { feed, events: each, begins: 'slice.unreadable', ends: 'slice.readable' });
    for (const told of each) judgeReading(evidence, slice, { feed, told });
  }
}

/** A date becomes unreadable after as many failed attempts as the config says. */
function judgeReading(
  evidence: Evidence,
  slice: string,
  { feed, told }: { readonly feed: FeedName; readonly told: Told },
): void {
  const { settings } = evidence.history;
  const { type, data, by } = told;
  const attempts = Number(data.attempts);
  if (attempts < settings.connection.health.unreachableAfterPolls)
    evidence.violate(`${feed} ${slice}`, `${type} after ${attempts} tries`);
  if (evidence.isUncertain) return;
  const failed = evidence.walks.filter((walk) => {
    const covers = walk.from !== null && walk.from <= slice && slice <= (walk.to ?? '');
    return covers && !walk.complete && walk.beganAt <= by;
  });
  const polls = new Set(failed.map(({ poll }) => poll));
  if (polls.size < attempts)
    evidence.violate(`${feed} ${slice}`, `${type} after ${attempts} tries, of which ${polls.size} failed`);
  if (type === 'slice.readable' && !evidence.walks.some((walk) => walk.complete && walk.beganAt <= by))
    evidence.violate(`${feed} ${slice}`, 'is told to be readable, and was not read');
}

interface Turns {
  readonly feed: FeedName;
  readonly events: readonly Told[];
  readonly begins: string;
  readonly ends: string;
}

/** Begins and ends alternate. */
function judgeTurns(evidence: Evidence, { feed, events, begins, ends }: Turns): void {
  const turns = events.filter(({ type }) => type === begins || type === ends);
  let isOn = false;
  for (const { type, data } of turns) {
    const due: string = isOn ? ends : begins;
    // A date that left the window while it was unreadable has no end.
    const isLeft = type === 'slice.unreadable' && isOn && hasLeft(evidence);
    if (type !== due && !isLeft)
      evidence.violate(`${feed} operations`, `${type} ${String(data.slice ?? '')} where ${due} is due`);
    isOn = type === begins;
  }
  if (isOn) judgeOpenEnd(evidence, { feed, told: turns.at(-1), begins });
}

/** Whether a date may have left the window and returned. */
function hasLeft({ history }: Evidence): boolean {
  const { redeployed, startAt, quietFrom } = history.settings;
  return (
    history.faults.has('clock_a_day_off') || redeployed !== null || quietFrom - startAt > 12 * 60 * 60_000
  );
}

/** Everything that began has ended at the end of the history, unless its date has left the window. */
function judgeOpenEnd(
  evidence: Evidence,
  {
    feed,
    told,
    begins,
  }: { readonly feed: FeedName; readonly told: Told | undefined; readonly begins: string },
): void {
  const { polls } = evidence.history.journal;
  const lastPoll = polls.findLast((poll) => poll.feed === feed);
  const last = lastPoll?.startedAt ?? 0;
  const slice = told?.data.slice;
  // The last poll of a slow source cannot read everything after the pause before it, and no other follows.
  if (begins === 'feed.lagging' && evidence.history.settings.wide && told?.poll === lastPoll?.number) return;
  // A pace that was learned from refusals grows by answers, and when all is quiet few polls ask.
  if (begins === 'feed.lagging' && evidence.history.faults.has('source_limited')) return;
  // Dates that another window excludes, by its clock or by its config, are forgotten.
  if (evidence.history.faults.has('clock_a_day_off') || evidence.history.settings.redeployed !== null) return;
  if (slice !== undefined && !evidence.inWindow(feed, String(slice), last)) return;
  evidence.violate(
    `${feed} operations`,
    `${begins} ${String(slice ?? '')}, and nobody said that it is over`,
    'late',
  );
}

/** Two scans at least a minute apart showed it, with no more records than the slice has. */
function judgeMassChanges(evidence: Evidence, feed: FeedName, events: readonly Told[]): void {
  for (const { data } of events.filter(({ type }) => type === 'slice.mass_change')) {
    const [records, known] = [Number(data.records), Number(data.known)];
    const apart = Date.parse(String(data.confirmedAt)) - Date.parse(String(data.firstSeenAt));
    if (apart < 60_000) evidence.violate(`${feed} ${String(data.slice)}`, `mass change after ${apart} ms`);
    // Findings of other scans within the same minute count as well, and have their own events.
    if (records < 1 || (records > known && !evidence.isUncertain))
      evidence.violate(`${feed} ${String(data.slice)}`, `mass change of ${records} of ${known}`);
  }
}
