/** What is due at an instant, in milliseconds since 1970. */
interface Task {
  readonly at: number;
  readonly act: () => void;
}

/** Future tasks, in order of time; at the same time, in the order they were added. */
export class Agenda {
  /** The next one is the last. */
  readonly #tasks: Task[] = [];

  add(at: number, act: () => void): void {
    let [low, high] = [0, this.#tasks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#tasks[middle]?.at ?? at) > at) low = middle + 1;
      else high = middle;
    }
    this.#tasks.splice(low, 0, { at, act });
  }

  /** Removes and returns the earliest task due at or before an instant. */
  takeDue(until: number): Task | undefined {
    const next = this.#tasks.at(-1);
    return next === undefined || next.at > until ? undefined : this.#tasks.pop();
  }
}
