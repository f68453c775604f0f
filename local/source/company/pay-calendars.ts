import type { Timesheet } from '../schemas.ts';
import { FORTNIGHTLY, WEEKLY } from './premises.ts';
import type { StoredPayPeriod, World } from './world.ts';

type Period = Pick<StoredPayPeriod, 'calendar' | 'startDate' | 'finishDate'>;

/** With two calendars this department, by its place, is paid every two weeks. */
const FORTNIGHTLY_PLACE = 3;

/** Whether a timesheet belongs to a pay period. With one calendar every timesheet on its dates does. */
export function isMember(world: World, { employeeId, date }: Timesheet, period: Period): boolean {
  if (date < period.startDate || period.finishDate < date) return false;
  return world.calendars === 1 || period.calendar === findCalendar(world, employeeId);
}

export function listMembers(world: World, period: Period): Timesheet[] {
  const { startDate: from, finishDate: to } = period;
  return world.timesheets.between({ from, to }).filter((timesheet) => isMember(world, timesheet, period));
}

function findCalendar({ staffById, premises }: World, employeeId: string): string {
  const department = staffById.get(employeeId)?.workplace.department.id;
  return department === premises.workplaces[FORTNIGHTLY_PLACE]?.department.id ? FORTNIGHTLY : WEEKLY;
}
