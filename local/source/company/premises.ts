import type { Activity, Address, Department, Organisation, Role, Shift } from '../schemas.ts';

/** A department and its organisation. */
export interface Workplace {
  readonly department: Department;
  readonly organisation: Organisation;
}

/** What the simulation does not change: organisations, departments, roles, shifts, activities. */
export interface Premises {
  /** The head office first. */
  readonly organisations: readonly Organisation[];
  readonly workplaces: readonly Workplace[];
  readonly activities: readonly Activity[];
}

/** Ids of the activities. */
export const ACTIVITY = {
  work: '501_1',
  training: '502_1',
  mealBreak: '503_1',
  restBreak: '504_1',
  annualLeave: '505_1',
} as const;

/** A shift template. Times in minutes after midnight of its first day; `night` finishes on the next. */
export interface ShiftTimes {
  readonly shift: Shift;
  readonly start: number;
  readonly finish: number;
}

export const SHIFTS = {
  early: buildShift(1, 'Early', [6, 14]),
  day: buildShift(2, 'Day', [8, 16]),
  late: buildShift(3, 'Late', [13, 21]),
  night: buildShift(4, 'Night', [22, 30]),
} as const;

export const PAYROLL_PROVIDER = 'Sample Payroll';
/** Name of the pay calendar of the weekly periods. */
export const WEEKLY = 'Weekly';
/** Of those of two weeks, in a company with two calendars. */
export const FORTNIGHTLY = 'Fortnightly';

const DEPARTMENT_NAMES = ['Sample Warehouse', 'Sample Kitchen', 'Sample Front Desk', 'Sample Office'];
const ROLE_NAMES = ['Team Lead', 'Team Member', 'Trainee'];
const EMPLOYEES_PER_DEPARTMENT = 25;
const EMPLOYEES_PER_ORGANISATION = 250;

/** At least 4 departments, a head office and 2 organisations under it. */
export function buildPremises(employees: number): Premises {
  const branches = Math.max(2, Math.ceil(employees / EMPLOYEES_PER_ORGANISATION));
  const count = Math.max(DEPARTMENT_NAMES.length, Math.ceil(employees / EMPLOYEES_PER_DEPARTMENT));
  const departments = Array.from({ length: count }, (_, index) => buildDepartment(index));
  const organisations = Array.from({ length: branches + 1 }, (_, index) =>
    buildOrganisation(
      index,
      departments.filter((_department, place) => assignOrganisation(place, branches) === index),
    ),
  );
  const workplaces = departments.flatMap((department, place) => {
    const organisation = organisations[assignOrganisation(place, branches)];
    return organisation === undefined ? [] : [{ department, organisation }];
  });
  return { organisations, workplaces, activities: ACTIVITIES };
}

/** Every fourth department is at the head office; the others are spread over the branches. */
function assignOrganisation(place: number, branches: number): number {
  return place % 4 === 3 ? 0 : 1 + (place % branches);
}

function buildDepartment(index: number): Department {
  const assigned = index % 4 !== 2;
  return {
    id: `${201 + index}_1`,
    name: DEPARTMENT_NAMES[index] ?? `Sample Department ${index + 1}`,
    costCentreCode: assigned ? `CC${100 + index}` : '',
    // The first employees manage, one department each.
    manager: assigned ? `${1001 + index}_1` : '',
    payRollCode: assigned ? `D${index + 1}` : '',
    roles: ROLE_NAMES.map((name, place) => buildRole(name, index * ROLE_NAMES.length + place)),
    workDayStartTime: assigned ? '08:00' : '',
    workDayFinishTime: assigned ? '16:00' : '',
  };
}

function buildRole(name: string, index: number): Role {
  const trainee = name === 'Trainee';
  return {
    id: `${3001 + index}_1`,
    name,
    costCentreCode: trainee ? '' : `R${index + 1}`,
    defaultActivity: trainee ? ACTIVITY.training : ACTIVITY.work,
  };
}

function buildOrganisation(index: number, departments: Department[]): Organisation {
  return {
    id: `${11 + index}_1`,
    name: index === 0 ? 'Sample Company Head Office' : `Sample Company Branch ${index}`,
    address: buildAddress(`${601 + index}_1`, index + 1),
    departments,
    roles: departments.flatMap(({ roles }) => roles),
    shifts: Object.values(SHIFTS).map(({ shift }) => shift),
    workDayStartTime: '08:00',
    workDayFinishTime: '16:30',
  };
}

/** A fictitious address; on every second one, members that may be empty are empty. */
export function buildAddress(id: string, number: number): Address {
  const full = number % 2 === 1;
  return {
    id: full ? id : '',
    line1: `${number} Example Street`,
    line2: full ? `Unit ${number}` : '',
    suburb: full ? 'Sampleton' : '',
    city: 'Example City',
    state: 'Sample State',
    postalCode: 1000 + number,
    country: full ? 'Nowhere' : '',
  };
}

function buildShift(index: number, name: string, [start, finish]: readonly [number, number]): ShiftTimes {
  const clock = (hour: number): string => `${String(hour % 24).padStart(2, '0')}:00`;
  return {
    shift: {
      id: `${400 + index}_1`,
      code: name.slice(0, 1),
      name,
      startTime: clock(start),
      finishTime: clock(finish),
    },
    start: start * 60,
    finish: finish * 60,
  };
}

const ACTIVITIES: readonly Activity[] = [
  buildActivity(ACTIVITY.work, 'Ordinary work', { isBreak: false, isPaid: true }),
  buildActivity(ACTIVITY.training, 'Training', { isBreak: false, isPaid: true }),
  buildActivity(ACTIVITY.mealBreak, 'Meal break', { isBreak: true, isPaid: false }),
  buildActivity(ACTIVITY.restBreak, 'Rest break', { isBreak: true, isPaid: true }),
  buildActivity(ACTIVITY.annualLeave, 'Annual leave', { isBreak: false, isPaid: true }),
];

function buildActivity(id: string, name: string, kind: { isBreak: boolean; isPaid: boolean }): Activity {
  const code = id.slice(0, 3);
  return {
    id,
    name,
    costCentre: kind.isBreak ? '' : `A${code}`,
    ...kind,
    payRollCodes: kind.isPaid ? [{ id: `7${code}_1`, code, payRollProvider: PAYROLL_PROVIDER }] : [],
  };
}
