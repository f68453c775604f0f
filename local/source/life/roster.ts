import { addDays, listDates } from '#shared/core/dates.ts';
import { applyChange } from '../company/apply-change.ts';
import { buildRosteredTimesheet } from '../company/build-timesheet.ts';
import { FORTNIGHTLY, WEEKLY } from '../company/premises.ts';
import { recordHistory, scheduleAt, type World } from '../company/world.ts';

const LAST_DAY_OF_WEEK = 6;
const LAST_DAY_OF_FORTNIGHT = 13;
/** Calendars that a company does not have, of which a period is set up by mistake. */
const WRONG_CALENDARS = { 1: 'Fortnightly', 2: 'Monthly' } as const;

/**
 * Schedules the next week: its pay period shortly after 13:00, its roster from 15:30, department by department; and a
 * period of a wrong calendar that is renamed and removed again.
 */
export function planNextWeek(
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
export function openWeek(world: World, startDate: string, isFirstOfTwo: boolean): void {
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
export function publishRoster(world: World, startDate: string, departmentId: string): void {
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
