import type { EventQueue } from './event-queue.ts';

/** How fast a source answers and may be asked. */
export interface Pace {
  readonly requestMs: number;
  /** Concurrent requests. */
  readonly width: number;
  /** Pages of one walk that may be requested beyond those received; `width` by default. */
  readonly pagesAhead?: number;
  /** Requests that may begin within a second. */
  readonly perSecond: number;
}

/** Lets requests begin as the pace allows, in the order in which they were asked for. */
export class PacedSource {
  requests = 0;
  readonly #pace: Pace;
  readonly #events: EventQueue;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #mayBeginAt = 0;
  #isWakeUpPlanned = false;
  #now = 0;

  constructor(pace: Pace, events: EventQueue) {
    this.#pace = pace;
    this.#events = events;
  }

  get requestMs(): number {
    return this.#pace.requestMs;
  }

  /** Requests a page; `onAnswer` gets the instants at which the request began and ended. */
  ask(now: number, onAnswer: (begunAt: number, endedAt: number) => void): void {
    this.#waiting.push(() => {
      const begunAt = this.#now;
      const endedAt = begunAt + this.#pace.requestMs;
      this.#events.add(endedAt, () => {
        this.#underWay -= 1;
        onAnswer(begunAt, endedAt);
        this.#serve(endedAt);
      });
    });
    this.#serve(now);
  }

  #serve(now: number): void {
    this.#now = now;
    while (this.#waiting.length > 0 && this.#underWay < this.#pace.width) {
      if (now < this.#mayBeginAt) {
        this.#wakeUp(this.#mayBeginAt);
        return;
      }
      this.requests += 1;
      this.#underWay += 1;
      this.#mayBeginAt = Math.max(this.#mayBeginAt, now) + 1_000 / this.#pace.perSecond;
      this.#waiting.shift()?.();
      this.#now = now;
    }
  }

  #wakeUp(at: number): void {
    if (this.#isWakeUpPlanned) return;
    this.#isWakeUpPlanned = true;
    this.#events.add(at, () => {
      this.#isWakeUpPlanned = false;
      this.#serve(at);
    });
  }
}
