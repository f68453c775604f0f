import { FEED_NAMES, type FeedName, PAY_FEEDS } from '../../core/feeds.ts';
import { FEED_OF_NAMES, type NamedKind } from '../../people/names/names.ts';
import type { ConfigIssue } from './config-issues.ts';

interface Published {
  readonly poll: { readonly directory: boolean };
}

export interface Polled extends Published {
  readonly people: { readonly names: readonly NamedKind[] };
}

/** The feeds whose changes are published. */
export function listPublishedFeeds({ poll }: Published): readonly FeedName[] {
  return poll.directory ? FEED_NAMES : PAY_FEEDS;
}

/** The feeds that are polled: those of which events are published, and those that have names which people see. */
export function listPolledFeeds({ poll, people }: Polled): readonly FeedName[] {
  const named = people.names.map((kind) => FEED_OF_NAMES[kind]);
  const wanted = new Set<FeedName>([...listPublishedFeeds({ poll }), ...named]);
  return FEED_NAMES.filter((feed) => wanted.has(feed));
}

interface Receivers extends Published {
  readonly queues: readonly { readonly topics: readonly string[] }[];
  readonly webhooks: readonly { readonly topics: readonly string[] }[];
}

/** Who subscribes to the directory waits for ever where its changes are not published. */
export function findDirectoryIssues({ poll, queues, webhooks }: Receivers): ConfigIssue[] {
  if (poll.directory) return [];
  const message = 'changes of employees and departments are not published; set poll.directory to true';
  return Object.entries({ queues, webhooks }).flatMap(([list, entries]) =>
    entries.flatMap((entry, index) =>
      entry.topics.includes('directory') ? [{ path: [list, index, 'topics'], message }] : [],
    ),
  );
}
