import type { Change } from '#shared/core/compare/change.ts';
import { isToldByEmployee } from '#shared/core/plan/timesheet-periods.ts';
import { toState } from '#shared/core/records/feed-definition.ts';
import type { PollRun } from '../poll-run.ts';
import { readMembership } from './read-membership.ts';

/** What decides which pay periods these changes belong to: it must be known before their events are written. */
export async function learnCalendars(changes: readonly Change[], run: PollRun): Promise<void> {
  if (run.membership === null)
    await learnCalendarsOn(
      changes.flatMap((change) => readDates(change, run)),
      run,
    );
}

/** Reads who belongs to which calendar, once in a poll, when periods share one of these dates. */
export async function learnCalendarsOn(dates: Iterable<string>, run: PollRun): Promise<void> {
  const { feed, payPeriods, ports, connection } = run;
  if (feed.feed !== 'timesheets' || run.membership !== null) return;
  if (![...new Set(dates)].some((date) => isToldByEmployee(payPeriods, date))) return;
  run.membership = await readMembership(ports.store, connection.name, payPeriods);
}

/** The dates of a timesheet before and after its change. */
function readDates({ before, after }: Change, { definition }: PollRun): string[] {
  return [before?.row.state, after?.row].flatMap((row) => {
    const date = row === undefined ? null : toState(definition, row).date;
    return typeof date === 'string' ? [date] : [];
  });
}
