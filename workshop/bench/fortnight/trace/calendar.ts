import { chance } from './chance.ts';
import type { FortnightSize } from './size.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const DAYS_PER_WEEK = 7;

/** Days since 1970-01-01; every trace is in UTC. */
export function dayOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

export function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** 0 is Monday. */
function weekdayOf(day: number): number {
  return (day + 3) % DAYS_PER_WEEK;
}

function isWeekend(day: number): boolean {
  return weekdayOf(day) >= 5;
}

/** The day itself, or the next Monday when it is on a weekend. */
function toWorkingDay(day: number): number {
  return isWeekend(day) ? day + DAYS_PER_WEEK - weekdayOf(day) : day;
}

/** A week of a pay calendar: its days, and when payroll processes and closes it. */
export interface PayWeek {
  readonly calendar: number;
  readonly firstDay: number;
  readonly lastDay: number;
  /** By then managers should have approved. */
  readonly deadlineAt: number;
  /** When payroll approves what managers approved. */
  readonly payrollAt: number;
  /** When everything that payroll approved is processed. */
  readonly processingAt: number;
  readonly closedAt: number;
}

/** The pay week of a calendar that holds a day. The second calendar begins on Thursdays. */
export function computePayWeek(calendar: number, day: number, seed: number): PayWeek {
  const begins = (calendar * 3) % DAYS_PER_WEEK;
  const firstDay = day - ((weekdayOf(day) - begins + DAYS_PER_WEEK) % DAYS_PER_WEEK);
  const lastDay = firstDay + DAYS_PER_WEEK - 1;
  const jitter = (step: number) => Math.floor(chance(seed, 11, calendar, firstDay, step) * 60) * MINUTE_MS;
  const deadlineDay = toWorkingDay(lastDay + 1);
  const payrollDay = toWorkingDay(deadlineDay + 1);
  const processingDay = toWorkingDay(payrollDay + 1);
  const processingAt = processingDay * DAY_MS + 14 * HOUR_MS + jitter(2);
  return {
    calendar,
    firstDay,
    lastDay,
    deadlineAt: deadlineDay * DAY_MS + 12 * HOUR_MS,
    payrollAt: payrollDay * DAY_MS + 10 * HOUR_MS + jitter(1),
    processingAt,
    closedAt: processingAt + HOUR_MS + jitter(3),
  };
}

export function computeNextPayWeek(week: PayWeek, seed: number): PayWeek {
  return computePayWeek(week.calendar, week.lastDay + 1, seed);
}

export interface Placement {
  readonly organisation: number;
  readonly calendar: number;
}

export function assignPlacement(employee: number, size: FortnightSize): Placement {
  const organisation = employee % size.organisations;
  return { organisation, calendar: organisation % size.calendars };
}

/**
 * When an organisation publishes the roster of a day: on a working day one or two weeks before. Half of the
 * organisations publish two weeks at once.
 */
export function computePublishedAt(organisation: number, day: number, seed: number): number {
  const monday = day - weekdayOf(day);
  const week = Math.floor(monday / DAYS_PER_WEEK);
  const inPairs = chance(seed, 21, organisation) < 0.5;
  const firstMonday = inPairs && week % 2 === 1 ? monday - DAYS_PER_WEEK : monday;
  const roster = Math.floor(firstMonday / DAYS_PER_WEEK);
  const weekEarlier = chance(seed, 22, organisation) < 0.4 ? DAYS_PER_WEEK : 0;
  const daysAhead = 3 + Math.floor(chance(seed, 23, organisation, roster) * 4) + weekEarlier;
  const publishDay = firstMonday - daysAhead;
  const onWorkingDay = isWeekend(publishDay) ? publishDay - 2 : publishDay;
  return onWorkingDay * DAY_MS + (9 + chance(seed, 24, organisation, roster) * 8) * HOUR_MS;
}

/** When a manager starts to approve a day: the next working morning. */
export function computeApprovalBurstAt(organisation: number, day: number, seed: number): number {
  const morning = toWorkingDay(day + 1);
  return morning * DAY_MS + (7.5 + chance(seed, 31, organisation, morning) * 3) * HOUR_MS;
}
