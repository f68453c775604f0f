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

/** The instant of a commit after that one: now, when the clock agrees. */
export function computeNextCommitAt(now: number, latest: number): number {
  return Math.max(now, latest + 1);
}
