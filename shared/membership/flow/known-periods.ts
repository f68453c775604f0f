import type { FeedKey } from '#shared/core/feeds.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { forgetMisdated } from '#shared/core/snapshot/recognize-table.ts';
import type { PollPorts, PollRun, RememberedPeriods } from '#shared/flow/poll/poll-run.ts';
import { dependsOnEmployee, findTimesheetPeriods, type PeriodFinder } from '../learn-membership.ts';
import { NO_MEMBERSHIP } from '../membership.ts';
import { readMembership } from './find-members.ts';

/**
 * What the other feed of the connection remembers. That of pay periods has the periods, for the plan and for the `late`
 * mark of timesheets; both have the pace of the credential.
 */
export async function loadOtherState(
  { connection, feed }: FeedKey,
  { store, clock }: PollPorts,
): Promise<FeedState | null> {
  const other = feed === 'timesheets' ? 'pay-periods' : 'timesheets';
  const stored = await store.loadFeedState({ connection, feed: other });
  return stored === null ? null : forgetMisdated(stored.state, clock.now());
}

export function toRememberedPeriods(state: FeedState | null): RememberedPeriods {
  return { payPeriods: state?.payPeriods ?? [], payPeriodsAt: state?.payPeriodsAt ?? null, membership: null };
}

/** Finds the periods of a timesheet as they are known when it is asked. */
export function createPeriodFinder(known: Readonly<RememberedPeriods>): PeriodFinder {
  return (timesheet) =>
    known.payPeriodsAt === null
      ? null
      : findTimesheetPeriods(timesheet, {
          periods: known.payPeriods,
          membership: known.membership ?? NO_MEMBERSHIP,
        });
}

/** Takes pay periods as their own feed has seen them by now. */
export async function takePayPeriods(run: PollRun): Promise<void> {
  const { payPeriods, payPeriodsAt } = toRememberedPeriods(await loadOtherState(run.feed, run.ports));
  const known: RememberedPeriods = run.memory.periods;
  if (payPeriodsAt === null || payPeriodsAt > run.ports.clock.now()) return;
  known.payPeriods = payPeriods;
  known.payPeriodsAt = payPeriodsAt;
}

/** Reads who belongs to which calendar, once in a poll, when periods share one of these dates: before events say so. */
export async function learnCalendars(
  dates: Iterable<string>,
  { feed, ports, connection, memory }: PollRun,
): Promise<void> {
  const known: RememberedPeriods = memory.periods;
  if (feed.feed !== 'timesheets' || known.membership !== null) return;
  if (![...new Set(dates)].some((date) => dependsOnEmployee(known.payPeriods, date))) return;
  known.membership = await readMembership(ports.store, connection.name, known.payPeriods);
}
