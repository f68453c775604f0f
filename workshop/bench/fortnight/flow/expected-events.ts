import { addDays } from '#shared/core/dates.ts';
import { DAY_MS, dateOf } from '../trace/calendar.ts';
import type { ChangeType } from '../trace/life.ts';
import { recordId, type Trace } from '../trace/trace.ts';
import { Delays } from './delays.ts';
import { WINDOW } from './spans.ts';

/** What of an event is compared with the trace. */
export interface EventSummary {
  readonly type: string;
  readonly subject: string;
}

/** Compares published events with the changes of a trace within the window, and measures their delays. */
export class ExpectedEvents {
  readonly delays = new Delays();
  published = 0;
  /** Events without a change. */
  readonly invented: EventSummary[] = [];
  readonly #open = new Map<string, number[]>();
  readonly #trace: Trace;
  readonly #from: number;
  #day: number;

  /** Expects the changes from an instant on. */
  constructor(trace: Trace, from: number) {
    this.#trace = trace;
    this.#from = from;
    this.#day = Math.floor(from / DAY_MS);
  }

  notePublished({ type, subject }: EventSummary, at: number): void {
    this.#expectUntil(at);
    const name = type.replace('workforce.', '');
    const times = this.#open.get(`${subject} ${name}`);
    const changedAt = times?.shift();
    if (changedAt === undefined || changedAt > at) {
      this.invented.push({ type, subject });
      return;
    }
    this.published += 1;
    this.delays.add(at - changedAt, name as ChangeType);
  }

  /** Changes between two instants without an event. */
  findMissing(from: number, until: number): string[] {
    this.#expectUntil(until);
    const isDue = (at: number) => from <= at && at <= until;
    return [...this.#open].flatMap(([name, times]) => times.filter(isDue).map(() => name));
  }

  #expectUntil(at: number): void {
    for (; this.#day * DAY_MS <= at; this.#day += 1) {
      const today = dateOf(this.#day);
      const [first, last] = [addDays(today, -WINDOW.backDays), addDays(today, WINDOW.forwardDays)];
      for (const change of this.#trace.changesOnDay(today)) {
        if (change.at < this.#from || change.date < first || change.date > last) continue;
        const key = `${recordId(change.date, change.record)} ${change.type}`;
        const times = this.#open.get(key);
        if (times === undefined) this.#open.set(key, [change.at]);
        else times.push(change.at);
      }
    }
  }
}
