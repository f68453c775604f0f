import { findSharing } from '#shared/core/plan/membership.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import { type Membership, NO_MEMBERSHIP } from '#shared/core/snapshot/membership.ts';
import type { SnapshotStore } from '#shared/ports/poll.ts';

/**
 * Who belongs to which calendar, for `belongsTo`. Reads nothing where no two periods share dates: all timesheets on
 * the dates of a period are its own then. A reader that needs it twice keeps it.
 */
export async function readMembership(
  store: Pick<SnapshotStore, 'loadMembership'>,
  connection: string,
  periods: readonly PayPeriodHint[],
): Promise<Membership> {
  const isShared = periods.some((period) => findSharing(period, periods).length > 0);
  return isShared ? ((await store.loadMembership?.(connection)) ?? NO_MEMBERSHIP) : NO_MEMBERSHIP;
}
