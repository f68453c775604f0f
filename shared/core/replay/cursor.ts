import * as z from 'zod';

/** How far a replay is: everything committed to this feed up to this batch went out. */
export const replayCursorSchema = z.strictObject({
  /** Position of the feed in the request. */
  feed: z.int().min(0),
  /** Instant of the last batch that went out, and which it was: several can have one instant. */
  committedAt: z.number(),
  pointer: z.string(),
});
export type ReplayCursor = z.output<typeof replayCursorSchema>;

/** Whether a batch of a feed went out already. Batches come in the order of their pointers. */
export function isDone(cursor: ReplayCursor | null, feed: number, pointer: string): boolean {
  if (cursor === null || feed > cursor.feed) return false;
  return feed < cursor.feed || pointer <= cursor.pointer;
}
