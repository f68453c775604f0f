import { CLOCK_TOLERANCE_MS } from '../clock-tolerance.ts';
import { addDays, listDates, toLocalDate } from '../dates.ts';
import { WHOLE_LIST } from '../records/feed-definition.ts';
import type { PayPeriodHint } from '../records/pay-period.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { DateClass } from '../snapshot/learned-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import { CADENCE_MS, computeCadence, isHot } from './cadence.ts';
import { type ChangeRates, classifyDistance, estimateRate } from './change-rates.ts';
import { covers } from './pay-period-dates.ts';
import { findPulledAt, type Pulls, pullMovedPeriods } from './pulls.ts';
import { computeWindow, type WindowInput } from './window.ts';

/** Schedules are not punctual to the second: what is due within this time is due now. */
const SLACK_MS = 15_000;
/** Of the records of a date whose pay periods are closed, those that may stay as they are while it counts as settled. */
const MAX_LEFT_OVER_SHARE = 0.1;
/** A date that was not seen whole is looked at again after so long, or after its cadence when that is shorter. */
const RETRY_MS = 5 * 60_000;
/** Half-life of what the last look at a date found: a burst goes on for some minutes. */
const BURST_HALF_LIFE_MS = 5 * 60_000;

export interface AgendaInput extends WindowInput {
  /** `due`: what is due now. `window`: every date, whether it is due or not. */
  readonly scope: 'due' | 'window';
  readonly state: FeedState;
  readonly heads: ReadonlyMap<string, SliceHead>;
  readonly payPeriods: readonly PayPeriodHint[];
  readonly rates: ChangeRates;
  /** Records on a page of the source, as far as is known. */
  readonly pageSize: number;
}

/** A slice that is due, and by how much. */
export interface DueSlice {
  readonly slice: string;
  readonly class: DateClass;
  /** Instant since which a whole look at it is owed. */
  readonly owedSince: number;
  /** Instant from which it is to be tried: later, when the last try did not see everything. */
  readonly dueAt: number;
  readonly cadenceMs: number;
  /** Time since it was due, in the longest cadences of its class: what is owed most goes first (rule 14). */
  readonly lateness: number;
  /** Records on it when it was last seen whole; null when it never was. */
  readonly records: number | null;
  /** Records that a look is expected to find; as many as on other dates, where nobody has counted them. */
  readonly expectedRecords: number;
  /** It failed before, and is asked for without its neighbours, so that they do not fail with it. */
  readonly isAlone: boolean;
  /** It is due because its pay period moved. */
  readonly isPulled?: boolean;
}

/** What a poll is to look at. */
export interface Agenda {
  /** Every slice of the window. */
  readonly window: readonly string[];
  /** Hot dates first, then what is owed most. */
  readonly due: readonly DueSlice[];
  /** Dates that are not due yet: they may come along where that costs nothing. */
  readonly early: readonly DueSlice[];
  /** Dates that cannot be read, and whose next try is not due yet. */
  readonly postponed: readonly string[];
  /** The state's pulls as they are after this plan. */
  readonly pulls: Pulls;
}

/** Which slices are due now, in the order in which they are owed (rule 14). */
export function planAgenda(input: AgendaInput): Agenda {
  if (input.feed !== 'timesheets') return { ...WHOLE_LIST_AGENDA, due: [scheduleWholeList(input.now)] };
  const window = listDates(computeWindow(input.now, input.timeZone, input.window));
  const pulls = pullMovedPeriods(input.state, input.payPeriods, input);
  const postponed = input.scope === 'window' ? [] : window.filter((date) => isPostponed(date, input));
  const waiting = new Set(postponed);
  const outlooks = window
    .filter((date) => !waiting.has(date))
    .map((date) => scheduleDate(date, input, pulls));
  const isDue = ({ dueAt }: DueSlice) => input.scope === 'window' || dueAt <= input.now + SLACK_MS;
  const early = outlooks.filter((each) => !isDue(each));
  return { window, due: sortByUrgency(outlooks.filter(isDue), input), early, postponed, pulls };
}

const WHOLE_LIST_AGENDA = { window: [WHOLE_LIST], early: [], postponed: [], pulls: {} } as const;

function scheduleWholeList(now: number): DueSlice {
  return {
    slice: WHOLE_LIST,
    class: 'hot',
    owedSince: now,
    dueAt: now,
    cadenceMs: 60_000,
    lateness: 0,
    records: null,
    expectedRecords: 0,
    isAlone: true,
    isPulled: false,
  };
}

function isPostponed(date: string, { state, now }: AgendaInput): boolean {
  const failing = state.failing[date];
  return failing !== undefined && now < failing.nextAt && failing.nextAt - now <= MAX_POSTPONED_MS;
}

/** A date is never postponed further: a poll with a wrong clock may have said so. */
const MAX_POSTPONED_MS = 31 * 60_000;

/** When each date of the window is due; also of those that are not yet. */
export function scheduleDate(date: string, input: AgendaInput, pulls: Pulls): DueSlice {
  const { now, state, heads, payPeriods } = input;
  const head = heads.get(date);
  const seenAt = findLastScanAt(head, state, now);
  const records = head?.baselinedAt == null ? null : head.recordCount;
  const pages = Math.max(1, Math.ceil((records ?? 0) / input.pageSize));
  const dateClass = classifyDate(date, input, head);
  const open = records === null ? 0 : (head?.unsettledCount ?? 0);
  const changesPerSecond = estimateChangeRate(date, { input, open, seenAt });
  const cadenceMs = computeCadence({ class: dateClass, pages, changesPerSecond });
  const base = {
    slice: date,
    class: dateClass,
    cadenceMs,
    records,
    expectedRecords: records ?? averageRecords(heads),
    isAlone: state.failing[date] !== undefined,
  };
  const pulled = findPulledAt(date, pulls, payPeriods);
  const isPulled = seenAt !== null && pulled > seenAt && pulled <= now;
  const owedSince = computeOwedSince(seenAt, { cadenceMs, pulled: isPulled ? pulled : null }, input);
  // A look that did not see everything is not repeated at once: others wait as well. What fails has waits of its own.
  const retryAt = base.isAlone ? owedSince : findLastTry(date, state, now) + Math.min(cadenceMs, RETRY_MS);
  const dueAt = dateClass === 'hot' ? Math.min(owedSince, now) : Math.max(owedSince, retryAt);
  // In the longest cadence of its class: when not everything fits, busy dates must not crowd out quiet ones.
  const lateness = Math.max(0, now - dueAt) / CADENCE_MS[dateClass].max;
  return { ...base, isPulled, owedSince, dueAt, lateness };
}

/** Records of a date that was seen, on average. */
function averageRecords(heads: AgendaInput['heads']): number {
  const known = [...heads.values()].filter(
    ({ baselinedAt, recordCount }) => baselinedAt !== null && recordCount > 0,
  );
  return known.reduce((sum, { recordCount }) => sum + recordCount, 0) / Math.max(1, known.length);
}

interface Owed {
  readonly cadenceMs: number;
  readonly pulled: number | null;
}

/** A date that was never looked at is due since the baseline began; one that was pulled forward, since then. */
function computeOwedSince(
  seenAt: number | null,
  { cadenceMs, pulled }: Owed,
  { state, now }: AgendaInput,
): number {
  if (seenAt === null) return Math.min(now, state.baseline?.startedAt ?? now);
  return Math.min(pulled ?? Number.POSITIVE_INFINITY, seenAt + cadenceMs);
}

function findLastTry(date: string, state: FeedState, now: number): number {
  const at = state.tried[date];
  return at === undefined || at > now ? Number.NEGATIVE_INFINITY : at;
}

/** How much is expected of a date. */
export function classifyDate(
  date: string,
  { now, timeZone, payPeriods }: Pick<AgendaInput, 'now' | 'timeZone' | 'payPeriods'>,
  head: SliceHead | undefined,
): DateClass {
  const today = toLocalDate(now, timeZone);
  if (isHot(date, today)) return 'hot';
  if (date > today) return 'settled';
  if (head?.baselinedAt == null) return 'active';
  const periods = payPeriods.filter((period) => covers(period, date));
  if (periods.some(({ closed }) => !closed)) return 'active';
  // A few that nobody ever approved do not keep a closed period's dates going.
  const leftOver = periods.length === 0 ? 0 : MAX_LEFT_OVER_SHARE * head.recordCount;
  return head.unsettledCount > leftOver ? 'active' : 'settled';
}

interface Expectation {
  readonly input: AgendaInput;
  /** Records to which something is still to happen. */
  readonly open: number;
  readonly seenAt: number | null;
}

/** What was learned of such dates at this time of the week, or what the last look found, if that was more. */
function estimateChangeRate(date: string, { input, open, seenAt }: Expectation): number {
  const { now, timeZone, rates, state } = input;
  const distance = classifyDistance(date, toLocalDate(now, timeZone));
  const learned = estimateRate(rates, distance, { now, timeZone }) * open;
  const burst = state.bursts?.[date] ?? 0;
  if (burst === 0 || seenAt === null) return learned;
  return Math.max(learned, burst * 2 ** (-Math.max(0, now - seenAt) / BURST_HALF_LIFE_MS));
}

/** Start of the last whole look at a slice; null when there was none, or only one in the future. */
function findLastScanAt(head: SliceHead | undefined, { coverage }: FeedState, now: number): number | null {
  if (head?.baselinedAt == null) return null;
  const looks = [head.observedAt, coverage[head.slice]?.at ?? null].filter(
    (at) => at !== null && at <= now + CLOCK_TOLERANCE_MS,
  );
  return looks.length === 0 ? null : Math.min(now, Math.max(...(looks as number[])));
}

/** Hot dates first, then what is owed most. */
export function sortByUrgency(due: readonly DueSlice[], { now, timeZone }: AgendaInput): DueSlice[] {
  const today = toLocalDate(now, timeZone);
  const urgency = ({ class: dateClass }: DueSlice) => (dateClass === 'hot' ? 0 : 1);
  return due.toSorted(
    (a, b) =>
      urgency(a) - urgency(b) ||
      b.lateness - a.lateness ||
      countDaysBetween(a.slice, today) - countDaysBetween(b.slice, today) ||
      (a.slice < b.slice ? -1 : 1),
  );
}

function countDaysBetween(date: string, today: string): number {
  return Math.abs(Date.parse(date) - Date.parse(today)) / 86_400_000;
}

/** Whether one date follows the other. */
export function areNeighbours(left: string, right: string): boolean {
  return addDays(left, 1) === right || addDays(right, 1) === left;
}
