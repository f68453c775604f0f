import { addDays, type DateRange, dateIn, datesOf, rangesOf } from './dates.ts';
import type { FeedState } from './feed-state.ts';
import type { FeedName } from './feeds.ts';
import { WHOLE_LIST } from './records/feed-definition.ts';
import type { PayPeriodHint } from './records/pay-period.ts';
import type { SliceHead } from './snapshot.ts';

const MINUTE_MS = 60_000;

/** How often a slice is looked at, by how much is expected of it. */
const CADENCE_MS = {
  /** Dates of pay periods that are open, and dates with records that are not settled yet. */
  active: 5 * MINUTE_MS,
  /** Everything else in the window. */
  settled: 24 * 60 * MINUTE_MS,
} as const;

/** Schedules are not punctual to the second: what is due within this time is due now. */
const SLACK_MS = 15_000;
/** A period's totals move with nearly every timesheet; its dates are pulled forward no more often than this. */
const PULL_COOLDOWN_MS = 2 * MINUTE_MS;
/** Records of one scan, so that memory stays flat; a single slice may hold more. */
export const SCAN_MOST_RECORDS = 20_000;
/** Days behind the window in which a record that turns up is still recognised (rule 6). */
const LOOKBACK_DAYS = 31;

/** Days around today that are watched. */
export interface WatchedWindow {
  readonly backDays: number;
  readonly forwardDays: number;
}

export interface PlanInput {
  readonly feed: FeedName;
  readonly scope: 'due' | 'window';
  readonly now: number;
  readonly timeZone: string;
  readonly window: WatchedWindow;
  readonly state: FeedState;
  readonly heads: ReadonlyMap<string, SliceHead>;
  readonly payPeriods: readonly PayPeriodHint[];
}

/** Slices that are fetched together: a range of dates, or the whole list. */
export interface PlanPart {
  readonly range: DateRange | null;
  readonly slices: readonly string[];
}

export interface Plan {
  /** Every slice of the window. */
  readonly window: readonly string[];
  /** What to fetch, most urgent first. */
  readonly parts: readonly PlanPart[];
  /** The state's pulls as they are after this plan. */
  readonly pulls: FeedState['pulls'];
}

/** The dates of the window around today in the connection's zone. */
export function windowRange(now: number, timeZone: string, window: WatchedWindow): DateRange {
  const today = dateIn(now, timeZone);
  return { from: addDays(today, -window.backDays), to: addDays(today, window.forwardDays) };
}

/** The first slice whose head a poll loads: the window, the lookback, and whatever may not be published yet. */
export function loadHeadsFrom(
  input: Pick<PlanInput, 'feed' | 'now' | 'timeZone' | 'window' | 'state'>,
): string {
  if (input.feed !== 'timesheets') return '';
  const lookback = addDays(windowRange(input.now, input.timeZone, input.window).from, -LOOKBACK_DAYS);
  const { loadFrom } = input.state;
  return loadFrom !== null && loadFrom < lookback ? loadFrom : lookback;
}

/** Which slices to look at now, and in which order. */
export function planPoll(input: PlanInput): Plan {
  if (input.feed !== 'timesheets') {
    return { window: [WHOLE_LIST], parts: [{ range: null, slices: [WHOLE_LIST] }], pulls: {} };
  }
  const window = datesOf(windowRange(input.now, input.timeZone, input.window));
  const pulls = pullsOf(input);
  const today = dateIn(input.now, input.timeZone);
  const hot = new Set([addDays(today, -1), today, addDays(today, 1)]);
  const due =
    input.scope === 'window' ? window : window.filter((date) => hot.has(date) || isDue(date, input, pulls));
  const parts = rangesOf(due).flatMap((range) => partsOf(range, input.heads));
  const urgency = (part: PlanPart) => (part.slices.some((slice) => hot.has(slice)) ? 0 : 1);
  return { window, parts: parts.sort((a, b) => urgency(a) - urgency(b)), pulls };
}

function isDue(date: string, input: PlanInput, pulls: FeedState['pulls']): boolean {
  const head = input.heads.get(date);
  if (head?.baselinedAt == null) return true;
  const looked = lastLookAt(head, input.state);
  const covering = input.payPeriods.filter((period) => covers(period, date));
  if (covering.some(({ id }) => (pulls[id]?.at ?? 0) > looked)) return true;
  const active = head.unsettledCount > 0 || covering.some(({ closed }) => !closed);
  return input.now - looked >= (active ? CADENCE_MS.active : CADENCE_MS.settled) - SLACK_MS;
}

function lastLookAt(head: SliceHead, { coverage }: FeedState): number {
  return Math.max(head.observedAt ?? 0, coverage[head.slice]?.at ?? 0);
}

function covers(period: Pick<PayPeriodHint, 'startDate' | 'finishDate'>, date: string): boolean {
  return period.startDate <= date && date <= period.finishDate;
}

/** Periods whose totals moved since their dates were pulled forward last are pulled forward again. */
function pullsOf({ now, state, payPeriods, timeZone, window }: PlanInput): FeedState['pulls'] {
  const { from, to } = windowRange(now, timeZone, window);
  const near = payPeriods.filter(({ startDate, finishDate }) => finishDate >= from && startDate <= to);
  return Object.fromEntries(
    near.map(({ id, totals }) => {
      const last = Object.hasOwn(state.pulls, id) ? state.pulls[id] : undefined;
      if (last === undefined) return [id, { totals, at: 0 }];
      const moved = last.totals !== totals && now - last.at >= PULL_COOLDOWN_MS;
      return [id, moved ? { totals, at: now } : last];
    }),
  );
}

/** Pulls forward the dates of every period that covers one of the given dates: a burst of processing spreads. */
export function pullForward(
  pulls: FeedState['pulls'],
  dates: Iterable<string>,
  context: { readonly payPeriods: readonly PayPeriodHint[]; readonly now: number },
): FeedState['pulls'] {
  const touched = [...dates];
  const pulled = context.payPeriods.filter((period) => touched.some((date) => covers(period, date)));
  const entries = pulled.map(({ id, totals }) => [id, { totals, at: context.now }] as const);
  return { ...pulls, ...Object.fromEntries(entries) };
}

/** Whether every pay period that covers a date is closed, and there is one (design, section 9: `late`). */
export function closedOn(payPeriods: readonly PayPeriodHint[]): (date: string) => boolean {
  return (date) => {
    const covering = payPeriods.filter((period) => covers(period, date));
    return covering.length > 0 && covering.every(({ closed }) => closed);
  };
}

/** Cuts a range so that no part is expected to hold more than a scan should. */
function partsOf(range: DateRange, heads: ReadonlyMap<string, SliceHead>): PlanPart[] {
  const parts: string[][] = [];
  let expected = 0;
  for (const date of datesOf(range)) {
    const records = heads.get(date)?.recordCount ?? 0;
    const last = parts.at(-1);
    if (last === undefined || expected + records > SCAN_MOST_RECORDS) {
      parts.push([date]);
      expected = records;
    } else {
      last.push(date);
      expected += records;
    }
  }
  return parts.map(partOf);
}

function partOf(slices: readonly string[]): PlanPart {
  return { range: { from: slices[0] ?? '', to: slices.at(-1) ?? '' }, slices };
}

/** Two parts of a part that turned out to hold too much, or to move too fast; empty when it is one slice. */
export function halvesOf({ slices }: PlanPart): PlanPart[] {
  if (slices.length < 2) return [];
  const middle = Math.ceil(slices.length / 2);
  return [partOf(slices.slice(0, middle)), partOf(slices.slice(middle))];
}
