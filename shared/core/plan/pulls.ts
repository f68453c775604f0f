import type { FeedState } from '../feed-state.ts';
import type { PayPeriodHint } from '../records/pay-period.ts';
import { covers } from './pay-period-dates.ts';
import { type WindowInput, windowRange } from './window.ts';

/** A period's totals move with nearly every timesheet; its dates are pulled forward no more often than this. */
const PULL_COOLDOWN_MS = 2 * 60_000;

/** Per pay period: its totals when its dates were last pulled forward, and when that was (0: never). */
export type Pulls = FeedState['pulls'];

/** Periods whose totals moved since their dates were pulled forward last are pulled forward again. */
export function pullMovedPeriods(
  { pulls }: Pick<FeedState, 'pulls'>,
  payPeriods: readonly PayPeriodHint[],
  { now, timeZone, window }: Omit<WindowInput, 'feed'>,
): Pulls {
  const { from, to } = windowRange(now, timeZone, window);
  const near = payPeriods.filter(({ startDate, finishDate }) => finishDate >= from && startDate <= to);
  return Object.fromEntries(
    near.map(({ id, totals }) => {
      const last = Object.hasOwn(pulls, id) ? pulls[id] : undefined;
      if (last === undefined) return [id, { totals, at: 0 }];
      // A poll with a wrong clock must not keep a period from being pulled.
      const isCooling = last.at <= now && now - last.at < PULL_COOLDOWN_MS;
      return [id, last.totals !== totals && !isCooling ? { totals, at: now } : last];
    }),
  );
}

/** Pulls forward the dates of every period that covers one of the given dates: a sweep over a period spreads. */
export function pullPeriodsOf(
  dates: Iterable<string>,
  pulls: Pulls,
  { payPeriods, now }: { readonly payPeriods: readonly PayPeriodHint[]; readonly now: number },
): Pulls {
  const touched = [...dates];
  const pulled = payPeriods.filter((period) => touched.some((date) => covers(period, date)));
  const entries = pulled.map(({ id, totals }) => [id, { totals, at: now }] as const);
  return { ...pulls, ...Object.fromEntries(entries) };
}

/** When a date was pulled forward last; 0 when it never was. */
export function pulledAt(date: string, pulls: Pulls, payPeriods: readonly PayPeriodHint[]): number {
  const instants = payPeriods
    .filter((period) => covers(period, date) && Object.hasOwn(pulls, period.id))
    .map(({ id }) => pulls[id]?.at ?? 0);
  return Math.max(0, ...instants);
}
