import type { FeedKey } from '#shared/core/feeds.ts';
import {
  beginScan,
  endScan,
  isComplete,
  listPayPeriods,
  type Scan,
  takePage,
} from '#shared/core/fetch/scan.ts';
import { feedDefinition, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { dateHints, holdClosingsOf, type PayPeriodHint } from '#shared/core/records/pay-period.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { forgetMisdated } from '#shared/core/snapshot/recognize-table.ts';
import {
  hasTimeLeft,
  type PollPorts,
  type PollRun,
  type RememberedPeriods,
} from '#shared/flow/poll/poll-run.ts';
import { dependsOnEmployee, findTimesheetPeriods, type PeriodFinder } from '../learn-membership.ts';
import { NO_MEMBERSHIP } from '../membership.ts';
import { readMembership } from './find-members.ts';

/** Between the polls of their own feed, periods are requested once more: they say where something was published. */
const MAX_AGE_MS = 25_000;

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

/** Takes pay periods as their own feed has seen them by now, if that is later than what is known. */
export async function takePayPeriods(run: PollRun): Promise<void> {
  const { payPeriods, payPeriodsAt } = toRememberedPeriods(await loadOtherState(run.feed, run.ports));
  const known: RememberedPeriods = run.memory.periods;
  if (payPeriodsAt !== null && payPeriodsAt > run.ports.clock.now()) return;
  if ((payPeriodsAt ?? 0) < (known.payPeriodsAt ?? 0)) {
    known.payPeriods = holdClosingsOf(known.payPeriods, payPeriods, run.connection.timeZone);
    return;
  }
  known.payPeriods = payPeriods;
  known.payPeriodsAt = payPeriodsAt;
}

/** Requests them when they are old. They are hints alone: no event is published of them, and no failure recorded. */
export async function refreshPayPeriods(run: PollRun): Promise<void> {
  await takePayPeriods(run);
  const known: RememberedPeriods = run.memory.periods;
  const now = run.ports.clock.now();
  if (now - (known.payPeriodsAt ?? 0) < MAX_AGE_MS || !hasTimeLeft(run)) return;
  const hints = await fetchHints(run);
  if (hints === null) return;
  known.payPeriods = hints;
  known.payPeriodsAt = now;
}

async function fetchHints(run: PollRun): Promise<readonly PayPeriodHint[] | null> {
  const scan = beginScan(feedDefinition('pay-periods'), [WHOLE_LIST]);
  try {
    const pages = run.ports.source.pages('pay-periods', null);
    for (;;) {
      const next = await pages.next();
      if (next.done === true) {
        return isComplete(endScan(scan, next.value)) ? dateSeen(scan, run) : null;
      }
      takePage(scan, next.value);
    }
  } catch {
    // Timesheets are read without them, and what is wrong is said by the feed of the periods.
    return null;
  }
}

function dateSeen(scan: Scan, { connection, ports, startedAt, memory }: PollRun): readonly PayPeriodHint[] {
  const { periods } = memory;
  const look = {
    scannedAt: scan.startedAt ?? startedAt,
    now: ports.clock.now(),
    timeZone: connection.timeZone,
  };
  return dateHints(listPayPeriods(scan, periods.payPeriods), periods, look);
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
