import * as z from 'zod';

/** How far a replay is: all batches of the feed before this one were published, and `events` of this one. */
export const replayCursorSchema = z.object({
  /** Position of the feed in the request. */
  feed: z.int().min(0),
  /** Commit instant and pointer of the last batch that was published at least in part; instants are not unique. */
  committedAt: z.number(),
  pointer: z.string(),
  /** How many of its selected events were published; null for all of them. */
  events: z.int().min(1).nullable(),
});
export type ReplayCursor = z.output<typeof replayCursorSchema>;

/** How many of the selected events of a batch were published already; null when all were. Pointers grow. */
export function countEventsDone(cursor: ReplayCursor | null, feed: number, pointer: string): number | null {
  if (cursor === null || feed > cursor.feed) return 0;
  if (feed < cursor.feed || pointer < cursor.pointer) return null;
  return pointer === cursor.pointer ? cursor.events : 0;
}
