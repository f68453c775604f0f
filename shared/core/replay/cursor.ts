import * as z from 'zod';

/** How far a replay is: everything committed to this feed before this batch went out, and of it what `events` says. */
export const replayCursorSchema = z.object({
  /** Position of the feed in the request. */
  feed: z.int().min(0),
  /** Instant of the last batch of which something went out, and which it was: several can have one instant. */
  committedAt: z.number(),
  pointer: z.string(),
  /** So many of its events that are wanted; null for all of them. */
  events: z.int().min(1).nullable(),
});
export type ReplayCursor = z.output<typeof replayCursorSchema>;

/**
 * How many of the wanted events of a batch went out already; null when all of them did. Batches come in the order of
 * their pointers.
 */
export function countEventsDone(cursor: ReplayCursor | null, feed: number, pointer: string): number | null {
  if (cursor === null || feed > cursor.feed) return 0;
  if (feed < cursor.feed || pointer < cursor.pointer) return null;
  return pointer === cursor.pointer ? cursor.events : 0;
}
