import { dropOutdated, findSharing, type PeriodOfCalendar } from '#shared/core/plan/membership.ts';
import { type Membership, NO_MEMBERSHIP } from '#shared/core/snapshot/membership.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';

/**
 * Who belongs to which calendar, for `belongsTo`. Reads nothing where no two periods share dates: all timesheets on
 * the dates of a period are its own then. A reader that needs it twice keeps it.
 */
export async function readMembership(
  store: Pick<SnapshotStore, 'loadMembership'>,
  connection: string,
  periods: readonly PeriodOfCalendar[],
): Promise<Membership> {
  const isShared = periods.some((period) => findSharing(period, periods).length > 0);
  if (!isShared || store.loadMembership === undefined) return NO_MEMBERSHIP;
  return dropOutdated(await store.loadMembership(connection), periods);
}
