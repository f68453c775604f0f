import { findPeriodsOf, type PeriodFinder } from '../periods/members.ts';
import type { State } from '../records/fields.ts';

/** A pay period that a timesheet belongs to, as its events name it. */
export interface NamedPeriod {
  readonly id: string;
  /** Name of the pay calendar; null where it is not known. */
  readonly calendar: string | null;
  readonly state: 'open' | 'closed';
}

/** The pay periods that a timesheet belongs to; nothing where that is not known, and of other records. */
export function namePeriods(
  record: { readonly id: string; readonly state: State },
  find: PeriodFinder,
): { readonly payPeriods?: readonly NamedPeriod[] } {
  const found = findPeriodsOf(record, find);
  if (found?.isKnown !== true) return {};
  const payPeriods = found.periods.map((period) => ({
    id: period.id,
    calendar: period.calendar,
    state: period.closed ? ('closed' as const) : ('open' as const),
  }));
  return { payPeriods };
}
