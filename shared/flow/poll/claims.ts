import type { FeedKey } from '#shared/core/feeds.ts';
import { type Claim, type PollInput, type PollPorts, type PollRun, toFeedKey } from './poll-run.ts';

/** Lifetime of the lease of the hot dates: until just before the next poll is started. */
const HOT_CLAIM_MS = 55_000;

/** Age at which a lease is extended, before it ends: else polls without an answer would pile up, one each minute. */
const HOT_EXTENDED_AFTER_MS = 45_000;

/** A poll that ends within this time takes no lease, which would cost two writes each minute for nothing. */
const UNLEASED_MS = 20_000;

/**
 * Claims the dates that this poll reads. `leased`: other polls read them; leases keep overlap rare, nothing depends on
 * them for being right (rule 1). `overdue`: this follow-up comes when the next scheduled poll has begun, or is about to.
 * `isLeaseHeld`: whether another poll was seen with the lease; undefined where that is not read.
 */
export async function claimDates(
  { isLeaseHeld }: { readonly isLeaseHeld: boolean | undefined },
  input: PollInput,
  ports: PollPorts,
): Promise<Claim | 'leased' | 'overdue'> {
  const feed = toFeedKey(input);
  const now = ports.clock.now();
  const { repeatUntil } = input.request;
  if (repeatUntil !== undefined && repeatUntil <= now) return 'overdue';
  const { runId: owner, deadline: expiresAt } = input;
  const takeOver = input.request.scope === 'window';
  const { store } = ports;
  if (!takeOver && isLeaseHeld !== undefined) {
    if (!isLeaseHeld) return leaseInTime('all', { feed, owner, expiresAt }, ports);
  } else if (await store.acquireLease(feed, { owner, now, expiresAt, takeOver })) {
    return { dates: 'all', expiresAt, isLeased: true };
  }
  const isHot = input.feed === 'timesheets' && (await acquireHotLease(owner, feed, ports));
  return isHot ? leaseInTime('hot', { feed, owner, expiresAt }, ports) : 'leased';
}

/**
 * A claim that begins without a lease and takes it in time, even while the poll waits: else polls without an answer
 * would pile up.
 */
function leaseInTime(
  dates: Claim['dates'],
  { feed, owner, expiresAt }: { readonly feed: FeedKey; readonly owner: string; readonly expiresAt: number },
  { store, clock, after }: PollPorts,
): Claim {
  let leasing = Promise.resolve(false);
  const stop = after?.(dates === 'hot' ? HOT_EXTENDED_AFTER_MS : UNLEASED_MS, () => {
    const of = dates === 'hot' ? { dates } : {};
    const lease = { owner, now: clock.now(), expiresAt, takeOver: false, ...of };
    // A table that fails now fails the poll as well, at its next step.
    leasing = store.acquireLease(feed, lease).catch(() => false);
    void leasing.then((isLeased) => {
      claim.isLeased ||= isLeased;
    });
  });
  const stopLeasing = async () => {
    stop?.();
    await leasing;
  };
  const claim: Claim = { dates, expiresAt, isLeased: false, stopLeasing };
  return claim;
}

/** How long a backlog or a baseline takes is unknown, so the lease is taken at once; overlap is only a waste. */
export async function leaseLongPoll(run: PollRun): Promise<void> {
  if (run.backlog.length > 0 || run.state.baseline?.completedAt == null)
    await ensureLease(run, Number.POSITIVE_INFINITY);
}

/**
 * Takes the lease once this poll may not be over soon, given the milliseconds that it still expects to take. False:
 * another one has it by now, and does the rest.
 */
export async function ensureLease(
  { memory, ports, id, feed, startedAt }: PollRun,
  remainingMs: number,
): Promise<boolean> {
  const { claim } = memory;
  const now = ports.clock.now();
  if (claim.isLeased || claim.dates === 'hot' || now - startedAt + remainingMs < UNLEASED_MS) return true;
  const { expiresAt } = claim;
  claim.isLeased = await ports.store.acquireLease(feed, { owner: id, now, expiresAt, takeOver: false });
  return claim.isLeased;
}

/** Gives the lease back. That of the hot dates, unless it was extended, ends by itself before the next minute. */
export async function releaseClaim(
  claim: Claim,
  input: PollInput,
  { store, clock }: PollPorts,
): Promise<void> {
  await claim.stopLeasing?.();
  if (!claim.isLeased) return;
  const { runId: owner } = input;
  const now = clock.now();
  if (claim.dates === 'all') await store.releaseLease(toFeedKey(input), owner);
  else
    await store.acquireLease(toFeedKey(input), { owner, now, expiresAt: now, takeOver: false, dates: 'hot' });
}

/** Takes the lease of the hot dates, so that a long poll may scan them once more: false while another one does. */
export async function acquireHotLease(
  owner: string,
  feed: FeedKey,
  { store, clock }: Pick<PollPorts, 'store' | 'clock'>,
): Promise<boolean> {
  const now = clock.now();
  return await store.acquireLease(feed, {
    owner,
    now,
    expiresAt: now + HOT_CLAIM_MS,
    takeOver: false,
    dates: 'hot',
  });
}
