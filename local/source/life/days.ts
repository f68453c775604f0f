import { addDays, listDates } from '#shared/core/dates.ts';
import { applyChange } from '../company/apply-change.ts';
import { buildRosteredTimesheet } from '../company/build-timesheet.ts';
import { daysBetween } from '../company/local-calendar.ts';
import { FORTNIGHTLY, WEEKLY } from '../company/premises.ts';
import { recordHistory, scheduleAt, type World } from '../company/world.ts';
import type { Timesheet } from '../schemas.ts';
import { planApprovals } from './approvals.ts';
import { planCorrections } from './corrections.ts';
import { planPayRun, planPayrollDesk, RUN_AFTER_FINISH_DAYS } from './pay-run.ts';

const WEEK_DAYS = 7;
/** Simulated weeks before `startsAt`. */
const PAST_WEEKS = 8;
/** At a pay run, the week this many weeks after the paid one is opened and its roster published. */
const PUBLISHED_AHEAD_WEEKS = 3;
/** Those who are paid every two weeks are paid when the others are done. */
const FORTNIGHT_LATER_MINUTES = 120;
/** Minutes after local midnight; for a later `startsAt` the first pay run is on the next day. */
const WORK_STARTS_MINUTES = 8 * 60;

/**
 * Starts the simulation eight weeks before `startsAt`. The weekday of the pay run is chosen so that the first one is on
 * the first whole morning after `startsAt`: then there is something to see on any day.
 */
export function beginLife(world: World): void {
  const { calendar, startsAt } = world;
  const first = calendar.dateOf(startsAt);
  const run = calendar.minutesOf(startsAt) < WORK_STARTS_MINUTES ? first : addDays(first, 1);
  const firstWeek = addDays(run, -RUN_AFTER_FINISH_DAYS - WEEK_DAYS + 1 - (PAST_WEEKS - 1) * WEEK_DAYS);
  scheduleAt(world, [firstWeek, 0], () => {
    for (const week of [0, 1]) {
      const startDate = addDays(firstWeek, week * WEEK_DAYS);
      openWeek(world, startDate, week === 0);
      for (const { department } of world.premises.workplaces) publishRoster(world, startDate, department.id);
    }
    planDay(world, firstWeek, firstWeek);
  });
}

/** Schedules everything of one local day at its midnight, and the planning of the next day. */
function planDay(world: World, date: string, firstWeek: string): void {
  planClockings(world, date);
  planCasualJobs(world, date);
  planApprovals(world, date);
  planCorrections(world, date);
  planPayrollDesk(world, date);
  const sinceFirstRun = daysBetween(addDays(firstWeek, WEEK_DAYS - 1 + RUN_AFTER_FINISH_DAYS), date);
  if (sinceFirstRun % WEEK_DAYS === 0) {
    const week = sinceFirstRun / WEEK_DAYS;
    const isSecondOfTwo = week % 2 !== 0;
    planPayRun(world, { date, calendar: WEEKLY, reopens: isSecondOfTwo, minutesLater: 0 });
    if (world.calendars === 2)
      planPayRun(world, {
        date,
        calendar: FORTNIGHTLY,
        reopens: false,
        minutesLater: FORTNIGHT_LATER_MINUTES,
      });
    const next = week + PUBLISHED_AHEAD_WEEKS;
    const startDate = addDays(firstWeek, next * WEEK_DAYS);
    planNextWeek(world, date, { startDate, isFirstOfTwo: next % 2 === 0 });
  }
  const tomorrow = addDays(date, 1);
  scheduleAt(world, [tomorrow, 0], () => planDay(world, tomorrow, firstWeek));
}

const LAST_DAY_OF_WEEK = 6;
const LAST_DAY_OF_FORTNIGHT = 13;
/** Calendars that a company does not have, of which a period is set up by mistake. */
const WRONG_CALENDARS = { 1: 'Fortnightly', 2: 'Monthly' } as const;

/**
 * Schedules the next week: its pay period shortly after 13:00, its roster from 15:30, department by department; and a
 * period of a wrong calendar that is renamed and removed again.
 */
function planNextWeek(
  world: World,
  date: string,
  { startDate, isFirstOfTwo }: { readonly startDate: string; readonly isFirstOfTwo: boolean },
): void {
  const week = { startDate, finishDate: addDays(startDate, LAST_DAY_OF_WEEK) };
  scheduleAt(world, [date, 13 * 60 + 10], () => openWeek(world, startDate, isFirstOfTwo));
  scheduleAt(world, [date, 13 * 60 + 20], () => setUpDraft(world, week.startDate, date));
  for (const [index, { department }] of world.premises.workplaces.entries()) {
    scheduleAt(world, [date, 15 * 60 + 30 + (index % 20)], () =>
      publishRoster(world, week.startDate, department.id),
    );
  }
}

/** Creates the weekly pay period that begins on a date unless it exists, and that of two weeks where there is one. */
function openWeek(world: World, startDate: string, isFirstOfTwo: boolean): void {
  const exists = (calendar: string) =>
    [...world.payPeriods.values()].some(
      (period) => period.calendar === calendar && period.startDate === startDate,
    );
  if (!exists(WEEKLY)) applyChange(world, { change: 'create-pay-period', startDate });
  if (world.calendars === 1 || !isFirstOfTwo || exists(FORTNIGHTLY)) return;
  const finishDate = addDays(startDate, LAST_DAY_OF_FORTNIGHT);
  applyChange(world, { change: 'create-pay-period', calendar: FORTNIGHTLY, startDate, finishDate });
}

/** Creates the timesheets of one week from the contracted hours of a department. */
function publishRoster(world: World, startDate: string, departmentId: string): void {
  const team = world.staff.filter(({ workplace }) => workplace.department.id === departmentId);
  for (const date of listDates({ from: startDate, to: addDays(startDate, LAST_DAY_OF_WEEK) })) {
    for (const member of team) {
      const timesheet = buildRosteredTimesheet(world, member, date);
      if (timesheet === null) continue;
      world.timesheets.put(timesheet);
      recordHistory(world, 'create', timesheet.id);
    }
  }
}

function setUpDraft(world: World, startDate: string, date: string): void {
  const finishDate = addDays(startDate, LAST_DAY_OF_FORTNIGHT);
  const calendar = WRONG_CALENDARS[world.calendars];
  const created = applyChange(world, {
    change: 'create-pay-period',
    calendar: `${calendar} (draft)`,
    startDate,
    finishDate,
  });
  if (created.outcome !== 'done' || created.record === null) return;
  const { id } = created.record;
  scheduleAt(world, [date, 13 * 60 + 50], () =>
    applyChange(world, { change: 'change-pay-period', id, calendar }),
  );
  scheduleAt(world, [date, 15 * 60], () => applyChange(world, { change: 'remove-pay-period', id }));
}

const MINUTE_MS = 60_000;
const SECOND_MS = 1000;
const NO_SHOW_SHARE = 0.02;
const FORGETS_TO_CLOCK_OUT_SHARE = 0.05;
/** Employees who come so many minutes later than the others. */
const LATE_SHARE = 0.02;
const LATE_MINUTES: readonly [number, number] = [16, 40];
const KIOSK_SHARE = 0.7;
const BEACON_SHARE = 0.85;
/** Earliest and latest minutes from the schedule. */
const CLOCK_IN_VARIANCE: readonly [number, number] = [-9, 12];
const CLOCK_OUT_VARIANCE: readonly [number, number] = [-4, 24];

/** Schedules the clock-ins and clock-outs of all timesheets of a date. */
function planClockings(world: World, date: string): void {
  for (const timesheet of world.timesheets.between({ from: date, to: date }))
    planTimesheetClockings(world, timesheet);
}

/** Nobody clocks in on a day of leave. */
function planTimesheetClockings(world: World, timesheet: Timesheet): void {
  const { chance } = world;
  if (timesheet.includesLeave || chance.fraction(`no-show/${timesheet.id}`) < NO_SHOW_SHARE) return;
  planClocking(world, timesheet, 'clock-in');
  if (chance.fraction(`forgets/${timesheet.id}`) < FORGETS_TO_CLOCK_OUT_SHARE) return;
  planClocking(world, timesheet, 'clock-out');
}

function planClocking(world: World, timesheet: Timesheet, change: 'clock-in' | 'clock-out'): void {
  const { chance } = world;
  const key = `${change}/${timesheet.id}`;
  const [from, to] = change === 'clock-in' ? CLOCK_IN_VARIANCE : CLOCK_OUT_VARIANCE;
  const scheduled = Date.parse(change === 'clock-in' ? timesheet.startTime : timesheet.finishTime);
  const late = chance.whole(key, from, to) * MINUTE_MS + chance.whole(`${key}/seconds`, 0, 59) * SECOND_MS;
  const belated = change === 'clock-in' && chance.fraction(`late/${timesheet.id}`) < LATE_SHARE;
  const delay = belated ? chance.whole(`late-by/${timesheet.id}`, ...LATE_MINUTES) * MINUTE_MS : 0;
  const device = chance.fraction(`${key}/device`);
  world.agenda.add(scheduled + late + delay, () => {
    const known = world.timesheets.get(timesheet.id);
    // Moved to another date or removed in the meantime.
    if (known?.date !== timesheet.date) return;
    if (change === 'clock-out' && known.clockIn === null) return;
    applyChange(world, {
      change,
      id: known.id,
      kiosk: device < KIOSK_SHARE,
      beacon: device >= KIOSK_SHARE && device < BEACON_SHARE,
    });
  });
}

/** Schedules the casual jobs of a date, created in the morning, and their clockings. */
function planCasualJobs(world: World, date: string): void {
  const casuals = world.staff.filter(({ employee }) => employee.contractedHours.length === 0);
  const callable = casuals.length > 0 ? casuals : world.staff;
  const called = world.chance.some(`casual/${date}`, callable, Math.max(2, Math.round(world.size / 20)));
  for (const [index, { employee }] of called.entries()) {
    const key = `casual/${date}/${employee.id}`;
    const minute = 7 * 60 + 52 + world.chance.whole(`${key}/called`, 0, 25) + 13 * (index % 8);
    scheduleAt(world, [date, minute], () => {
      const created = applyChange(world, {
        change: 'create',
        employeeId: employee.id,
        start: (20 + world.chance.whole(`${key}/start`, 1, 4)) * 30,
        hours: world.chance.whole(`${key}/hours`, 3, 6),
        unassigned: world.chance.fraction(`${key}/unassigned`) < 1 / 3,
      });
      if (created.outcome === 'done' && created.record !== null && 'clockIn' in created.record) {
        planTimesheetClockings(world, created.record);
      }
    });
  }
}
