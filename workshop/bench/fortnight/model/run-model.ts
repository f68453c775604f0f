import { addDays, listDates } from '#shared/core/dates.ts';
import { classifyDate } from '#shared/core/plan/agenda.ts';
import { computeWindow } from '#shared/core/plan/window.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import type { DateClass } from '#shared/core/snapshot/learned-state.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { DAY_MS, MINUTE_MS } from '../trace/calendar.ts';
import type { Trace } from '../trace/trace.ts';
import { Delays, groupOf } from './delays.ts';
import { EventQueue } from './event-queue.ts';
import { type Pace, PacedSource } from './paced-source.ts';
import type { PlannerInput, ScanPlanner, Step } from './planner.ts';
import { walk } from './walk.ts';
import { WatchedDate } from './watched-date.ts';

/** The default window of a connection. */
export const WINDOW = { backDays: 35, forwardDays: 14 };

/** Changes in the last half hour of a trace need not be seen. */
const LAST_CHANGES_MS = 30 * MINUTE_MS;

export interface ModelRunOptions {
  readonly trace: Trace;
  readonly planner: ScanPlanner;
  readonly pace: Pace;
  readonly pageSize: number;
  /** Counts only delays of changes between these instants. */
  readonly only?: { readonly from: number; readonly to: number };
}

export interface ModelResult {
  readonly requestsPerDay: number;
  /** Until the end of the page that showed the change. */
  readonly seen: Delays;
  /** Until the end of the walk that showed the change. */
  readonly published: Delays;
  /** Longest time from the start of a scan of a date to the end of the next one, by class of the date. */
  readonly maxAgeMs: Readonly<Record<DateClass, number>>;
  /** Changes that left the window unseen, or were not seen half an hour later when the trace ended. */
  readonly unseen: number;
}

/**
 * Runs a planner over a trace: a scan takes the time of its pages and sees what had changed when each page was made.
 */
export function runModel(order: ModelRunOptions): ModelResult {
  const run = new ModelRun(order);
  for (const lane of order.planner.lanes) run.runLane(lane);
  if (order.planner.readsPayPeriods) run.readPayPeriods();
  for (let next = run.events.take(); next !== null && next.at < order.trace.to; next = run.events.take()) {
    run.now = next.at;
    next.run();
  }
  return run.result();
}

/** The state of one run of the model. */
class ModelRun {
  readonly events = new EventQueue();
  now: number;
  readonly #order: ModelRunOptions;
  readonly #source: PacedSource;
  readonly #dates = new Map<string, WatchedDate>();
  readonly #heads = new Map<string, SliceHead>();
  readonly #seen = new Delays();
  readonly #published = new Delays();
  readonly #maxAgeMs: Record<DateClass, number> = { hot: 0, active: 0, settled: 0 };
  /** Lanes that wait for an instant, each with its latest wait: an earlier one must not wake the lane. */
  readonly #waiting = new Map<string, symbol>();
  #payPeriods: readonly PayPeriodHint[];
  #payPeriodsAt: number;
  #unseen = 0;

  constructor(order: ModelRunOptions) {
    this.#order = order;
    this.now = order.trace.from;
    this.#source = new PacedSource(order.pace, this.events);
    this.#payPeriods = order.trace.payPeriodsAt(this.now);
    this.#payPeriodsAt = this.now;
    const { from, to } = computeWindow(this.now, 'UTC', WINDOW);
    for (const date of listDates({ from, to })) this.#watch(date, this.now);
  }

  get #known(): PlannerInput {
    return {
      now: this.now,
      heads: this.#heads,
      payPeriods: this.#payPeriods,
      payPeriodsAt: this.#payPeriodsAt,
      pageSize: this.#order.pageSize,
    };
  }

  /** Asks the planner for a lane's next step and carries it out. */
  runLane(lane: string): void {
    this.#waiting.delete(lane);
    const step = this.#order.planner.next(lane, this.#known);
    if ('waitUntil' in step) {
      if (step.waitUntil <= this.now)
        throw new Error(`${lane} waits until ${step.waitUntil}, which is in the past`);
      this.#wait(lane, step.waitUntil);
      return;
    }
    if ('readsPayPeriods' in step) this.#requestPayPeriods(() => this.#resumeLanes(lane));
    else this.#walk(lane, step);
  }

  /** Resumes a lane, and the lanes that may have waited for its result. */
  #resumeLanes(lane: string): void {
    this.runLane(lane);
    for (const other of [...this.#waiting.keys()]) this.runLane(other);
  }

  #wait(lane: string, until: number): void {
    const wait = Symbol(lane);
    this.#waiting.set(lane, wait);
    this.events.add(until, () => {
      if (this.#waiting.get(lane) === wait) this.runLane(lane);
    });
  }

  readPayPeriods(): void {
    this.#requestPayPeriods(() => {});
    this.events.add(this.now + MINUTE_MS, () => this.readPayPeriods());
  }

  #requestPayPeriods(done: () => void): void {
    this.#source.ask(this.now, (begunAt, endedAt) => {
      this.now = endedAt;
      this.#payPeriods = this.#order.trace.payPeriodsAt((begunAt + endedAt) / 2);
      this.#payPeriodsAt = begunAt;
      done();
    });
  }

  result(): ModelResult {
    const { trace } = this.#order;
    // Dates that entered the window and were never read count as well.
    const { from, to } = computeWindow(this.now, 'UTC', WINDOW);
    for (const date of listDates({ from, to }))
      if (!this.#dates.has(date)) this.#watch(date, this.#enteredAt(date));
    for (const [date, watched] of this.#dates) this.#close(date, watched);
    return {
      requestsPerDay: (this.#source.requests * DAY_MS) / (trace.to - trace.from),
      seen: this.#seen,
      published: this.#published,
      maxAgeMs: this.#maxAgeMs,
      unseen: this.#unseen,
    };
  }

  #walk(lane: string, { dates, askUntil }: Extract<Step, { dates: unknown }>): void {
    const { trace, pageSize, pace } = this.#order;
    for (const date of dates) if (!this.#dates.has(date)) this.#watch(date, this.#enteredAt(date));
    const counts = dates.map((date) => trace.recordsOn(date, this.now));
    walk(
      {
        source: this.#source,
        now: this.now,
        pages: countPages(counts, pageSize),
        pagesAhead: pace.pagesAhead ?? pace.width,
        askUntil,
      },
      ({ times, complete, startedAt, endedAt }) => {
        this.now = endedAt;
        const changes = dates.flatMap((date, index) => {
          const offset = counts.slice(0, index).reduce((sum, count) => sum + count, 0);
          const watched = this.#dates.get(date);
          const seen = watched?.take(times, { offset, records: counts[index] ?? 0, pageSize }) ?? [];
          this.#recordDelays(date, { seen, endedAt });
          if (complete && watched !== undefined) this.#finish(date, { watched, startedAt });
          return seen;
        });
        const pages = times.endedAt.length;
        this.#order.planner.learn({ lane, dates, startedAt, endedAt, complete, pages, changes }, this.#known);
        this.#resumeLanes(lane);
      },
    );
  }

  #recordDelays(
    date: string,
    { seen, endedAt }: { seen: ReturnType<WatchedDate['take']>; endedAt: number },
  ): void {
    const dateClass = this.#classOf(date);
    const { only } = this.#order;
    for (const { at, seenAt, type } of seen) {
      if (only !== undefined && (at < only.from || at > only.to)) continue;
      const names = [dateClass, groupOf(type)] as const;
      this.#seen.add(seenAt - at, names);
      this.#published.add(endedAt - at, names);
    }
  }

  #finish(date: string, { watched, startedAt }: { watched: WatchedDate; startedAt: number }): void {
    this.#recordAge(date, watched);
    watched.finish(startedAt);
    this.#heads.set(date, watched.head);
  }

  #recordAge(date: string, { head }: WatchedDate): void {
    const dateClass = this.#classOf(date);
    // A date that became hot at midnight was not due every minute before.
    const since = dateClass === 'hot' ? Date.parse(`${addDays(date, -1)}T00:00:00Z`) : 0;
    const age = this.now - Math.max(since, head.observedAt ?? this.now);
    this.#maxAgeMs[dateClass] = Math.max(this.#maxAgeMs[dateClass], age);
  }

  /** Starts to watch a date whose earlier changes are known. */
  #watch(date: string, knownUntil: number): void {
    const watched = new WatchedDate(this.#order.trace.changesOfDate(date), knownUntil);
    this.#dates.set(date, watched);
    this.#heads.set(date, watched.head);
    const { from } = computeWindow(this.now, 'UTC', WINDOW);
    for (const [old, left] of this.#dates) if (old < from) this.#leave(old, left);
  }

  #leave(date: string, watched: WatchedDate): void {
    this.#close(date, watched);
    this.#dates.delete(date);
    this.#heads.delete(date);
  }

  #close(date: string, watched: WatchedDate): void {
    this.#recordAge(date, watched);
    // Changes at the very end may not have been read yet.
    const until = Math.min(this.now, this.#order.trace.to - LAST_CHANGES_MS, this.#leftAt(date));
    this.#unseen += watched.unseen(until).length;
  }

  #enteredAt(date: string): number {
    return Date.parse(`${addDays(date, -WINDOW.forwardDays)}T00:00:00Z`);
  }

  #leftAt(date: string): number {
    return Date.parse(`${addDays(date, WINDOW.backDays + 1)}T00:00:00Z`);
  }

  #classOf(date: string): DateClass {
    const known = { now: this.now, timeZone: 'UTC', payPeriods: this.#payPeriods };
    return classifyDate(date, known, this.#heads.get(date));
  }
}

/** An empty list has one page, too. */
function countPages(counts: readonly number[], pageSize: number): number {
  return Math.max(1, Math.ceil(counts.reduce((sum, count) => sum + count, 0) / pageSize));
}
