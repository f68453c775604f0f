import { setImmediate as settled } from 'node:timers/promises';
import type { Random } from './random.ts';

/** One run of something in virtual time: it goes on when the scheduler says so, or never again. */
export interface Life {
  /** Lets virtual time pass; whoever else is due meanwhile goes on first. */
  pause(milliseconds: number): Promise<void>;
  /** Ends this life here and now: the promise never settles, so that not even `finally` blocks run. */
  crash(): Promise<never>;
}

interface WakeUp {
  readonly at: number;
  /** Decides between wake-ups of one instant. */
  readonly place: number;
  readonly wake: () => void;
}

/**
 * Virtual time. One life at a time goes on, from one pause to its next, and no two wake-ups share an instant: so a
 * history depends on nothing but its seed, and an instant names one moment of it.
 */
export class Scheduler {
  #now: number;
  readonly #random: Random;
  readonly #waiting: WakeUp[] = [];
  #failure: { readonly error: unknown } | null = null;

  constructor(startAt: number, random: Random) {
    this.#now = startAt;
    this.#random = random;
  }

  now(): number {
    return this.#now;
  }

  /** Starts a life at an instant. It is over by `killedAt` at the latest, wherever it is then. Its work must not fail. */
  start(
    times: { readonly at: number; readonly killedAt: number },
    work: (life: Life) => Promise<void>,
  ): void {
    let isOver = false;
    const life: Life = {
      pause: (milliseconds) => {
        const at = this.#now + milliseconds;
        return isOver || at >= times.killedAt ? life.crash() : this.#sleep(at, () => isOver);
      },
      crash: () => {
        isOver = true;
        return new Promise<never>(() => {});
      },
    };
    this.#waitFor(times.at, () => {
      work(life).catch((error: unknown) => {
        this.#failure ??= { error };
      });
    });
  }

  /** Runs until nothing is left to do. */
  async run(): Promise<void> {
    for (;;) {
      if (this.#failure !== null) throw this.#failure.error;
      const next = this.#takeFirst();
      if (next === undefined) return;
      this.#now = Math.max(this.#now + 1, next.at);
      next.wake();
      // A life may wait for several things at once: it has gone on when nothing of it is left to be done.
      await settled();
    }
  }

  /** Whoever died meanwhile does not wake up, whatever else his life was waiting for. */
  #sleep(at: number, isOver: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waitFor(at, () => {
        if (!isOver()) resolve();
      });
    });
  }

  #waitFor(at: number, wake: () => void): void {
    this.#waiting.push({ at, place: this.#random.next(), wake });
  }

  /** Few wait at a time, so a search costs less than keeping order. */
  #takeFirst(): WakeUp | undefined {
    let first = 0;
    for (const [index, { at, place }] of this.#waiting.entries()) {
      const best = this.#waiting[first];
      if (best !== undefined && (at < best.at || (at === best.at && place < best.place))) first = index;
    }
    return this.#waiting.splice(first, 1)[0];
  }
}
