import { addDays, listDates } from '#shared/core/dates.ts';
import { applyChange } from '../company/apply-change.ts';
import { buildRosteredTimesheet } from '../company/build-timesheet.ts';
import { daysBetween } from '../company/local-calendar.ts';
import { FORTNIGHTLY, WEEKLY } from '../company/premises.ts';
import { recordHistory, scheduleAt, type World } from '../company/world.ts';
import { planApprovals } from './approvals.ts';
import { planCasualJobs, planClockings } from './clockings.ts';
import { planCorrections } from './corrections.ts';
import { planPayRun, RUN_AFTER_FINISH_DAYS } from './pay-run.ts';
import { planPayrollDesk } from './payroll.ts';

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
