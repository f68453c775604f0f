import type { Activity, Employee, Organisation, Timesheet } from '../schemas.ts';
import { ACTIVITY, buildAddress, HEAD_OFFICE, PAYROLL_PROVIDER, SHIFTS, type Workplace } from './premises.ts';
import { formatTimeOfDay } from './times.ts';

/** What of the company never changes, and the notifier does not ask for. */

const BRANCHES = 2;
/** Of those who do not work on a date, one in five cannot. */
const UNAVAILABLE_EVERY = 5;

export const ACTIVITIES: readonly Activity[] = [
  buildActivity(ACTIVITY.work, 'Ordinary work'),
  buildActivity(ACTIVITY.training, 'Training'),
  buildActivity(ACTIVITY.mealBreak, 'Meal break'),
  buildActivity(ACTIVITY.annualLeave, 'Annual leave'),
];

/** The head office first. */
export function listOrganisations(workplaces: readonly Workplace[]): Organisation[] {
  const names = ['Head Office', ...Array.from({ length: BRANCHES }, (_, index) => `Branch ${index + 1}`)];
  const first = Number(HEAD_OFFICE.split('_')[0]);
  return names.map((name, index) => {
    const id = `${first + index}_1`;
    const departments = workplaces.flatMap(({ organisationId, department }) =>
      organisationId === id ? [department] : [],
    );
    return {
      id,
      name: `Sample Company ${name}`,
      address: buildAddress(`${601 + index}_1`, index + 1),
      departments,
      roles: departments.flatMap(({ roles }) => roles),
      shifts: Object.values(SHIFTS).map(({ reference, start, finish }) => ({
        ...reference,
        code: reference.name.slice(0, 1),
        startTime: formatTimeOfDay(start),
        finishTime: formatTimeOfDay(finish),
      })),
      workDayStartTime: '08:00',
      workDayFinishTime: '16:30',
    };
  });
}

/** What an employee does on a date, by the timesheets that the employee has on it. */
export function computeDailyStatus({ id }: Employee, own: readonly Timesheet[]): string {
  if (own.some(({ includesLeave }) => includesLeave)) return 'OnLeave';
  if (own.length > 0) return 'Working';
  return Number(id.split('_')[0]) % UNAVAILABLE_EVERY === 0 ? 'Unavailable' : 'Available';
}

function buildActivity(id: string, name: string): Activity {
  const isBreak = id === ACTIVITY.mealBreak;
  const code = id.slice(0, 3);
  return {
    ...{ id, name, isBreak, isPaid: !isBreak },
    costCentre: isBreak ? '' : `A${code}`,
    payRollCodes: isBreak ? [] : [{ id: `7${code}_1`, code, payRollProvider: PAYROLL_PROVIDER }],
  };
}
