import { addDays, listDates, toLocalDate, toLocalTime } from '#shared/core/dates.ts';
import { buildRosteredTimesheet } from '../company/build-timesheet.ts';
import type { Company } from '../company/company.ts';
import { FORTNIGHTLY, WEEKLY } from '../company/premises.ts';
import { daysBetween } from '../company/times.ts';
import { planApprovals } from './approvals.ts';
import { planCasualJobs, planClockings } from './clockings.ts';
import { planCorrections } from './corrections.ts';
import { planPayRun, planPayrollDesk, RUN_AFTER_FINISH_DAYS } from './pay-run.ts';

const WEEK_DAYS = 7;
const LAST_DAY_OF_WEEK = 6;
const LAST_DAY_OF_FORTNIGHT = 13;
/** Simulated weeks before `startsAt`. */
const PAST_WEEKS = 8;
/** At a pay run, the week this many weeks after the paid one is opened and its roster published. */
const PUBLISHED_AHEAD_WEEKS = 3;
/** Those who are paid every two weeks are paid when the others are done. */
const FORTNIGHT_LATER_MINUTES = 120;
/** For a later `startsAt` the first pay run is on the next day. */
const WORK_STARTS = '08:00';

/**
 * Starts the simulation eight weeks before `startsAt`. The weekday of the pay run is chosen so that the first one is on
 * the first whole morning after `startsAt`: then there is something to see on any day.
 */
export function beginLife(company: Company): void {
  const { workplaces } = company;
  const { startsAt, timeZone } = company.settings;
  const first = toLocalDate(startsAt, timeZone);
  const run = toLocalTime(startsAt, timeZone) < WORK_STARTS ? first : addDays(first, 1);
  const firstWeek = addDays(run, -RUN_AFTER_FINISH_DAYS - WEEK_DAYS + 1 - (PAST_WEEKS - 1) * WEEK_DAYS);
  company.scheduleAt([firstWeek, 0], () => {
    for (const week of [0, 1]) {
      const startDate = addDays(firstWeek, week * WEEK_DAYS);
      openWeek(company, startDate, week === 0);
      for (const { department } of workplaces) publishRoster(company, startDate, department.id);
    }
    planDay(company, firstWeek, firstWeek);
  });
}

/** Schedules everything of one local day at its midnight, and the planning of the next day. */
function planDay(company: Company, date: string, firstWeek: string): void {
  planClockings(company, date);
  planCasualJobs(company, date);
  planApprovals(company, date);
  planCorrections(company, date);
  planPayrollDesk(company, date);
  const sinceFirstRun = daysBetween(addDays(firstWeek, WEEK_DAYS - 1 + RUN_AFTER_FINISH_DAYS), date);
  if (sinceFirstRun % WEEK_DAYS === 0) planPayday(company, date, sinceFirstRun / WEEK_DAYS);
  const tomorrow = addDays(date, 1);
  company.scheduleAt([tomorrow, 0], () => planDay(company, tomorrow, firstWeek));
}

/**
 * Schedules the pay run of a week, counted from 0, and the next week: its pay period shortly after 13:00, its roster from
 * 15:30, department by department; and a period of a wrong calendar that is renamed and removed again.
 */
function planPayday(company: Company, date: string, week: number): void {
  planPayRun(company, { date, calendar: WEEKLY, reopens: week % 2 !== 0, minutesLater: 0 });
  if (company.settings.calendars === 2) {
    const later = { reopens: false, minutesLater: FORTNIGHT_LATER_MINUTES };
    planPayRun(company, { date, calendar: FORTNIGHTLY, ...later });
  }
  const paidUntil = addDays(date, -RUN_AFTER_FINISH_DAYS);
  const startDate = addDays(paidUntil, 1 + (PUBLISHED_AHEAD_WEEKS - 1) * WEEK_DAYS);
  const isFirstOfTwo = (week + PUBLISHED_AHEAD_WEEKS) % 2 === 0;
  company.scheduleAt([date, 13 * 60 + 10], () => openWeek(company, startDate, isFirstOfTwo));
  company.scheduleAt([date, 13 * 60 + 20], () => setUpDraft(company, startDate, date));
  for (const [index, { department }] of company.workplaces.entries()) {
    const minute = 15 * 60 + 30 + (index % 20);
    company.scheduleAt([date, minute], () => publishRoster(company, startDate, department.id));
  }
}

/** Creates the weekly pay period that begins on a date unless it exists, and that of two weeks where there is one. */
function openWeek(company: Company, startDate: string, isFirstOfTwo: boolean): void {
  const change = 'create-pay-period';
  const begun = company.storedPeriods().filter((period) => period.startDate === startDate);
  const exists = (calendar: string) => begun.some((period) => period.calendar === calendar);
  if (!exists(WEEKLY)) company.apply({ change, startDate });
  if (company.settings.calendars !== 2 || !isFirstOfTwo || exists(FORTNIGHTLY)) return;
  const finishDate = addDays(startDate, LAST_DAY_OF_FORTNIGHT);
  company.apply({ change, calendar: FORTNIGHTLY, startDate, finishDate });
}

/** Creates the timesheets of one week from the contracted hours of a department. */
function publishRoster(company: Company, startDate: string, departmentId: string): void {
  const team = company.staff.filter(({ workplace }) => workplace.department.id === departmentId);
  for (const date of listDates({ from: startDate, to: addDays(startDate, LAST_DAY_OF_WEEK) })) {
    for (const member of team) {
      const record = buildRosteredTimesheet(company, member, date);
      if (record !== null) company.record('timesheets', 'create', record.id, record);
    }
  }
}

/** Somebody sets up a period of a calendar that the company does not have. */
function setUpDraft(company: Company, startDate: string, date: string): void {
  const finishDate = addDays(startDate, LAST_DAY_OF_FORTNIGHT);
  const calendar = company.settings.calendars === 2 ? 'Monthly' : FORTNIGHTLY;
  const draft = { calendar: `${calendar} (draft)`, startDate, finishDate };
  const created = company.apply({ change: 'create-pay-period', ...draft });
  if (created.outcome !== 'done' || created.record === null) return;
  const { id } = created.record;
  company.scheduleAt([date, 13 * 60 + 50], () =>
    company.apply({ change: 'change-pay-period', id, calendar }),
  );
  company.scheduleAt([date, 15 * 60], () => company.apply({ change: 'remove-pay-period', id }));
}
