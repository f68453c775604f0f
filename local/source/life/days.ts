import { addDays } from '#shared/core/dates.ts';
import { daysBetween } from '../company/local-calendar.ts';
import { FORTNIGHTLY, WEEKLY } from '../company/premises.ts';
import { scheduleAt, type World } from '../company/world.ts';
import { planApprovals } from './approvals.ts';
import { planCasualJobs, planClockings } from './clockings.ts';
import { planCorrections } from './corrections.ts';
import { planPayRun, RUN_AFTER_FINISH_DAYS } from './pay-run.ts';
import { planPayrollDesk } from './payroll.ts';
import { openWeek, planNextWeek, publishRoster } from './roster.ts';

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
