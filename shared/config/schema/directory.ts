import { FEED_NAMES, type FeedName, PAY_FEEDS } from '../../core/feeds.ts';
import type { ConfigIssue } from './config-issues.ts';

interface Polled {
  readonly poll: { readonly directory: boolean };
}

/** The feeds that are polled. */
export function listPolledFeeds({ poll }: Polled): readonly FeedName[] {
  return poll.directory ? FEED_NAMES : PAY_FEEDS;
}

interface Receivers extends Polled {
  readonly queues: readonly { readonly topics: readonly string[] }[];
  readonly webhooks: readonly { readonly topics: readonly string[] }[];
}

/** Who subscribes to the directory waits for ever where it is not polled. */
export function findDirectoryIssues({ poll, queues, webhooks }: Receivers): ConfigIssue[] {
  if (poll.directory) return [];
  const message = 'employees and departments are not polled; set poll.directory to true';
  return Object.entries({ queues, webhooks }).flatMap(([list, entries]) =>
    entries.flatMap((entry, index) =>
      entry.topics.includes('directory') ? [{ path: [list, index, 'topics'], message }] : [],
    ),
  );
}
