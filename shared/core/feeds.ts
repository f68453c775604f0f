import * as z from 'zod';

/** Feeds of records that pay follows from, which every connection has. */
export const PAY_FEEDS = ['timesheets', 'pay-periods'] as const;
/** Feeds of who works where, polled where the config asks for them. */
export const DIRECTORY_FEEDS = ['employees', 'departments'] as const;
/** Kinds of record that are watched on a connection. Part of event ids and storage keys; appended only. */
export const FEED_NAMES = [...PAY_FEEDS, ...DIRECTORY_FEEDS] as const;
export const feedNameSchema = z.enum(FEED_NAMES);
export type FeedName = z.output<typeof feedNameSchema>;
const directoryFeedSchema = z.enum(DIRECTORY_FEEDS);
export type DirectoryFeed = z.output<typeof directoryFeedSchema>;

/** One feed of one connection: what a poll works on, and the owner of heads, rows and events. */
export interface FeedKey {
  readonly connection: string;
  readonly feed: FeedName;
}

export function isDirectoryFeed(feed: FeedName): feed is DirectoryFeed {
  return directoryFeedSchema.safeParse(feed).success;
}
