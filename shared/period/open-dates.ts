import { addDays, type DateRange } from '../core/dates.ts';
import { isOfUsualLength, type KnownPeriod } from '../core/records/pay-period.ts';

/** Open periods that ended longer ago were forgotten by those who close them. */
const MAX_OPEN_DAYS = 35;

/** The dates of open periods that have begun, merged. */
export function listOpenDates(periods: readonly KnownPeriod[], today: string): DateRange[] {
  const open = periods
    .filter((period) => !period.closed && isOfUsualLength(period))
    .filter(({ startDate, finishDate }) => startDate <= today && finishDate >= addDays(today, -MAX_OPEN_DAYS))
    .sort((a, b) => (a.startDate < b.startDate ? -1 : 1));
  const ranges: DateRange[] = [];
  for (const { startDate, finishDate } of open) {
    const last = ranges.at(-1);
    if (last === undefined || startDate > addDays(last.to, 1))
      ranges.push({ from: startDate, to: finishDate });
    else if (finishDate > last.to) ranges.splice(-1, 1, { from: last.from, to: finishDate });
  }
  return ranges;
}
