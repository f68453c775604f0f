import { setImmediate } from 'node:timers/promises';
import { EventQueue } from '../model/event-queue.ts';

/** A clock that stands still while anybody works, and goes to the next instant somebody waits for when nobody does. */
export class VirtualTime {
  readonly #events = new EventQueue();
  #now: number;
  #outside = 0;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  async sleep(milliseconds: number): Promise<void> {
    await this.sleepUntil(this.#now + milliseconds);
  }

  async sleepUntil(at: number): Promise<void> {
    await new Promise<void>((resolve) => this.#events.add(Math.max(at, this.#now), resolve));
  }

  /** Holds the clock while something is done that takes real time, such as a request to an engine. */
  async hold<Result>(work: Promise<Result>): Promise<Result> {
    this.#outside += 1;
    try {
      return await work;
    } finally {
      this.#outside -= 1;
    }
  }

  /** Lets time pass until an instant is reached and all that was to happen before it has happened. */
  async runUntil(end: number): Promise<void> {
    for (;;) {
      // Whatever can go on without waiting goes on first.
      await setImmediate();
      while (this.#outside > 0) await setImmediate();
      const next = this.#events.peek();
      if (next === null || next > end) break;
      const event = this.#events.take();
      this.#now = Math.max(this.#now, next);
      event?.run();
    }
    this.#now = Math.max(this.#now, end);
  }
}
