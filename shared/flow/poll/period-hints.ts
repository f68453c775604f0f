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
import { loadPayPeriods } from './load-state.ts';
import { hasTimeLeft, type PollRun } from './poll-run.ts';

/** Between the polls of their own feed, periods are requested once more: they say where something was published. */
const MAX_AGE_MS = 25_000;

/** Takes pay periods as their own feed has seen them by now, if that is later than what is known. */
export async function takePayPeriods(run: PollRun): Promise<void> {
  const { periods, at } = await loadPayPeriods(run);
  if (at !== null && at > run.ports.clock.now()) return;
  if ((at ?? 0) < (run.payPeriodsAt ?? 0)) {
    run.payPeriods = holdClosingsOf(run.payPeriods, periods, run.connection.timeZone);
    return;
  }
  run.payPeriods = periods;
  run.payPeriodsAt = at;
}

/** Requests them when they are old. They are hints alone: no event is published of them, and no failure recorded. */
export async function refreshPayPeriods(run: PollRun): Promise<void> {
  await takePayPeriods(run);
  const now = run.ports.clock.now();
  if (now - (run.payPeriodsAt ?? 0) < MAX_AGE_MS || !hasTimeLeft(run)) return;
  const hints = await fetchHints(run);
  if (hints === null) return;
  run.payPeriods = hints;
  run.payPeriodsAt = now;
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

function dateSeen(scan: Scan, run: PollRun): readonly PayPeriodHint[] {
  const { connection, ports } = run;
  const look = {
    scannedAt: scan.startedAt ?? run.startedAt,
    now: ports.clock.now(),
    timeZone: connection.timeZone,
  };
  return dateHints(listPayPeriods(scan, run.payPeriods), run, look);
}
