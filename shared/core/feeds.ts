import * as z from 'zod';

/** Kinds of record that are watched on a connection. Part of event ids and storage keys. */
export const FEED_NAMES = ['timesheets', 'pay-periods'] as const;
export const feedNameSchema = z.enum(FEED_NAMES);
export type FeedName = z.output<typeof feedNameSchema>;

/** One feed of one connection: what a poll works on, and the owner of heads, leaves, events and outboxes. */
export interface FeedKey {
  readonly connection: string;
  readonly feed: FeedName;
}
