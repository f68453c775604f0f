import type { ContractedHours, Employee, Role } from '../schemas.ts';
import { buildAddress, SHIFTS, type Workplace } from './premises.ts';
import { formatTimeOfDay } from './times.ts';

/** An employee with workplace, role and rate. */
export interface Member {
  readonly employee: Employee;
  readonly workplace: Workplace;
  readonly role: { readonly id: string; readonly name: string };
  /** Currency text, such as `$27.50`. */
  readonly hourlyRate: string;
}

const FIRST_NAMES = ['Alex', 'Blake', 'Casey', 'Devon', 'Ellis', 'Frankie', 'Gray', 'Harper'];
const DAYS = [1, 2, 3, 4, 5, 6, 7];
/** Unpaid, in the middle of a working day. */
const MEAL_BREAK_MINUTES = 30;

/** The shift of each week of a contract of five days in a row; `office` has no shift template. */
type Pattern = readonly ('office' | keyof typeof SHIFTS)[];

/** Assigned in turn; an empty pattern is an employee with casual jobs only. */
const PATTERNS: readonly Pattern[] = [
  ['office'],
  ['early'],
  ['day'],
  ['day', 'late'],
  ['night'],
  [],
  ['day'],
  ['early', 'day'],
];
const OFFICE = { reference: null, start: 8 * 60 + 30, finish: 17 * 60 };
const MIN_WITH_BREAK_MINUTES = 360;

/** Sample employees, spread evenly over the departments. The first of each is its manager. */
export function hireStaff(workplaces: readonly Workplace[], count: number): Member[] {
  return Array.from({ length: count }, (_, index) => {
    const workplace = workplaces[index % workplaces.length] as Workplace;
    return hire(workplace, index, Math.floor(index / workplaces.length));
  });
}

/** `place`: of the employee in the department. */
function hire(workplace: Workplace, index: number, place: number): Member {
  const { id, name } = workplace.department.roles[Math.min(place, 1 + (index % 2))] as Role;
  const known = { workplace, role: { id, name } };
  const employee: Employee = {
    id: `${1001 + index}_1`,
    address: buildAddress(`${80_001 + index}_1`, index + 1),
    contractedHours: buildContract(index, place, known),
    firstNames: FIRST_NAMES[index % FIRST_NAMES.length] ?? 'Sample',
    lastName: `Example ${index + 1}`,
    payRollCode: index % 9 === 8 ? '' : `P${String(index + 1).padStart(4, '0')}`,
  };
  return { employee, ...known, hourlyRate: `$${(23.5 + (index % 9) * 1.25).toFixed(2)}` };
}

function buildContract(
  index: number,
  place: number,
  { workplace, role }: Pick<Member, 'workplace' | 'role'>,
): ContractedHours[] {
  const pattern: Pattern = place === 0 ? ['office'] : (PATTERNS[(index * 3 + place) % PATTERNS.length] ?? []);
  const { id, name } = workplace.department;
  return pattern.flatMap((kind, week) => {
    const { reference: shift, start, finish } = kind === 'office' ? OFFICE : SHIFTS[kind];
    return DAYS.filter((day) => (day + index) % 7 < 5).map((day, number) => ({
      id: `${60_001 + index * 20 + week * 5 + number}_1`,
      day,
      week: week + 1,
      department: { id, name },
      role,
      shift,
      startTime: `T${formatTimeOfDay(start)}:00.000`,
      finishTime: `T${formatTimeOfDay(finish)}:00.000`,
      minutesTotal: finish - start,
      minutesWorking: finish - start - computeBreakMinutes(finish - start),
      workPattern: pattern.length > 1,
    }));
  });
}

/** Length of the meal break in a working day of some minutes. */
export function computeBreakMinutes(minutes: number): number {
  return minutes >= MIN_WITH_BREAK_MINUTES ? MEAL_BREAK_MINUTES : 0;
}
