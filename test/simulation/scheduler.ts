import type { Random } from './random.ts';

/** One task in virtual time. The scheduler resumes it, or never does. */
export interface Life {
  /** Waits in virtual time; tasks that are due earlier run first. */
  pause(milliseconds: number): Promise<void>;
  /** Ends the task at once: the promise never settles, so not even `finally` blocks run. */
  crash(): Promise<never>;
}

interface WakeUp {
  readonly at: number;
  /** Random order of wake-ups at one instant. */
  readonly place: number;
  readonly wake: () => void;
}

/** Steps in one turn of Node's event loop, which costs as much as a step. */
const STEPS_A_TURN = 64;

/**
 * Virtual time. One task at a time runs from one pause to the next, and no two wake-ups share an instant: a history
 * depends on its seed alone, and an instant names one moment of it.
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

  /** Starts a task. It is killed at `killedAt`, wherever it is then. An error of its work ends the run. */
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

  /** Runs until no task waits. */
  async run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        // A task may wait for several promises at once: it has paused again when none of them can run, and only then
        // does Node go on to the next of these.
        for (let steps = 0; steps < STEPS_A_TURN; steps += 1) setImmediate(() => this.#step());
        setImmediate(resolve);
      });
      if (this.#failure !== null) throw this.#failure.error;
    }
  }

  /** Wakes the first of those that wait, unless something failed. */
  #step(): void {
    const next = this.#failure === null ? this.#takeFirst() : undefined;
    if (next === undefined) return;
    this.#now = Math.max(this.#now + 1, next.at);
    next.wake();
  }

  /** A task that crashed meanwhile does not wake up, whatever else it was waiting for. */
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

  /** Few tasks wait at a time: a search costs less than a sorted list. */
  #takeFirst(): WakeUp | undefined {
    let first = 0;
    for (const [index, { at, place }] of this.#waiting.entries()) {
      const best = this.#waiting[first];
      if (best !== undefined && (at < best.at || (at === best.at && place < best.place))) first = index;
    }
    return this.#waiting.splice(first, 1)[0];
  }
}
