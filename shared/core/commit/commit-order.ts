/**
 * Outboxes are published in the order of their pointers, and a pointer begins with the instant of its commit. So
 * that a record's events go out in their order even when the clocks of two polls differ (rules 1 and 3), a commit
 * is dated after every one that may still wait.
 */

/** The instant of the latest of some commits, by their pointers; 0 when there are none. */
export function findLatestCommitAt(pointers: readonly string[]): number {
  return pointers.reduce(
    (latest, pointer) => Math.max(latest, Date.parse(pointer.slice(0, pointer.indexOf('/')))),
    0,
  );
}

/** Dates the commits of a poll, each after every one whose events may still wait, of whichever poll. */
export class CommitClock {
  #latest: number;

  constructor(waiting: readonly string[]) {
    this.#latest = findLatestCommitAt(waiting);
  }

  /** Batches of other polls, by their pointers, that may still wait. */
  follow(pointers: readonly string[]): void {
    this.#latest = Math.max(this.#latest, findLatestCommitAt(pointers));
  }

  /** The instant of the next commit: now, when the clock agrees. Milliseconds since 1970. */
  next(now: number): number {
    this.#latest = Math.max(now, this.#latest + 1);
    return this.#latest;
  }
}
