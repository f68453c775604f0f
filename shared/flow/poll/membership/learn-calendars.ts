import type { Change } from '#shared/core/compare/change.ts';
import { isToldByEmployee } from '#shared/core/plan/timesheet-periods.ts';
import { toState } from '#shared/core/records/feed-definition.ts';
import type { PollRun } from '../poll-run.ts';
import { readMembership } from './read-membership.ts';

/**
 * Reads who belongs to which calendar, once in a poll, when that decides which pay periods one of these changes belongs
 * to: it must be known before their events are written.
 */
export async function learnCalendars(changes: readonly Change[], run: PollRun): Promise<void> {
  const { feed, payPeriods, ports, connection } = run;
  if (feed.feed !== 'timesheets' || run.membership !== null) return;
  const dates = [...new Set(changes.flatMap((change) => readDates(change, run)))];
  if (!dates.some((date) => isToldByEmployee(payPeriods, date))) return;
  run.membership = await readMembership(ports.store, connection.name, payPeriods);
}

/** The dates of a timesheet before and after its change. */
function readDates({ before, after }: Change, { definition }: PollRun): string[] {
  return [before?.row.state, after?.row].flatMap((row) => {
    const date = row === undefined ? null : toState(definition, row).date;
    return typeof date === 'string' ? [date] : [];
  });
}
