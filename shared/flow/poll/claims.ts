import type { FeedKey } from '../../core/feeds.ts';
import type { PollOrder } from './load-state.ts';
import type { PollPorts, PollRun } from './poll-run.ts';

/** A hot look keeps others from one for so long: until just before the next poll is started. */
const HOT_CLAIM_MS = 55_000;

/** What a poll may look at: everything, or yesterday to tomorrow while another poll is busy with the rest. */
export type Extent = 'everything' | 'hot';

/**
 * Claims what this poll is to look at; null when others are at it. Leases keep overlap rare, nothing depends on them
 * for being right (rule 1). That of the hot dates is not given back: it ends by itself before the next minute.
 */
export async function claimExtent(order: PollOrder, ports: PollPorts): Promise<Extent | null> {
  const feed = feedOf(order);
  const now = ports.clock.now();
  const takeOver = order.request.scope === 'window';
  const lease = { owner: order.runId, now, expiresAt: order.deadline, takeOver };
  if (await ports.store.acquireLease(feed, lease)) return 'everything';
  return order.feed === 'timesheets' && (await claimHotDates(order.runId, feed, ports)) ? 'hot' : null;
}

/** Whether a long poll may look at the hot dates once more: not while another one does. */
export async function reclaimHotDates({ id, feed, ports }: PollRun): Promise<boolean> {
  return await claimHotDates(id, feed, ports);
}

export function feedOf(order: PollOrder): FeedKey {
  return { connection: order.request.connection.name, feed: order.feed };
}

async function claimHotDates(owner: string, feed: FeedKey, { store, clock }: PollPorts): Promise<boolean> {
  const now = clock.now();
  return await store.acquireLease(feed, {
    owner,
    now,
    expiresAt: now + HOT_CLAIM_MS,
    takeOver: false,
    dates: 'hot',
  });
}
