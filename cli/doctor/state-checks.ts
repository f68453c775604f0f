import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { collectOutboxEntries } from '#shared/core/commit/outbox.ts';
import { FEED_NAMES, type FeedKey } from '#shared/core/feeds.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { SnapshotStore } from '#shared/ports/poll.ts';
import type { Target } from '../targets/target.ts';
import { type Finding, finding, ok, warning, wrong } from './finding.ts';
import { checkProgress } from './progress-checks.ts';

const MINUTE_MS = 60_000;
const DEAD_LETTERS = '/dead-letters/url';
const REDRIVE = 'docs/runbook.md has a chapter on its dead letters, and how to redrive them';
const REPLAY = 'replay their time to whom they were for: one machine has no redrive, and leaves them there';

/** What the table says of each feed: whether it is being watched, and whether its events get out. */
export async function checkFeeds(target: Target): Promise<Finding[]> {
  const { dynamoDb: client, tableName, system } = target;
  const store = createDynamoSnapshotStore({ client, tableName, sleep: system.sleep, random: system.random });
  const feeds = target.connections.flatMap(({ name }) =>
    FEED_NAMES.map((feed): FeedKey => ({ connection: name, feed })),
  );
  const found = feeds.map(async (feed) => {
    const about = `${feed.connection} ${feed.feed}`;
    const whole = finding(about, () => checkFeed(feed, { about, store, target }));
    return [await whole, ...(await checkFeedProgress(feed, { about, store }))];
  });
  return (await Promise.all(found)).flat();
}

/** A state that cannot be read is a finding about the whole feed already. */
async function checkFeedProgress(
  feed: FeedKey,
  { about, store }: { about: string; store: SnapshotStore },
): Promise<Finding[]> {
  const stored = await store.loadFeedState(feed).catch(() => null);
  return stored === null ? [] : checkProgress(about, stored.state);
}

async function checkFeed(
  feed: FeedKey,
  { about, store, target }: { about: string; store: SnapshotStore; target: Target },
): Promise<Finding> {
  const stored = await store.loadFeedState(feed);
  if (stored === null) {
    return warning(about, 'was never polled', 'wait for its schedule, or see poll-silent in docs/runbook.md');
  }
  const ofSlices = collectOutboxEntries(await store.loadHeads(feed, '')).map(({ pointer }) => pointer);
  const waiting = new Set([...stored.outbox, ...ofSlices]).size;
  return judgeFeed(about, { state: stored.state, waiting }, target);
}

/** What the state of a feed means by the clock of the target; `waiting` counts batches of events in its outboxes. */
export function judgeFeed(
  about: string,
  { state, waiting }: { readonly state: FeedState; readonly waiting: number },
  { system, config, speed, isStopped }: Pick<Target, 'system' | 'config' | 'speed' | 'isStopped'>,
): Finding {
  if (state.unreachableSince !== null) {
    const since = new Date(state.unreachableSince).toISOString();
    return wrong(about, `its source is unreachable since ${since}`, 'see the findings about its source');
  }
  if (state.completedAt === null) {
    return warning(about, 'no poll has seen all of it yet', 'wait for the baseline, or see its log');
  }
  const minutes = Math.max(0, Math.round((system.now() - state.completedAt) / MINUTE_MS));
  const seen = `seen whole ${minutes === 0 ? 'less than a minute' : `${minutes} min`} ago`;
  if (waiting > 0) {
    const mend = 'they go out with the next poll; if they do not, see events-waiting in docs/runbook.md';
    return warning(about, `${seen}; ${waiting} batches of events wait to be published`, mend);
  }
  // Nothing polls there, and the time that a killed run of a fast company left is ahead of its last poll.
  if (isStopped === true) return ok(about, `${seen}, when a machine ran; no event waits`);
  if (minutes > config.alarms.silentAfterMinutes * speed) {
    return warning(about, seen, 'see poll-silent in docs/runbook.md');
  }
  return ok(about, `${seen}; no event waits`);
}

/** Queues of the stack: that they are there, and what lies in their dead-letter queues. */
export async function checkQueues({ parts, sqs, redirects }: Target): Promise<Finding[]> {
  const queues = [...parts].filter(([path]) => path.startsWith('queues/') && path.endsWith('/url'));
  return await Promise.all(
    queues.map(([path, QueueUrl]) => {
      const isDead = path.endsWith(DEAD_LETTERS);
      const name = path.slice('queues/'.length, -(isDead ? DEAD_LETTERS : '/url').length);
      const about = isDead ? `dead letters of ${name}` : `queue ${name}`;
      return finding(about, async () => {
        const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesDelayed'] as const;
        const answer = await sqs.send(
          new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
        );
        const [waiting = 0, delayed = 0] = AttributeNames.map((each) =>
          Number(answer.Attributes?.[each] ?? 0),
        );
        if (!isDead && delayed > 0) {
          const mend = 'their endpoint did not take them; npm run notifier -- explain says what it answered';
          return warning(about, `${waiting} wait, ${delayed} wait for another try`, mend);
        }
        if (!isDead) return ok(about, `${waiting} wait`);
        if (waiting === 0) return ok(about, 'none');
        return wrong(about, `${waiting} lie there`, redirects ? REPLAY : REDRIVE);
      });
    }),
  );
}
