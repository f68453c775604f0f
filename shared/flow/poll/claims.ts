import type { FeedKey } from '../../core/feeds.ts';
import type { PollOrder } from './load-state.ts';
import type { Claim, PollPorts, PollRun } from './poll-run.ts';

/** A hot look keeps others from one for so long: until just before the next poll is started. */
const HOT_CLAIM_MS = 55_000;

/** A poll that is expected to be over within so long leaves the lease alone: two writes for nothing, each minute. */
const UNLEASED_MS = 20_000;

/**
 * Claims what this poll is to look at; null when others are at it. Leases keep overlap rare, nothing depends on them
 * for being right (rule 1). That of the hot dates is not given back: it ends by itself before the next minute.
 */
export async function claimExtent(order: PollOrder, ports: PollPorts): Promise<Claim | null> {
  const feed = feedOf(order);
  const now = ports.clock.now();
  const { runId: owner, deadline: expiresAt } = order;
  const takeOver = order.request.scope === 'window';
  const { store } = ports;
  if (!takeOver && store.isLeaseHeld !== undefined) {
    if (!(await store.isLeaseHeld(feed, { owner, now })))
      return { extent: 'everything', expiresAt, isLeased: false };
  } else if (await store.acquireLease(feed, { owner, now, expiresAt, takeOver })) {
    return { extent: 'everything', expiresAt, isLeased: true };
  }
  const isHot = order.feed === 'timesheets' && (await claimHotDates(owner, feed, ports));
  return isHot ? { extent: 'hot', expiresAt, isLeased: false } : null;
}

/**
 * Takes the lease once this poll may not be over soon, given the milliseconds that it still expects to take. False:
 * another one has it by now, and does the rest.
 */
export async function keepClaim(
  { claim, ports, id, feed, startedAt }: PollRun,
  leftMs: number,
): Promise<boolean> {
  const now = ports.clock.now();
  if (claim.isLeased || claim.extent === 'hot' || now - startedAt + leftMs < UNLEASED_MS) return true;
  const { expiresAt } = claim;
  claim.isLeased = await ports.store.acquireLease(feed, { owner: id, now, expiresAt, takeOver: false });
  return claim.isLeased;
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
