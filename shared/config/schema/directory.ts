import * as z from 'zod';
import { FEED_NAMES, type FeedName, PAY_FEEDS } from '../../core/feeds.ts';
import type { ConfigIssue } from './config-issues.ts';

/** How often employees and departments are polled. */
export const directoryRateSchema = z.strictObject({
  /** Minutes between two polls, each of which requests both lists once. */
  everyMinutes: z.int().min(5).max(240).default(20),
});

interface Schedules {
  readonly schedules: { readonly directory?: object | undefined };
}

/** The feeds that are polled. */
export function listPolledFeeds({ schedules }: Schedules): readonly FeedName[] {
  return schedules.directory === undefined ? PAY_FEEDS : FEED_NAMES;
}

interface Receivers extends Schedules {
  readonly subscriptions: readonly { readonly topics: readonly string[] }[];
  readonly webhooks: readonly { readonly topics: readonly string[] }[];
}

/** Who subscribes to the directory waits for ever where it is not polled. */
export function findDirectoryIssues({ schedules, subscriptions, webhooks }: Receivers): ConfigIssue[] {
  if (schedules.directory !== undefined) return [];
  const message = 'employees and departments are not polled; set schedules.directory, such as {}';
  return Object.entries({ subscriptions, webhooks }).flatMap(([list, entries]) =>
    entries.flatMap((entry, index) =>
      entry.topics.includes('directory') ? [{ path: [list, index, 'topics'], message }] : [],
    ),
  );
}
