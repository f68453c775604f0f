import { assignPlacement, computePayWeek, DAY_MS, dateOf, dayOf, type PayWeek } from './calendar.ts';
import { CHANGE_TYPES, type ChangeType, hasTimesheet, simulateLife } from './life.ts';
import type { FortnightSize } from './size.ts';

/** The first Monday of every trace; earlier changes exist as well. */
const FIRST_DATE = '2026-11-02';
/** Dates in memory: a window of 50, and the pay weeks around its edges. */
const MAX_DATES_KEPT = 80;
const PAY_WEEKS_BACK = 7;
const PAY_WEEKS_AHEAD = 2;

/** Changes of the totals of a pay period: its hours or its number of timesheets. */
const CHANGES_TOTALS: ReadonlySet<ChangeType> = new Set<ChangeType>([
  'timesheet.created',
  'timesheet.changed',
  'timesheet.clock_in_corrected',
  'timesheet.clocked_out',
  'timesheet.removed',
]);

/** One change of one timesheet at the source. */
export interface TraceChange {
  readonly at: number;
  readonly date: string;
  readonly type: ChangeType;
  /** Index of the timesheet among all of its date, constant over the trace. */
  readonly record: number;
}

/** All changes of the timesheets of one date in order of time, by columns. */
export interface DateChanges {
  readonly date: string;
  readonly at: Float64Array;
  readonly record: Uint32Array;
  /** Indexes in `CHANGE_TYPES`. */
  readonly type: Uint8Array;
  /** The employee of each record. */
  readonly employees: readonly number[];
}

/** A pay period at the source. */
interface TracePeriod {
  readonly id: string;
  readonly calendar: string;
  readonly startDate: string;
  readonly finishDate: string;
  readonly closed: boolean;
  /** How often its hours changed, and how many people and timesheets it has. */
  readonly changes: number;
  readonly people: number;
  readonly timesheets: number;
}

interface KeptDate extends DateChanges {
  readonly createdAt: Float64Array;
  readonly rechangedAt: Float64Array;
  /** By calendar: when totals changed, when timesheets were created and when they were removed. */
  readonly totals: readonly {
    readonly changedAt: Float64Array;
    readonly createdAt: Float64Array;
    readonly removedAt: Float64Array;
  }[];
}

/**
 * A fortnight of work in an organisation, in UTC and the same for a seed. Dates are made on demand, and memory is
 * bounded by the dates of a window.
 */
export interface Trace {
  readonly seed: number;
  readonly size: FortnightSize;
  /** Instants. */
  readonly from: number;
  readonly to: number;
  /** All changes of a date's timesheets, including those before and after the fortnight. */
  changesOfDate(date: string): DateChanges;
  /** Changes on a calendar day, of timesheets of all dates, in order of time. */
  changesOnDay(date: string): Iterable<TraceChange>;
  /** How many timesheets a date has at an instant. */
  recordsOn(date: string, at: number): number;
  /** The list of pay periods at an instant. */
  payPeriodsAt(at: number): TracePeriod[];
}

export function nameCalendar(calendar: number): string {
  return `Weekly ${calendar + 1}`;
}

const RECORDS_PER_DAY = 100_000;

export function recordId(date: string, record: number): string {
  return `${dayOf(date) * RECORDS_PER_DAY + record}_1`;
}

/** The date and the index of a timesheet by its id. */
export function readRecordId(id: string): { readonly date: string; readonly record: number } {
  const number = Number(id.slice(0, id.indexOf('_')));
  return { date: dateOf(Math.floor(number / RECORDS_PER_DAY)), record: number % RECORDS_PER_DAY };
}

export function createTrace({
  seed,
  size,
  days = 14,
}: {
  readonly seed: number;
  readonly size: FortnightSize;
  readonly days?: number;
}): Trace {
  const kept = new Map<number, KeptDate>();
  const from = dayOf(FIRST_DATE) * DAY_MS;
  const keep = (day: number): KeptDate => {
    const known = kept.get(day);
    if (known !== undefined) return known;
    if (kept.size >= MAX_DATES_KEPT) kept.delete(Math.min(...kept.keys()));
    const made = makeDate(day, { seed, size });
    kept.set(day, made);
    return made;
  };
  return {
    seed,
    size,
    from,
    to: from + days * DAY_MS,
    changesOfDate: (date) => keep(dayOf(date)),
    changesOnDay: (date) => changesOnDay(dayOf(date), keep),
    recordsOn(date, at) {
      const { createdAt, rechangedAt } = keep(dayOf(date));
      return countUntil(createdAt, at) - countUntil(rechangedAt, at);
    },
    payPeriodsAt: (at) => payPeriodsAt(at, { seed, size, keep }),
  };
}

function makeDate(day: number, trace: { readonly seed: number; readonly size: FortnightSize }): KeptDate {
  const employees: number[] = [];
  const steps: { at: number; record: number; type: number }[] = [];
  const totals = Array.from({ length: trace.size.calendars }, () => ({
    changedAt: [] as number[],
    createdAt: [] as number[],
    removedAt: [] as number[],
  }));
  for (let employee = 0; employee < trace.size.people; employee += 1) {
    if (!hasTimesheet(employee, day, trace)) continue;
    const { calendar } = assignPlacement(employee, trace.size);
    for (const { at, type } of simulateLife(employee, day, trace)) {
      steps.push({ at, record: employees.length, type: CHANGE_TYPES.indexOf(type) });
      if (CHANGES_TOTALS.has(type)) totals[calendar]?.changedAt.push(at);
      if (type === 'timesheet.created') totals[calendar]?.createdAt.push(at);
      if (type === 'timesheet.removed') totals[calendar]?.removedAt.push(at);
    }
    employees.push(employee);
  }
  // Steps of one record at the same instant stay in their order: the sort is stable.
  steps.sort((a, b) => a.at - b.at);
  const timesOf = (name: ChangeType) => {
    const type = CHANGE_TYPES.indexOf(name);
    return Float64Array.from(steps.filter((step) => step.type === type).map(({ at }) => at));
  };
  return {
    date: dateOf(day),
    at: Float64Array.from(steps.map(({ at }) => at)),
    record: Uint32Array.from(steps.map(({ record }) => record)),
    type: Uint8Array.from(steps.map(({ type }) => type)),
    employees,
    createdAt: timesOf('timesheet.created'),
    rechangedAt: timesOf('timesheet.removed'),
    totals: totals.map(({ changedAt, createdAt, removedAt }) => ({
      changedAt: Float64Array.from(changedAt).sort(),
      createdAt: Float64Array.from(createdAt).sort(),
      removedAt: Float64Array.from(removedAt).sort(),
    })),
  };
}

/** Rosters are published up to three weeks ahead; payroll and late approvals follow up to five weeks after. */
const DAYS_AHEAD = 21;
const DAYS_AFTER = 35;

function* changesOnDay(day: number, keep: (day: number) => KeptDate): Generator<TraceChange, void> {
  const changes: TraceChange[] = [];
  for (let each = day - DAYS_AFTER; each <= day + DAYS_AHEAD; each += 1) {
    const list = keep(each);
    const end = countUntil(list.at, (day + 1) * DAY_MS - 1);
    for (let index = countUntil(list.at, day * DAY_MS - 1); index < end; index += 1)
      changes.push(readChange(list, index));
  }
  yield* changes.sort((a, b) => a.at - b.at);
}

export function readChange(list: DateChanges, index: number): TraceChange {
  const type = CHANGE_TYPES[list.type[index] ?? 0];
  return {
    at: list.at[index] ?? 0,
    date: list.date,
    record: list.record[index] ?? 0,
    type: type ?? CHANGE_TYPES[0],
  };
}

/** How many instants of a sorted list are not after `at`. */
function countUntil(sorted: Float64Array, at: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function payPeriodsAt(
  at: number,
  trace: { readonly seed: number; readonly size: FortnightSize; readonly keep: (day: number) => KeptDate },
): TracePeriod[] {
  const today = Math.floor(at / DAY_MS);
  const periods: TracePeriod[] = [];
  for (let calendar = 0; calendar < trace.size.calendars; calendar += 1) {
    for (let week = -PAY_WEEKS_BACK; week <= PAY_WEEKS_AHEAD; week += 1) {
      const payWeek = computePayWeek(calendar, today + week * 7, trace.seed);
      periods.push(buildPeriod(payWeek, { at, people: trace.size.people, keep: trace.keep }));
    }
  }
  return periods;
}

function buildPeriod(
  { calendar, firstDay, lastDay, closedAt }: PayWeek,
  { at, people, keep }: { at: number; people: number; keep: (day: number) => KeptDate },
): TracePeriod {
  let changes = 0;
  let timesheets = 0;
  for (let day = firstDay; day <= lastDay; day += 1) {
    const totals = keep(day).totals[calendar];
    if (totals === undefined) continue;
    changes += countUntil(totals.changedAt, at);
    timesheets += countUntil(totals.createdAt, at) - countUntil(totals.removedAt, at);
  }
  return {
    id: `${calendar * 1_000_000 + firstDay}_1`,
    calendar: nameCalendar(calendar),
    startDate: dateOf(firstDay),
    finishDate: dateOf(lastDay),
    closed: closedAt <= at,
    ...{ changes, people, timesheets },
  };
}
