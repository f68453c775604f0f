import { isWatched, sayOpen, sayState } from '#shared/operator/period-words.ts';
import { type AccountReader, sayVerdict, toContext } from '#shared/people/messages/account-sentences.ts';
import { formatDates } from '#shared/people/messages/moments.ts';
import { formatCount, formatHours } from '#shared/people/messages/numbers.ts';
import type { PeriodReading } from '#shared/period/reading.ts';
import { escapeUnprintable, table } from '#shared/terminal/output.ts';

const HEADING = ['pay period', 'calendar', 'dates', 'state', 'ready', 'not ready', 'still open', 'verdict'];

/** A pay period, and who reads of it. */
export interface ListedPeriod {
  readonly reading: PeriodReading;
  readonly reader: AccountReader;
}

/** A line for each pay period. */
export function formatPeriods(listed: readonly ListedPeriod[]): string[] {
  const hasSeveral = new Set(listed.map(({ reading }) => reading.connection)).size > 1;
  const rows = listed.map(({ reading, reader }) => {
    const { id, connection, period, account } = reading;
    const { ready, notReady } = account;
    return [
      hasSeveral ? `${id} of ${connection}` : id,
      period.calendar,
      formatDates(period.startDate, period.finishDate, toContext(reader)),
      sayState(reading, reader),
      formatHours(ready.hours),
      notReady.timesheets === 0
        ? 'nothing'
        : `${formatCount(notReady.timesheets, 'timesheet')}, ${formatHours(notReady.hours)}`,
      sayOpen(account) ?? '',
      isWatched(account) ? sayVerdict(account, reader) : 'closed before it was watched',
    ];
  });
  return table([HEADING, ...rows]).map(escapeUnprintable);
}
