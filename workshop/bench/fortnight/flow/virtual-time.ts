import { setImmediate } from 'node:timers/promises';

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

/** Callbacks in order of their instants; callbacks of one instant keep the order in which they were added. */
class EventQueue {
  readonly #heap: { readonly at: number; readonly order: number; readonly run: () => void }[] = [];
  #order = 0;

  add(at: number, run: () => void): void {
    const heap = this.#heap;
    heap.push({ at, order: this.#order, run });
    this.#order += 1;
    let index = heap.length - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#comesFirst(parent, index)) return;
      this.#swap(parent, index);
      index = parent;
    }
  }

  /** The earliest instant; null when the queue is empty. */
  peek(): number | null {
    return this.#heap[0]?.at ?? null;
  }

  /** Removes and returns the earliest entry; null when the queue is empty. */
  take(): { readonly at: number; readonly run: () => void } | null {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return null;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return first;
  }

  #sink(): void {
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let first = index;
      if (left < this.#heap.length && this.#comesFirst(left, first)) first = left;
      if (right < this.#heap.length && this.#comesFirst(right, first)) first = right;
      if (first === index) return;
      this.#swap(first, index);
      index = first;
    }
  }

  #comesFirst(left: number, right: number): boolean {
    const [a, b] = [this.#heap[left], this.#heap[right]];
    if (a === undefined || b === undefined) return a !== undefined;
    return a.at === b.at ? a.order < b.order : a.at < b.at;
  }

  #swap(left: number, right: number): void {
    const heap = this.#heap;
    const [a, b] = [heap[left], heap[right]];
    if (a === undefined || b === undefined) return;
    heap[left] = b;
    heap[right] = a;
  }
}
