import type { Step } from '#shared/core/commit/steps.ts';
import { isSnapshotType } from '#shared/core/event-types.ts';
import { addToWatermark, beginWatermark } from '#shared/core/events/watermark.ts';
import { type FeedName, isDirectoryFeed } from '#shared/core/feeds.ts';
import { nameSlice, type SliceKey } from '#shared/core/snapshot/head.ts';
import { LEASE_MS } from './lease.ts';
import type { Commit, LogWrite, StateWrite } from './ports.ts';
import { publishItem } from './publish.ts';
import { type PollRun, tick, topicOfFeed } from './run.ts';

const DAY_MS = 86_400_000;

/** What a step of a poll stores. */
export type Storing = Partial<Omit<Commit, 'log' | 'published'>> & {
  /** Whose events these are, for the watermark of that feed. */
  readonly feed?: FeedName;
  readonly log?: LogWrite;
};

/**
 * Stores in one transaction, which renews the lease, and publishes what it logged. Throws `LeaseLost` when another poll has
 * taken the lease since: then nothing is stored or published.
 */
export async function commit(storing: Storing, run: PollRun): Promise<void> {
  const { ports, lease, memory, connection } = run;
  const { feed, log, heads = [], removedHeads = [], buckets = [] } = storing;
  const counted = countForWatermark(feed, log, run);
  const state: StateWrite = { ...memory.begun, ...storing.state, ...counted };
  const clock = tick(run);
  const now = ports.clock.now();
  const time = { clock, until: now + LEASE_MS, expiresAt: now + connection.retentionDays * DAY_MS };
  const whole: Commit = {
    ...{ heads, removedHeads, buckets, state },
    log: log === undefined ? [] : [log],
    published: listPublished(run),
  };
  const [key] = await ports.store.commit(lease, whole, time);
  memory.leaseUntil = time.until;
  memory.begun = {};
  memory.state = { ...memory.state, ...storing.state, ...counted, clock };
  for (const head of heads) {
    memory.heads.set(nameSlice(head), head);
    memory.mended.delete(nameSlice(head));
  }
  for (const removed of removedHeads) memory.heads.delete(nameSlice(removed));
  if (log === undefined || key === undefined) return;
  memory.counts.eventsCommitted += log.texts.length;
  const published = memory.state.topics[log.topic]?.published ?? '';
  memory.state = {
    ...memory.state,
    topics: { ...memory.state.topics, [log.topic]: { logged: key, published } },
  };
  await publishItem({ ...log, key }, run);
}

/** Stores a step of a slice, with its events. */
export async function commitStep(
  { head, buckets, texts }: Step,
  { feed, slice }: SliceKey,
  run: PollRun,
): Promise<void> {
  await commit(
    {
      heads: [head],
      buckets: buckets.map((bucket) => ({ feed, slice, ...bucket })),
      feed,
      ...(texts.length === 0 ? {} : { log: { topic: topicOfFeed(feed), texts } }),
    },
    run,
  );
}

/** How far each topic is: a poll that dies after this repeats no more than it has to. */
function listPublished({ memory }: PollRun): Commit['published'] {
  const topics = Object.entries(memory.state.topics).map(([topic, { published }]) => [topic, published]);
  return Object.fromEntries(topics) as Commit['published'];
}

/** Where a connection proves silence, each change of a record is counted in the transaction that stores it (rule 19). */
function countForWatermark(
  feed: FeedName | undefined,
  log: LogWrite | undefined,
  { connection, memory }: PollRun,
): StateWrite {
  if (!connection.watermark || feed === undefined || isDirectoryFeed(feed) || log === undefined) return {};
  const { watermarks } = memory.state;
  const events = log.texts.map((text) => JSON.parse(text) as { readonly id: string; readonly type: string });
  const ids = events.filter(({ type }) => !isSnapshotType(type)).map(({ id }) => id);
  return {
    watermarks: { ...watermarks, [feed]: addToWatermark(watermarks[feed] ?? beginWatermark(null, 0), ids) },
  };
}
