import { nameCount } from '#shared/core/periods/counted-hours.ts';
import type { PeriodMemory } from '#shared/core/periods/period-memory.ts';
import type { PollRun } from '#shared/flow/poll/run.ts';
import type { CountedPeriod } from '../account.ts';

const DAY_MS = 86_400_000;
/** Minimum lifetime of counts: longer than a period waits for its settling and stays reopened. */
const MIN_COUNT_DAYS = 100;

/** Stores what later accounts are held against, before the commit that remembers its name: no memory points to one before. */
export async function keepCount(
  payPeriodId: string,
  { hours, isWhole }: CountedPeriod,
  { ports, lease, connection }: PollRun,
): Promise<NonNullable<PeriodMemory['count']>> {
  const now = ports.clock.now();
  const name = nameCount(hours);
  const expiresAt = now + Math.max(connection.retentionDays, MIN_COUNT_DAYS) * DAY_MS;
  await ports.store.saveCount({ connection: lease.connection, payPeriodId, name }, hours, expiresAt);
  return { name, at: now, isWhole };
}
