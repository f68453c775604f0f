import type { EventQueue } from './event-queue.ts';

/** How fast a source can be asked. */
export interface Pace {
  /** What one request takes. */
  readonly requestMs: number;
  /** Requests under way at once. */
  readonly width: number;
  /** Pages of one walk that are asked for beyond those that came; as many as the width without it. */
  readonly pagesAhead?: number;
  /** Requests that may begin in a second. */
  readonly perSecond: number;
}

/** Lets requests begin as the pace allows, in turn for everybody who waits. */
export class PacedSource {
  requests = 0;
  readonly #pace: Pace;
  readonly #events: EventQueue;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #mayBeginAt = 0;
  #isWoken = false;
  #now = 0;

  constructor(pace: Pace, events: EventQueue) {
    this.#pace = pace;
    this.#events = events;
  }

  get requestMs(): number {
    return this.#pace.requestMs;
  }

  /** Asks for a page: `begun` when the request goes out, `ended` when its answer is there. */
  ask(
    now: number,
    request: { begun?: (at: number) => void; ended: (begunAt: number, at: number) => void },
  ): void {
    this.#waiting.push(() => {
      const at = this.#now;
      request.begun?.(at);
      this.#events.add(at + this.#pace.requestMs, () => {
        this.#underWay -= 1;
        request.ended(at, at + this.#pace.requestMs);
        this.#serve(at + this.#pace.requestMs);
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
    if (this.#isWoken) return;
    this.#isWoken = true;
    this.#events.add(at, () => {
      this.#isWoken = false;
      this.#serve(at);
    });
  }
}
