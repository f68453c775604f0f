import { roundNumber } from '#shared/core/records/values.ts';
import { formatDates } from '#shared/people/messages/moments.ts';
import { formatChange, formatCount } from '#shared/people/messages/numbers.ts';
import type { PeriodStatement } from '#shared/period/flow/read-statement.ts';
import type { OpenTimesheet } from '#shared/period/open-timesheets.ts';
import { escapeUnprintable, table } from '#shared/terminal/output.ts';

type Listed = Pick<PeriodStatement, 'id' | 'connection' | 'period' | 'stillOpen' | 'knowsAdded'> & {
  readonly now: Pick<PeriodStatement['now'], 'hoursToPay' | 'timesheets' | 'unapproved' | 'unprocessed'>;
};

/** A line for each pay period, with what is still open of it. */
export function formatPeriods(found: readonly Listed[]): string[] {
  const rows = found.map(({ id, connection, period, now, ...open }) => [
    id,
    connection,
    period.calendar,
    formatDates(period.startDate, period.finishDate, { year: null }),
    period.closed === null ? 'open' : `closed ${period.closed}`,
    `${now.hoursToPay} h`,
    ...[now.timesheets, now.unapproved, now.unprocessed].map(String),
    period.closed === null ? '' : describeOpen(open),
  ]);
  const heading = ['pay period', 'connection', 'calendar', 'dates', 'state', 'hours', 'timesheets'];
  return table([[...heading, 'not approved', 'not processed', 'still open'], ...rows]).map(escapeUnprintable);
}

/** `3 timesheets, +4.5 h`. */
export function describeSum(all: readonly OpenTimesheet[]): string {
  const hours = roundNumber(all.reduce((sum, { difference }) => sum + difference, 0));
  return `${formatCount(all.length, 'timesheet')}, ${formatChange(hours)}`;
}

function describeOpen({ stillOpen, knowsAdded }: Pick<Listed, 'stillOpen' | 'knowsAdded'>): string {
  if (stillOpen === null) return 'not known';
  const open = stillOpen.length === 0 ? 'nothing' : describeSum(stillOpen);
  return knowsAdded ? open : `${open}, without what was added or removed`;
}
