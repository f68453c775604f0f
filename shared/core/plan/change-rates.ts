import { addDays, toLocalDate, toWallClock } from '../dates.ts';
import type { ChangeCount } from '../snapshot/learned-state.ts';

/** Rates are kept per half hour of the week: fine enough for shifts, few enough to be learned in a week or two. */
const HALF_HOURS_A_DAY = 48;
const HALF_HOURS_A_WEEK = 7 * HALF_HOURS_A_DAY;
const HALF_HOUR_MS = 30 * 60_000;
/** 0 is Sunday. */
const DAYS = [0, 1, 2, 3, 4, 5, 6] as const;

/** Classes of dates with similar change rates, by their distance from today. */
const DISTANCES = ['today', 'yesterday', 'tomorrow', 'recent', 'older', 'ahead'] as const;
export type Distance = (typeof DISTANCES)[number];
/** Days before today up to which a date is `recent`. */
const RECENT_DAYS = 7;

/** Weight of the newest week in a learned rate: a holiday fades, and a new habit dominates after two weeks. */
const NEW_WEEK_SHARE = 0.4;

/** Weight of the same half hour on other days in the rate of a half hour. */
const OTHER_DAYS_SHARE = 0.5;

/** Changes per unsettled record and day, before any rate was learned. */
const DEFAULT_CHANGES_PER_DAY: Readonly<Record<Distance, number>> = {
  today: 4,
  yesterday: 1.5,
  tomorrow: 0.2,
  recent: 0.4,
  older: 0.1,
  ahead: 0.1,
};

/** A rate as one byte: 0 is unknown, 1 is no change, 2 is the smallest rate, and 8 steps further is twice as much. */
const MIN_RATE = 1e-6;
const STEPS_A_DOUBLING = 8;
const MAX_BYTE = 255;

/** Changes per unsettled record in each half hour of the week, by distance; one byte each, see `rateToByte`. */
export interface ChangeRates {
  readonly bytes: Readonly<Record<Distance, Uint8Array>>;
}

export const NO_RATES: ChangeRates = { bytes: createBytes() };

export function classifyDistance(date: string, today: string): Distance {
  if (date === today) return 'today';
  if (date > today) return date === addDays(today, 1) ? 'tomorrow' : 'ahead';
  if (date === addDays(today, -1)) return 'yesterday';
  return date >= addDays(today, -RECENT_DAYS) ? 'recent' : 'older';
}

/** Changes per unsettled record and second that are expected at an instant. */
export function estimateRate(
  rates: ChangeRates,
  distance: Distance,
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): number {
  const place = toHalfHourOfWeek(now, timeZone);
  const week = rates.bytes[distance];
  const own = byteToRate(week[place] ?? 0);
  const perHalfHour = blend(own, averageOthers(week, place));
  if (perHalfHour !== null) return (perHalfHour * 1_000) / HALF_HOUR_MS;
  return DEFAULT_CHANGES_PER_DAY[distance] / 86_400;
}

/** The half hour itself was seen only once a week, so its rate is drawn half way to that of other days. */
function blend(own: number | null, others: number | null): number | null {
  if (own === null || others === null) return own ?? others;
  return own + OTHER_DAYS_SHARE * (others - own);
}

/** The mean over similar days or, while none of them is known, over all others. */
function averageOthers(week: Uint8Array, place: number): number | null {
  for (const places of [listSimilarDays(place), listOtherDays(place)]) {
    const known = places.flatMap((each) => byteToRate(week[each] ?? 0) ?? []);
    if (known.length > 0) return mean(known);
  }
  return null;
}

/** The same half hour on the other weekdays, or on the other day of the weekend. */
function listSimilarDays(place: number): number[] {
  const day = Math.floor(place / HALF_HOURS_A_DAY);
  const isWeekend = day === 0 || day === 6;
  const days = isWeekend ? [0, 6] : [1, 2, 3, 4, 5];
  return days.filter((other) => other !== day).map((other) => place + (other - day) * HALF_HOURS_A_DAY);
}

/** The same half hour on every other day of the week. */
function listOtherDays(place: number): number[] {
  const inDay = place % HALF_HOURS_A_DAY;
  return DAYS.map((day) => inDay + day * HALF_HOURS_A_DAY).filter((each) => each !== place);
}

/** Changes seen by one poll. */
export interface SeenChanges {
  readonly now: number;
  readonly timeZone: string;
  /** Number of changes by date. */
  readonly changes: ReadonlyMap<string, number>;
  /** Unsettled records of the window by distance. */
  readonly records: Readonly<Record<Distance, number>>;
}

/** `count`: of the current half hour. `rates`: null unless a half hour has just ended. */
export interface LearnResult {
  readonly count: ChangeCount;
  readonly rates: ChangeRates | null;
}

/** A half hour is only learned from if counting began at most this long after it did. */
const LATE_START_MS = 3 * 60_000;

/** Counts the changes of a poll; when a half hour is over, its counts become part of the rates. */
export function learnChanges(
  rates: ChangeRates,
  before: ChangeCount | undefined,
  seen: SeenChanges,
): LearnResult {
  const halfHour = toHalfHour(seen.now);
  const today = toLocalDate(seen.now, seen.timeZone);
  const goesOn = before?.halfHour === halfHour;
  const changes: Record<string, number> = goesOn ? { ...before.changes } : {};
  for (const [date, count] of seen.changes) {
    const distance = classifyDistance(date, today);
    changes[distance] = (changes[distance] ?? 0) + count;
  }
  // Counted at its beginning: at its end fewer are unsettled, after a payroll run none.
  const records = goesOn ? before.records : seen.records;
  const count = { halfHour, since: goesOn ? before.since : seen.now, changes, records };
  const isOver = before !== undefined && before.halfHour === halfHour - 1;
  const isWhole = isOver && before.since - before.halfHour * HALF_HOUR_MS <= LATE_START_MS;
  return { count, rates: isWhole ? mergeHalfHour(rates, before, seen) : null };
}

function mergeHalfHour(
  rates: ChangeRates,
  { halfHour, changes, records: open }: ChangeCount,
  seen: SeenChanges,
): ChangeRates {
  const place = toHalfHourOfWeek(halfHour * HALF_HOUR_MS, seen.timeZone);
  const bytes = { ...rates.bytes };
  for (const distance of DISTANCES) {
    const records = open[distance] ?? 0;
    if (records === 0) continue;
    const week = rates.bytes[distance].slice();
    const counted = (changes[distance] ?? 0) / records;
    const known = byteToRate(week[place] ?? 0);
    week[place] = rateToByte(known === null ? counted : known + NEW_WEEK_SHARE * (counted - known));
    bytes[distance] = week;
  }
  return { bytes };
}

/** Rates as base64, for the store. */
export function encodeRates({ bytes }: ChangeRates): string {
  return Buffer.concat(DISTANCES.map((distance) => bytes[distance])).toString('base64');
}

/** The reverse of `encodeRates`. A text of another length gives no rates, and they are learned anew. */
export function decodeRates(text: string | null): ChangeRates {
  const all = Buffer.from(text ?? '', 'base64');
  if (all.length !== DISTANCES.length * HALF_HOURS_A_WEEK) return NO_RATES;
  const parts = DISTANCES.map((distance, index) => [
    distance,
    new Uint8Array(all.subarray(index * HALF_HOURS_A_WEEK, (index + 1) * HALF_HOURS_A_WEEK)),
  ]);
  return { bytes: Object.fromEntries(parts) as ChangeRates['bytes'] };
}

function createBytes(): ChangeRates['bytes'] {
  const empty = () => new Uint8Array(HALF_HOURS_A_WEEK);
  return {
    today: empty(),
    yesterday: empty(),
    tomorrow: empty(),
    recent: empty(),
    older: empty(),
    ahead: empty(),
  };
}

/** Half hours since 1970: each is learned once it is over. */
export function toHalfHour(instant: number): number {
  return Math.floor(instant / HALF_HOUR_MS);
}

/** 0 is Sunday 00:00 local time. */
function toHalfHourOfWeek(instant: number, timeZone: string): number {
  const wall = new Date(toWallClock(instant, timeZone));
  return wall.getUTCDay() * HALF_HOURS_A_DAY + wall.getUTCHours() * 2 + (wall.getUTCMinutes() >= 30 ? 1 : 0);
}

function rateToByte(rate: number): number {
  if (rate <= MIN_RATE) return 1;
  return Math.min(MAX_BYTE, 2 + Math.round(STEPS_A_DOUBLING * Math.log2(rate / MIN_RATE)));
}

function byteToRate(byte: number): number | null {
  if (byte === 0) return null;
  return byte === 1 ? 0 : MIN_RATE * 2 ** ((byte - 2) / STEPS_A_DOUBLING);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
