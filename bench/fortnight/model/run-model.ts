import { addDays, listDates } from '#shared/core/dates.ts';
import { classifyDate } from '#shared/core/plan/agenda.ts';
import { computeWindow } from '#shared/core/plan/window.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { DAY_MS, MINUTE_MS } from '../trace/calendar.ts';
import type { Trace } from '../trace/trace.ts';
import { type DateClass, Delays, groupOf } from './delays.ts';
import { EventQueue } from './event-queue.ts';
import { type Pace, PacedSource } from './paced-source.ts';
import type { PlannerInput, ScanPlanner, Step } from './planner.ts';
import { walk } from './walk.ts';
import { WatchedDate } from './watched-date.ts';

/** The window of a connection as it is unless configured otherwise. */
export const WINDOW = { backDays: 35, forwardDays: 14 };

/** Before the end of a trace: changes that no look need have seen by then. */
const LAST_CHANGES_MS = 30 * MINUTE_MS;

export interface ModelRunOptions {
  readonly trace: Trace;
  readonly planner: ScanPlanner;
  readonly pace: Pace;
  readonly pageSize: number;
  /** Delays of changes between these instants alone; of all without it. */
  readonly only?: { readonly from: number; readonly to: number };
}

export interface ModelResult {
  readonly requestsPerDay: number;
  /** To the end of the page that showed the change, and to the end of its walk. */
  readonly seen: Delays;
  readonly told: Delays;
  /** Longest time from the beginning of a look at a date to the end of the next, by the date's class. */
  readonly maxAgeMs: Readonly<Record<DateClass, number>>;
  /** Changes that left the window unseen, or were not seen half an hour later when the trace ended. */
  readonly unseen: number;
}

/** Runs a planner over a trace: looks take their pages' time and see what had changed when each page was made. */
export function runModel(order: ModelRunOptions): ModelResult {
  const world = new ModelWorld(order);
  for (const lane of order.planner.lanes) world.runLane(lane);
  if (order.planner.readsPayPeriods) world.readPayPeriods();
  for (
    let next = world.events.take();
    next !== null && next.at < order.trace.to;
    next = world.events.take()
  ) {
    world.now = next.at;
    next.run();
  }
  return world.result();
}

/** What the model keeps while it runs. */
class ModelWorld {
  readonly events = new EventQueue();
  now: number;
  readonly #order: ModelRunOptions;
  readonly #source: PacedSource;
  readonly #dates = new Map<string, WatchedDate>();
  readonly #heads = new Map<string, SliceHead>();
  readonly #seen = new Delays();
  readonly #told = new Delays();
  readonly #maxAgeMs: Record<DateClass, number> = { hot: 0, active: 0, settled: 0 };
  /** Lanes that wait for an instant, each with the wait that counts. */
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
      requestMs: this.#source.requestMs,
    };
  }

  /** Asks a lane's planner for a step and makes it. */
  runLane(lane: string): void {
    this.#waiting.delete(lane);
    const step = this.#order.planner.next(lane, this.#known);
    if ('waitUntil' in step) {
      if (step.waitUntil <= this.now) throw new Error(`${lane} waits until ${step.waitUntil}, which is over`);
      this.#wait(lane, step.waitUntil);
      return;
    }
    if ('asksPayPeriods' in step) this.#askForPayPeriods(() => this.#goOnAll(lane));
    else this.#walk(lane, step);
  }

  /** A lane goes on, and others may have waited for what it brought. */
  #goOnAll(lane: string): void {
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
    this.#askForPayPeriods(() => {});
    this.events.add(this.now + MINUTE_MS, () => this.readPayPeriods());
  }

  #askForPayPeriods(done: () => void): void {
    this.#source.ask(this.now, {
      ended: (begunAt, at) => {
        this.now = at;
        this.#payPeriods = this.#order.trace.payPeriodsAt((begunAt + at) / 2);
        this.#payPeriodsAt = begunAt;
        done();
      },
    });
  }

  result(): ModelResult {
    const { trace } = this.#order;
    // A date that time brought in and nobody looked at counts as well.
    const { from, to } = computeWindow(this.now, 'UTC', WINDOW);
    for (const date of listDates({ from, to }))
      if (!this.#dates.has(date)) this.#watch(date, this.#enteredAt(date));
    for (const [date, watched] of this.#dates) this.#close(date, watched);
    return {
      requestsPerDay: (this.#source.requests * DAY_MS) / (trace.to - trace.from),
      seen: this.#seen,
      told: this.#told,
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
          this.#note(date, { seen, endedAt });
          if (complete && watched !== undefined) this.#finish(date, { watched, startedAt });
          return seen;
        });
        const pages = times.endedAt.length;
        this.#order.planner.learn({ lane, dates, startedAt, endedAt, complete, pages, changes }, this.#known);
        this.#goOnAll(lane);
      },
    );
  }

  #note(date: string, { seen, endedAt }: { seen: ReturnType<WatchedDate['take']>; endedAt: number }): void {
    const dateClass = this.#classOf(date);
    const { only } = this.#order;
    for (const { at, seenAt, type } of seen) {
      if (only !== undefined && (at < only.from || at > only.to)) continue;
      const names = [dateClass, groupOf(type)] as const;
      this.#seen.add(seenAt - at, names);
      this.#told.add(endedAt - at, names);
    }
  }

  #finish(date: string, { watched, startedAt }: { watched: WatchedDate; startedAt: number }): void {
    this.#recordAge(date, watched);
    watched.finish(startedAt);
    this.#heads.set(date, watched.head);
  }

  #recordAge(date: string, { head }: WatchedDate): void {
    const dateClass = this.#classOf(date);
    // What became hot at midnight was not owed a look each minute before.
    const since = dateClass === 'hot' ? Date.parse(`${addDays(date, -1)}T00:00:00Z`) : 0;
    const age = this.now - Math.max(since, head.observedAt ?? this.now);
    this.#maxAgeMs[dateClass] = Math.max(this.#maxAgeMs[dateClass], age);
  }

  /** Begins to watch a date: what happened to it before is known. */
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
    // What changed at the very end may be on its way.
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

/** Every list has a page, also an empty one. */
function countPages(counts: readonly number[], pageSize: number): number {
  return Math.max(1, Math.ceil(counts.reduce((sum, count) => sum + count, 0) / pageSize));
}
