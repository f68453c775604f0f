import { setImmediate } from 'node:timers/promises';
import { EventQueue } from '../model/event-queue.ts';

/** A clock that advances to the next awaited instant when no code can run without waiting. */
export class VirtualTime {
  readonly #events = new EventQueue();
  #now: number;

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

  /** Advances to an instant, and runs everything that is due until then. */
  async runUntil(end: number): Promise<void> {
    for (;;) {
      // Code that need not wait runs first.
      await setImmediate();
      const next = this.#events.peek();
      if (next === null || next > end) break;
      const event = this.#events.take();
      this.#now = Math.max(this.#now, next);
      event?.run();
    }
    this.#now = Math.max(this.#now, end);
  }
}
