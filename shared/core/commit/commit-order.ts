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

/** The instant of the next commit: now, but after `latest`. */
export function computeNextCommitAt(now: number, latest: number): number {
  return Math.max(now, latest + 1);
}
