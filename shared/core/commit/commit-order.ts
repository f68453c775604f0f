/**
 * Outboxes are published in the order of their pointers, which begin with the instant of the commit. So a commit gets
 * an instant after every commit that may still wait, and the events of a record keep their order even if the clocks of
 * two polls differ (rules 1 and 3).
 */

/** The instant of the latest commit among these pointers; 0 when there are none. */
export function findLatestCommitAt(pointers: readonly string[]): number {
  return pointers.reduce(
    (latest, pointer) => Math.max(latest, Date.parse(pointer.slice(0, pointer.indexOf('/')))),
    0,
  );
}

/** Gives each commit of a poll a time later than any commit, of any poll, with unpublished events. */
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
