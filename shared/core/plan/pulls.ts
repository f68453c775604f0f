import { isMisdated } from '../clock-tolerance.ts';
import type { PayPeriodHint } from '../records/pay-period.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import { covers } from './pay-period-dates.ts';
import { computeWindow, type WindowInput } from './window.ts';

/** The totals of a period change with nearly every timesheet; its dates are pulled forward no more often than this. */
const PULL_COOLDOWN_MS = 60_000;

/** Share of its timesheets by which a period may grow or shrink before its dates are pulled forward. */
const MAX_STRAY_SHARE = 1 / 5_000;
/** A payroll run also processes leftovers of earlier periods; these are pulled forward no more often than this. */
const SPREAD_COOLDOWN_MS = 5 * 60_000;

/** Per pay period: its totals when its dates were last pulled forward, and when that was (0: never). */
export type Pulls = FeedState['pulls'];

/** Pulls forward the dates of periods whose totals changed since they were last pulled forward. */
export function pullMovedPeriods(
  { pulls }: Pick<FeedState, 'pulls'>,
  payPeriods: readonly PayPeriodHint[],
  { now, timeZone, window }: Omit<WindowInput, 'feed'>,
): Pulls {
  const { from, to } = computeWindow(now, timeZone, window);
  const near = payPeriods.filter(({ startDate, finishDate }) => finishDate >= from && startDate <= to);
  return Object.fromEntries(
    near.map(({ id, totals, closed }) => {
      const last = Object.hasOwn(pulls, id) ? pulls[id] : undefined;
      if (last === undefined) return [id, { totals, at: 0 }];
      const isCooling = !isMisdated(last.at, now) && now - last.at < PULL_COOLDOWN_MS;
      return [id, hasMoved(last.totals, { totals, closed }) && !isCooling ? { totals, at: now } : last];
    }),
  );
}

/**
 * Hours change with every clock-out, which scans of today find sooner. The number of timesheets changes when a roster
 * is published. In a closed period any change of the totals counts.
 */
function hasMoved(before: string, { totals, closed }: Pick<PayPeriodHint, 'totals' | 'closed'>): boolean {
  if (before === totals) return false;
  const [was, is] = [parseTimesheetCount(before), parseTimesheetCount(totals)];
  if (closed || was === null || is === null) return true;
  return Math.abs(is - was) > MAX_STRAY_SHARE * was;
}

/** The third part of `PayPeriodHint.totals`; null when it is not a number. */
function parseTimesheetCount(totals: string): number | null {
  const [, , timesheets] = totals.split('/').map(Number);
  return timesheets === undefined || !Number.isFinite(timesheets) ? null : timesheets;
}

/** After a payroll run changed some dates: pulls forward the periods of these dates, and all others every 5 minutes. */
export function pullPeriodsCovering(
  dates: Iterable<string>,
  pulls: Pulls,
  { payPeriods, now }: { readonly payPeriods: readonly PayPeriodHint[]; readonly now: number },
): Pulls {
  const touched = [...dates];
  if (touched.length === 0) return pulls;
  const isDue = (id: string) => {
    const at = pulls[id]?.at ?? 0;
    return isMisdated(at, now) || now - at >= SPREAD_COOLDOWN_MS;
  };
  const pulled = payPeriods.filter(
    (period) => touched.some((date) => covers(period, date)) || isDue(period.id),
  );
  const entries = pulled.map(({ id, totals }) => [id, { totals, at: now }] as const);
  return { ...pulls, ...Object.fromEntries(entries) };
}

/** When a date was last pulled forward; 0 when it never was. */
export function findPulledAt(date: string, pulls: Pulls, payPeriods: readonly PayPeriodHint[]): number {
  const instants = payPeriods.filter((period) => covers(period, date)).map(({ id }) => pulls[id]?.at ?? 0);
  return Math.max(0, ...instants);
}

/**
 * When the last closing of a period with this date was seen, which is told once the date was read after that. None is
 * told of a period that was closed when it was first seen.
 */
export function findClosedAt(date: string, payPeriods: readonly PayPeriodHint[]): number {
  const covering = payPeriods.filter((period) => covers(period, date));
  return Math.max(
    0,
    ...covering.map(({ closedBetween }) => (closedBetween?.after == null ? 0 : closedBetween.by)),
  );
}

/** The pulls after two overlapping polls that may both have pulled dates forward: the later instant counts. */
export function mergePulls(previous: Pulls, next: Pulls): Pulls {
  return Object.fromEntries(
    Object.entries(next).map(([id, pull]) => {
      const before = previous[id];
      return [id, before !== undefined && before.at > pull.at ? before : pull];
    }),
  );
}
