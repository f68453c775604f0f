import type { PollRun } from './run.ts';

/** A poll that died keeps its connection waiting for the rest of this (rule 1). */
export const LEASE_MS = 90_000;
/** The lease is taken anew when less than this is left of it. */
const RENEW_MS = 45_000;

/** Keeps the lease while nothing is committed for long. Throws `LeaseLost`. */
export async function keepLease({ ports, lease, memory }: PollRun): Promise<void> {
  const now = ports.clock.now();
  if (memory.leaseUntil - now > RENEW_MS) return;
  await ports.store.renewLease(lease, now + LEASE_MS);
  memory.leaseUntil = now + LEASE_MS;
}
