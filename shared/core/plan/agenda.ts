import { isMisdated, stillLasts } from '../clock-tolerance.ts';
import { addDays, type DateRange, listDates } from '../dates.ts';
import type { FeedName } from '../feeds.ts';
import { WHOLE_LIST } from '../records/feed-definition.ts';
import { covers, type PayPeriodHint } from '../records/pay-period.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { DateClass } from '../snapshot/learned-state.ts';
import { toSlice } from '../snapshot/recent-loss.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import { WAITS } from '../waits.ts';
import { CADENCE_MS, computeCadence, isBusy } from './cadence.ts';
import { type ChangeRates, classifyDistance, estimateRate } from './change-rates.ts';
import { type PollCoverage, updateBursts, updateCoverage } from './coverage.ts';
import { countPages } from './pace-meter.ts';

/** Schedules are not punctual to the second: a slice that is due within this time is due now. */
const SLACK_MS = 15_000;
/** Share of unsettled records up to which a date of closed pay periods counts as settled. */
const MAX_LEFT_OVER_SHARE = 0.1;
/** Half-life of the change rate that the last scan of a date found: a burst lasts some minutes. */
const BURST_HALF_LIFE_MS = 5 * 60_000;

/** What is known when it is planned which dates to read. */
export interface AgendaInput {
  readonly feed: FeedName;
  readonly now: number;
  readonly timeZone: string;
  /** The date of now in that time zone. */
  readonly today: string;
  /** The watched dates. */
  readonly window: DateRange;
  /**
   * `due`: slices that are due now. `owed`: those whose cadence is over. `window`: every date of the window. `readable`:
   * but for those that the source failed to list, until their next try.
   */
  readonly scope: 'due' | 'owed' | 'window' | 'readable';
  /** Of `owed`: the end of the time for follow-ups, behind which the next scheduled poll begins. */
  readonly repeatUntil?: number;
  readonly state: FeedState;
  readonly heads: ReadonlyMap<string, SliceHead>;
  readonly payPeriods: readonly PayPeriodHint[];
  readonly rates: ChangeRates;
  /** Records on a page of the source, measured or guessed. */
  readonly pageSize: number;
}

/** When a slice is due, and what scanning it costs. Instants in milliseconds since 1970. */
export interface DueSlice {
  readonly slice: string;
  readonly class: DateClass;
  /** Instant since which a complete scan is due. */
  readonly owedSince: number;
  /** Instant of the next try: later than `owedSince` if the last scan was incomplete. */
  readonly dueAt: number;
  readonly cadenceMs: number;
  /** Time since it was due, in longest cadences of its class: the most overdue goes first (rule 14). */
  readonly lateness: number;
  /** Records in its last complete scan; null when there was none. */
  readonly records: number | null;
  /** Records that a scan is expected to find: the average of other dates before the first complete scan. */
  readonly expectedRecords: number;
  /** It failed before, and is requested without its neighbours, so that they do not fail with it. */
  readonly isAlone: boolean;
  /** It is due because its pay period moved. */
  readonly isPulled?: boolean;
  /** A closing that was seen is published once it was read. */
  readonly isAwaited?: boolean;
}

/** Dates by whether they are due. */
export interface DueDates {
  /** Hot dates first, then the most overdue. */
  readonly due: readonly DueSlice[];
  /** Dates that are not due yet: they are scanned with their neighbours where that costs no page. */
  readonly early: readonly DueSlice[];
}

/** What a poll is to scan. */
export interface Agenda extends DueDates {
  /** Every slice of the window. */
  readonly window: readonly string[];
  /** Unreadable dates whose next try is not due yet. */
  readonly postponed: readonly string[];
  /** The pulls of the feed's state after this plan. */
  readonly pulls: Pulls;
}

/** Which slices are due now, in the order in which to scan them (rule 14). */
export function planAgenda(input: AgendaInput): Agenda {
  if (input.feed !== 'timesheets') return { ...WHOLE_LIST_AGENDA, due: [scheduleWholeList(input.now)] };
  const window = listDates(input.window);
  const pulls = pullMovedPeriods(input.state, input);
  const postponed = input.scope === 'window' ? [] : window.filter((date) => isPostponed(date, input));
  const waiting = new Set(postponed);
  const schedule = scheduleDates(
    window.filter((date) => !waiting.has(date)),
    input,
    pulls,
  );
  const slackMs = input.scope === 'due' ? SLACK_MS : 0;
  const isDue = (each: DueSlice) =>
    !isBounded(input.scope) || (each.dueAt <= input.now + slackMs && !canWait(each, input));
  const early = schedule.filter((each) => !isDue(each));
  return { window, due: sortByUrgency(schedule.filter(isDue), input), early, postponed, pulls };
}

/**
 * Whether a follow-up leaves a slice to the next scheduled poll, which begins within a minute: reading it could take so
 * long that this one would be skipped, with the hot dates of its minute.
 */
function canWait(slice: DueSlice, { scope, now, repeatUntil }: AgendaInput): boolean {
  const beginsSoon = scope === 'owed' && repeatUntil !== undefined && repeatUntil - now < CADENCE_MS.hot.max;
  return beginsSoon && slice.class !== 'hot' && !isBusy(slice) && !slice.isPulled;
}

/** Whether only what is due by now is read. */
function isBounded(scope: AgendaInput['scope']): boolean {
  return scope === 'due' || scope === 'owed';
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

/** Whether an unreadable date waits for its next try. */
function isPostponed(date: string, { state, now }: AgendaInput): boolean {
  const failing = state.failing[date];
  return failing !== undefined && stillLasts(failing.nextAt, now, WAITS.unreadableDate.maxMs);
}

/** When dates of the window are due, also if they are not due yet. */
export function scheduleDates(dates: readonly string[], input: AgendaInput, pulls: Pulls): DueSlice[] {
  const all = { ...input, average: averageRecords(input.heads) };
  return dates.map((date) => scheduleDate(date, all, pulls));
}

function scheduleDate(
  date: string,
  input: AgendaInput & { readonly average: number },
  pulls: Pulls,
): DueSlice {
  const { now, state, heads, payPeriods, average } = input;
  const head = heads.get(date);
  const scannedAt = findLastScanAt(head, state, now);
  const scanned = head?.baselinedAt == null ? undefined : head;
  const records = scanned?.recordCount ?? null;
  const { pageSize } = input;
  const pages = countPages(records ?? 0, pageSize);
  const dateClass = classifyDate(date, input, head);
  const open = scanned?.unsettledCount ?? 0;
  const changesPerSecond = estimateChangeRate(date, { input, open, scannedAt });
  const ownCadenceMs = computeCadence({ class: dateClass, pages, pageSize, changesPerSecond });
  // What is held waits for a second look, and closings wait for it, however quiet the date was.
  const isHeld = Object.keys(state.massChange).some((key) => toSlice(key) === date);
  const cadenceMs = isHeld ? Math.min(ownCadenceMs, WAITS.incompleteDate.firstMs) : ownCadenceMs;
  const base = {
    slice: date,
    class: dateClass,
    cadenceMs,
    records,
    expectedRecords: records ?? average,
    isAlone: state.failing[date] !== undefined,
  };
  const closedAt = findClosedAt(date, payPeriods);
  const isAwaited = scannedAt !== null && closedAt > scannedAt && closedAt <= now;
  const pulled = Math.max(findPulledAt(date, pulls, payPeriods), isAwaited ? closedAt : 0);
  const isPulled = scannedAt !== null && pulled > scannedAt && pulled <= now;
  const owedSince = computeOwedSince(scannedAt, { cadenceMs, pulled: isPulled ? pulled : null }, input);
  // An incomplete scan is not repeated at once, since other dates wait too. A date that fails has its own backoff.
  const retryAt = base.isAlone
    ? owedSince
    : findLastAttempt(date, state, now) + Math.min(cadenceMs, WAITS.incompleteDate.firstMs);
  const isOfEachPoll = dateClass === 'hot' && input.scope !== 'owed';
  const dueAt = isOfEachPoll ? Math.min(owedSince, now) : Math.max(owedSince, retryAt);
  // In units of the longest cadence: when not everything fits, busy dates must not crowd out quiet ones.
  const lateness = Math.max(0, now - dueAt) / CADENCE_MS[dateClass].max;
  return { ...base, isPulled, ...(isAwaited ? { isAwaited } : {}), owedSince, dueAt, lateness };
}

/** Average over the dates with records; 0 when there are none. */
function averageRecords(heads: AgendaInput['heads']): number {
  const known = [...heads.values()].filter(
    ({ baselinedAt, recordCount }) => baselinedAt !== null && recordCount > 0,
  );
  return known.reduce((sum, { recordCount }) => sum + recordCount, 0) / Math.max(1, known.length);
}

/** A date that was never scanned is due since the baseline began, a date that was pulled forward since that instant. */
function computeOwedSince(
  scannedAt: number | null,
  { cadenceMs, pulled }: { readonly cadenceMs: number; readonly pulled: number | null },
  { state, now }: AgendaInput,
): number {
  if (scannedAt === null) return Math.min(now, state.baseline?.startedAt ?? now);
  return Math.min(pulled ?? Number.POSITIVE_INFINITY, scannedAt + cadenceMs);
}

function findLastAttempt(date: string, state: FeedState, now: number): number {
  const at = state.tried[date];
  return at === undefined || at > now ? Number.NEGATIVE_INFINITY : at;
}

/** Whether a date is yesterday, today or tomorrow. */
export function isHot(date: string, today: string): boolean {
  return addDays(today, -1) <= date && date <= addDays(today, 1);
}

/** The class of a date. `head`: of its slice; undefined when it was never scanned. */
export function classifyDate(
  date: string,
  { today, payPeriods }: Pick<AgendaInput, 'today' | 'payPeriods'>,
  head: SliceHead | undefined,
): DateClass {
  if (isHot(date, today)) return 'hot';
  if (date > today) return 'settled';
  if (head?.baselinedAt == null) return 'active';
  const periods = payPeriods.filter((period) => covers(period, date));
  if (periods.some(({ closed }) => !closed)) return 'active';
  // A few timesheets that were never approved do not keep the dates of a closed period active.
  const leftOver = periods.length === 0 ? 0 : MAX_LEFT_OVER_SHARE * head.recordCount;
  return head.unsettledCount > leftOver ? 'active' : 'settled';
}

interface Expectation {
  readonly input: AgendaInput;
  /** Unsettled records. */
  readonly open: number;
  readonly scannedAt: number | null;
}

/** Changes a second: the learned rate of such dates at this time of the week, or that of the last scan if higher. */
function estimateChangeRate(date: string, { input, open, scannedAt }: Expectation): number {
  const { now, timeZone, today, rates, state } = input;
  const distance = classifyDistance(date, today);
  const learned = open === 0 ? 0 : estimateRate(rates, distance, { now, timeZone }) * open;
  const burst = state.bursts[date] ?? 0;
  if (scannedAt === null) return learned;
  return Math.max(learned, burst * 2 ** ((scannedAt - now) / BURST_HALF_LIFE_MS));
}

/** Start of the last complete scan of a slice; null when there was none, or only one in the future. */
function findLastScanAt(head: SliceHead | undefined, { coverage }: FeedState, now: number): number | null {
  if (head?.baselinedAt == null) return null;
  const scans = [head.observedAt, coverage[head.slice]?.at ?? null].filter(
    (at) => at !== null && !isMisdated(at, now),
  );
  return scans.length === 0 ? null : Math.min(now, Math.max(...(scans as number[])));
}

/**
 * Hot dates first, then those that a closing waits for, then the most overdue, then the nearest to today. Of hot dates
 * that missed no whole minute the busiest goes first.
 */
export function sortByUrgency(due: readonly DueSlice[], { today }: Pick<AgendaInput, 'today'>): DueSlice[] {
  const urgency = ({ class: dateClass, isAwaited }: DueSlice) =>
    dateClass === 'hot' ? 0 : isAwaited === true ? 1 : 2;
  const overdue = (each: DueSlice) => (each.class === 'hot' ? Math.floor(each.lateness) : each.lateness);
  return due.toSorted(
    (a, b) =>
      urgency(a) - urgency(b) ||
      overdue(b) - overdue(a) ||
      (a.class === 'hot' ? a.cadenceMs - b.cadenceMs : 0) ||
      measureDistance(a.slice, today) - measureDistance(b.slice, today) ||
      (a.slice < b.slice ? -1 : 1),
  );
}

function measureDistance(date: string, today: string): number {
  return Math.abs(Date.parse(date) - Date.parse(today));
}

/** The dates of an agenda that can be read, as they are due after the scans of the poll so far, the most urgent first. */
export function rescheduleDates(
  { window, pulls, postponed }: Agenda,
  input: AgendaInput,
  scans: Omit<PollCoverage, 'now' | 'window' | 'heads'> & {
    readonly failed: { has(slice: string): boolean };
  },
): DueDates {
  const seen = { ...scans, now: input.now, window, heads: input.heads };
  const { state } = input;
  const coverage = updateCoverage(state, seen);
  const bursts = updateBursts(state, seen);
  const known = { ...input, state: { ...state, coverage, bursts } };
  const schedule = scheduleDates(
    window.filter((slice) => !scans.failed.has(slice) && !postponed.includes(slice)),
    known,
    pulls,
  );
  const isDue = ({ owedSince }: DueSlice) => owedSince <= input.now;
  const early = schedule.filter((each) => !isDue(each));
  return { due: sortByUrgency(schedule.filter(isDue), input), early };
}

/** The totals of a period change with nearly every timesheet; its dates are pulled forward no more often than this. */
const PULL_COOLDOWN_MS = 60_000;

/** Share of its timesheets by which a period may grow or shrink before its dates are pulled forward. */
const MAX_GROWTH_SHARE = 1 / 5_000;
/** A payroll run also processes leftovers of earlier periods; these are pulled forward no more often than this. */
const SPREAD_COOLDOWN_MS = 5 * 60_000;

/** Per pay period: its totals when its dates were last pulled forward, and when that was (0: never). */
export type Pulls = FeedState['pulls'];

/** Pulls forward the dates of periods whose totals changed since they were last pulled forward. */
export function pullMovedPeriods(
  { pulls }: Pick<FeedState, 'pulls'>,
  { now, window: { from, to }, payPeriods }: Pick<AgendaInput, 'now' | 'window' | 'payPeriods'>,
): Pulls {
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
  return Math.abs(is - was) > MAX_GROWTH_SHARE * was;
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
function findPulledAt(date: string, pulls: Pulls, payPeriods: readonly PayPeriodHint[]): number {
  const instants = payPeriods.filter((period) => covers(period, date)).map(({ id }) => pulls[id]?.at ?? 0);
  return Math.max(0, ...instants);
}

/**
 * When the last closing of a period with this date was seen, which is published once the date was read after that. None is
 * published of a period that was closed when it was first seen.
 */
function findClosedAt(date: string, payPeriods: readonly PayPeriodHint[]): number {
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
