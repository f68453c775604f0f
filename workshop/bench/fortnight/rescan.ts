import { computeWindow, listDates, type WatchedWindow } from '#shared/core/dates.ts';
import { Delays } from './flow/delays.ts';
import { DAY_MS, dateOf } from './trace/calendar.ts';
import type { Trace, TraceChange } from './trace/trace.ts';

export interface RescanOptions {
  readonly trace: Trace;
  readonly from: number;
  readonly to: number;
  /** From the start of a walk to the start of the next one, unless the walk takes longer. */
  readonly intervalMs: number;
  readonly window: WatchedWindow;
  readonly requestMs: number;
  /** Requests that may begin within a second; all pages but the first are requested at once as far as it allows. */
  readonly perSecond: number;
  readonly pageSize: number;
}

export interface RescanResult {
  readonly requestsPerDay: number;
  /** Until the end of the page that showed the change. */
  readonly delays: Delays;
  /** Longest time from the start of a walk to the end of the next one. */
  readonly maxAgeMs: number;
}

/** A walk over a window: every page shows the source half-way through its request. */
interface Walk {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly pages: number;
  readonly dates: readonly string[];
}

/** The baseline of a fast poll: walks the same window over and over, and asks for nothing else. */
export function rescan(order: RescanOptions): RescanResult {
  const { from, to } = order;
  const walks: Walk[] = [];
  for (let at = from; at < to; ) {
    const walk = beginWalk(order, at);
    walks.push(walk);
    at = Math.max(at + order.intervalMs, walk.endedAt);
  }
  const requests = walks.reduce((sum, { pages }) => sum + pages, 0);
  const ages = walks.slice(1).map(({ endedAt }, index) => endedAt - (walks[index]?.startedAt ?? 0));
  return {
    requestsPerDay: (requests * DAY_MS) / (to - from),
    delays: measureDelays(order, walks),
    maxAgeMs: Math.max(0, ...ages),
  };
}

function measureDelays(order: RescanOptions, walks: readonly Walk[]): Delays {
  const { trace, from, to } = order;
  const delays = new Delays();
  let first = 0;
  for (const date of listDates({ from: dayOfInstant(from), to: dayOfInstant(to - 1) })) {
    for (const change of trace.changesOnDay(date)) {
      if (change.at < from || change.at >= to) continue;
      while (first < walks.length && (walks[first]?.endedAt ?? 0) < change.at) first += 1;
      const seenAt = findSeenAt(order, walks.slice(first, first + 2), change);
      if (seenAt !== null) delays.add(seenAt - change.at, change.type);
    }
  }
  return delays;
}

function beginWalk(order: RescanOptions, startedAt: number): Walk {
  const { trace, window, pageSize } = order;
  const dates = listDates(computeWindow(startedAt, 'UTC', window));
  const records = dates.reduce((sum, date) => sum + trace.recordsOn(date, startedAt), 0);
  const pages = Math.max(1, Math.ceil(records / pageSize));
  return { startedAt, endedAt: arrivesAt(order, startedAt, pages - 1), pages, dates };
}

function arrivesAt({ requestMs, perSecond }: RescanOptions, startedAt: number, page: number): number {
  if (page === 0) return startedAt + requestMs;
  return startedAt + 2 * requestMs + Math.max(0, (page * 1_000) / perSecond - requestMs);
}

/** When the first of these walks shows a change; null when its date is not among theirs. */
function findSeenAt(order: RescanOptions, walks: readonly Walk[], change: TraceChange): number | null {
  for (const walk of walks) {
    const place = walk.dates.indexOf(change.date);
    if (place < 0) continue;
    const arrivedAt = arrivesAt(order, walk.startedAt, pageOf(order, walk, change));
    if (arrivedAt - order.requestMs / 2 >= change.at) return arrivedAt;
  }
  return null;
}

function pageOf({ trace, pageSize }: RescanOptions, { startedAt, dates, pages }: Walk, change: TraceChange) {
  let offset = 0;
  for (const date of dates) {
    if (date === change.date) break;
    offset += trace.recordsOn(date, startedAt);
  }
  const share = change.record / Math.max(1, trace.changesOfDate(change.date).employees.length);
  const place = offset + share * trace.recordsOn(change.date, startedAt);
  return Math.min(pages - 1, Math.floor(place / pageSize));
}

function dayOfInstant(at: number): string {
  return dateOf(Math.floor(at / DAY_MS));
}
