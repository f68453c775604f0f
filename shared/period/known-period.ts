import { parseRow, readStoredPeriod } from '../core/records/feed-definition.ts';
import type { KnownPeriod } from '../core/records/pay-period.ts';
import type { StoredRow } from '../core/snapshot/row.ts';

/** A pay period as its row says; null for one that was never readable. */
export function toKnownPeriod({ id, text, memory }: StoredRow): KnownPeriod | null {
  const period = text === null ? null : readStoredPeriod(parseRow(text));
  if (period === null) return null;
  const { calendar, startDate, finishDate, closed } = period;
  return {
    ...{ id, calendar, startDate, finishDate },
    closed: closed !== null,
    closedStamp: closed,
    closedBetween: closed === null ? null : (memory?.closedBetween ?? null),
  };
}
