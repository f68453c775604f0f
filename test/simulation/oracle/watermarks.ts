import { FEED_NAMES, type FeedName } from '#shared/core/feeds.ts';
import { WATERMARK_MINUTES } from '#shared/systems/watermark.ts';
import type { Served, Walk } from '../journal.ts';
import { hasWrongClock } from './able-polls.ts';
import { covers, type Evidence, isCertain, type Told } from './evidence.ts';
import { dayAt, shiftDay } from './local-time.ts';
import { sliceOf, type Watched } from './reading.ts';
import { about, type Exception, type Range, readWatermarks, type Watermark } from './told-watermark.ts';
import { judgeCounts } from './watermark-counts.ts';

/** Clocks of polls differ by less. */
const CLOCK_SKEW_MS = 10_000;
/** Backlogs drain first. */
const MIN_QUIET_POLLS = 5;

/**
 * A watermark says only what is so: of everything it does not except, a complete look began at or after its instant, what
 * that look saw is published before it, and nothing that was seen until then comes after it. What it counts is what
 * subscribers got, each event once. Not judged where a clock was wrong.
 */
export function judgeWatermarks(evidence: Evidence): void {
  if (evidence.history.journal.polls.some(hasWrongClock)) return;
  for (const feed of FEED_NAMES) {
    const watermarks = readWatermarks(evidence, feed);
    for (const watermark of watermarks) {
      judgeLooks(evidence, watermark);
      judgeLaterEvents(evidence, watermark);
    }
    judgeCounts(evidence, feed, watermarks);
    judgeProgress(evidence, watermarks);
    judgeSilence(evidence, feed, watermarks);
  }
}

/** The latest instant until which all of a slice is said to be published; null when it is excepted. */
function throughOf({ through, except }: Watermark, slice: string): number | null {
  const isIn = ({ from, to }: Pick<Exception, 'from' | 'to'>) =>
    from === undefined || to === undefined || (from <= slice && slice <= to);
  if (except.some((each) => each.records === undefined && isIn(each))) return null;
  const instants = through
    .filter((range) => isIn(range) && range.at !== null)
    .map(({ at }) => Date.parse(at ?? ''));
  return instants.length === 0 ? null : Math.max(...instants);
}

function isExcepted({ except }: Watermark, id: string): boolean {
  return except.some(({ records }) => records?.includes(id) === true);
}

/** Complete walks over a slice that began at or after an instant, and ended before the watermark. */
function looksSince(evidence: Evidence, { feed, told }: Watermark, slice: string, instant: number) {
  const end = evidence.committedAt(told);
  return evidence.walksOf[feed].filter(
    (walk) =>
      covers(walk, slice) &&
      (walk.askedAt ?? 0) >= instant &&
      walk.beganAt <= end &&
      walk.endedAt <= end + CLOCK_SKEW_MS,
  );
}

function judgeLooks(evidence: Evidence, watermark: Watermark): void {
  for (const { from, to, at } of watermark.through) {
    if (at === null) continue;
    for (const slice of from === undefined || to === undefined ? ['all'] : datesOf(from, to)) {
      const instant = throughOf(watermark, slice);
      if (instant === null || looksSince(evidence, watermark, slice, Date.parse(at)).length > 0) continue;
      evidence.violate(about(watermark), `no look at ${slice} began since ${at}`);
    }
  }
  const [first, ...others] = watermark.through;
  const window = others[0] ?? first;
  if (watermark.feed === 'timesheets') judgeWindow(evidence, watermark, window);
}

/** The window is the one of the connection. */
function judgeWindow(evidence: Evidence, watermark: Watermark, window: Range | undefined): void {
  const { timeZone } = evidence.history.settings.connection;
  const today = dayAt(watermark.told.by, timeZone);
  const [hot] = watermark.through;
  if (hot?.from !== shiftDay(today, -1) && hot?.from !== shiftDay(today, -2) && hot?.from !== today)
    evidence.violate(about(watermark), `hot dates from ${hot?.from} on ${today}`);
  if ((window?.from ?? '') > today || (window?.to ?? '') < today)
    evidence.violate(about(watermark), 'its window is not around today');
}

/** What was said to be published stays so: no instant goes back. */
function judgeProgress(evidence: Evidence, watermarks: readonly Watermark[]): void {
  for (const [index, watermark] of watermarks.entries()) {
    if (watermark.since === null) continue;
    for (const [place, { at }] of watermark.through.entries()) {
      const before = watermarks[index - 1]?.through[place]?.at ?? null;
      if (at !== null && before !== null && at < before)
        evidence.violate(about(watermark), `goes back from ${before} to ${at}`);
    }
  }
}

function datesOf(from: string, to: string): string[] {
  const dates: string[] = [];
  for (let date = from; date <= to; date = shiftDay(date, 1)) dates.push(date);
  return dates;
}

/** No event that first came after a watermark tells what a look had seen that it speaks of. */
function judgeLaterEvents(evidence: Evidence, watermark: Watermark): void {
  const { feed, told } = watermark;
  const isJudged = (id: string) => evidence.history.world.truth[feed].has(id) && !isExcepted(watermark, id);
  for (const [id, events] of [evidence.told[feed], evidence.absences, evidence.statements].flatMap((each) => [
    ...each,
  ])) {
    if (!isJudged(id)) continue;
    for (const event of events.filter(({ at }) => at > told.at))
      judgeSeenBefore(evidence, watermark, { id, event });
  }
  for (const [id, events] of evidence.told[feed])
    if (isJudged(id)) judgeChanges(evidence, watermark, id, events);
}

/** The first event of each field of a record after a watermark, as long as it is the record that was looked at. */
function judgeChanges(evidence: Evidence, watermark: Watermark, id: string, events: readonly Told[]): void {
  const { told } = watermark;
  const seen = findSeen(evidence, watermark, id);
  if (seen === null) return;
  // What is stored on an excepted date is told when the exception ends, wherever it went.
  const stored = events.findLast(({ at }) => at <= told.at)?.data.current as Watched | null | undefined;
  if (stored != null && throughOf(watermark, sliceOf(watermark.feed, stored)) === null) return;
  // A look after that one, which was told before the watermark, may have had an older list.
  const since = events.filter(({ at, by }) => at <= told.at && by > seen.receivedAt);
  if (since.some(beginsAnew)) return;
  const changed = new Set(since.flatMap(listChanged));
  for (const event of events.filter(({ at }) => at > told.at)) {
    judgeLookedAt(evidence, watermark, { id, event, seen, changed });
    if (beginsAnew(event)) break;
    for (const name of listChanged(event)) changed.add(name);
    changed.add(EXISTENCE);
  }
}

/** A record that comes back begins with nothing, whatever a look had seen of it. */
function beginsAnew({ type }: Told): boolean {
  return /\.(?:created|removed)$/.test(type);
}

function listChanged({ data }: Told): string[] {
  return (data.changed ?? []) as string[];
}

/** In place of a field: whether an event of the record came before. */
const EXISTENCE = 'existence';

interface LaterEvent {
  readonly id: string;
  readonly event: Told;
}

function placesOf(feed: FeedName, { data }: Told): string[] {
  const { current, previous } = data as { current: Watched | null; previous: Watched | null };
  const states = [current, previous].filter((state) => state !== null && state !== undefined);
  const dates = states.map((state) => sliceOf(feed, state)).filter((slice) => slice !== 'undefined');
  return [...new Set(dates)];
}

function judgeSeenBefore(evidence: Evidence, watermark: Watermark, { id, event }: LaterEvent): void {
  if (!('observed' in event.data)) return;
  for (const slice of placesOf(watermark.feed, event)) {
    const instant = throughOf(watermark, slice);
    if (instant !== null && event.by <= instant)
      evidence.violate(
        about(watermark),
        `${event.type} of ${id} was seen before ${iso(instant)} and came after it`,
      );
  }
}

/** The first event of a field after the watermark begins where the look of the watermark saw it. */
function judgeLookedAt(
  evidence: Evidence,
  watermark: Watermark,
  { id, event, seen, changed }: LaterEvent & { readonly seen: Served; readonly changed: ReadonlySet<string> },
): void {
  const { feed } = watermark;
  const { previous, current } = event.data as { previous: Watched | null; current: Watched | null };
  if (event.type.endsWith('.created')) {
    if (!changed.has(EXISTENCE))
      evidence.violate(
        about(watermark),
        `${id} was there when it was looked at, and is told to be new after it`,
      );
    return;
  }
  if (current === null || previous === null) return;
  const versions = evidence.history.world.truth[feed].get(id)?.versions ?? [];
  const between = versions
    .map((version, index) => ({ at: version.at, watched: evidence.watched(feed, id, index) }))
    .filter(({ at }, index) => index >= seen.version && at <= event.by + CLOCK_SKEW_MS);
  for (const field of event.data.changed as string[]) {
    if (changed.has(field) || !(field in previous)) continue;
    const was = JSON.stringify(previous[field]);
    if (between.some(({ watched }) => JSON.stringify(watched?.[field]) === was)) continue;
    evidence.violate(
      about(watermark),
      `${event.type} of ${id} tells ${field} of before the look at ${iso(seen.receivedAt)}`,
    );
  }
}

/**
 * What the first look of the watermark at a record saw; null when that did not see it, or is not certain to count. What a
 * later one saw may wait for the next poll, when the commit of it was dropped.
 */
function findSeen(evidence: Evidence, watermark: Watermark, id: string): Served | null {
  const { feed, told } = watermark;
  const served = evidence.history.journal.served[feed].get(id) ?? [];
  const slices = new Set(served.map(({ version }) => evidence.slice(feed, id, version) ?? ''));
  const [teller, end] = [evidence.committedBy(told), evidence.committedAt(told)];
  const isCounted = (poll: number) => {
    const entry = evidence.poll(poll);
    return poll === teller || (isCertain(entry) && (entry?.endedAt ?? end) < end);
  };
  for (const slice of slices) {
    const instant = throughOf(watermark, slice);
    const looks = instant === null ? [] : looksSince(evidence, watermark, slice, instant);
    const look = looks.find(({ poll }) => isCounted(poll));
    if (look !== undefined && isTakenAgain(evidence, look, slice)) continue;
    const seen = look?.records.get(id);
    if (seen?.shape === 'good' && evidence.slice(feed, id, seen.version) === slice) return seen;
  }
  return null;
}

/** A poll that reads a date once more drops what it had read of it. */
function isTakenAgain({ history }: Evidence, look: Walk, slice: string): boolean {
  return history.journal.walks.some(
    (walk) => walk.poll === look.poll && walk.beganAt > look.beganAt && covers(walk, slice),
  );
}

/** While all is quiet, watermarks are told. */
function judgeSilence(evidence: Evidence, feed: FeedName, watermarks: readonly Watermark[]): void {
  const { settings, journal } = evidence.history;
  const everyMs = settings.connection.watermark ? WATERMARK_MINUTES * 60_000 : 0;
  const able = journal.polls.filter(
    (poll) => poll.feed === feed && poll.startedAt >= settings.quietFrom && isCertain(poll),
  );
  const last = able.at(-1)?.startedAt ?? 0;
  const isDue = everyMs > 0 && able.length > MIN_QUIET_POLLS && last - settings.quietFrom > 2 * everyMs;
  if (isDue && !watermarks.some(({ told }) => told.at >= settings.quietFrom))
    evidence.violate(`${feed} watermark`, 'all is quiet, and none is told', 'late');
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
