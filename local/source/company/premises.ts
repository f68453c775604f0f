import type { Address, Department, Role } from '../schemas.ts';

/** A department, and the organisation that it belongs to. */
export interface Workplace {
  readonly department: Department;
  readonly organisationId: string;
}

/** Ids of the activities. */
export const ACTIVITY = {
  work: '501_1',
  training: '502_1',
  mealBreak: '503_1',
  annualLeave: '505_1',
} as const;

/** A shift template. Times in minutes after midnight of its first day. */
export interface Shift {
  readonly reference: { readonly id: string; readonly name: string };
  readonly start: number;
  readonly finish: number;
}

const SHIFT_HOURS = 8;

export const SHIFTS = {
  early: buildShift('401_1', 'Early', 6),
  day: buildShift('402_1', 'Day', 8),
  late: buildShift('403_1', 'Late', 13),
  night: buildShift('404_1', 'Night', 22),
} as const;

export const PAYROLL_PROVIDER = 'Sample Payroll';
/** Name of the pay calendar of the weekly periods. */
export const WEEKLY = 'Weekly';
/** Of those of two weeks, in a company with two calendars. */
export const FORTNIGHTLY = 'Fortnightly';
/** The organisation that pays. */
export const HEAD_OFFICE = '11_1';

const DEPARTMENT_NAMES = ['Sample Warehouse', 'Sample Kitchen', 'Sample Front Desk', 'Sample Office'];
const ROLE_NAMES = ['Team Lead', 'Team Member', 'Trainee'];
const EMPLOYEES_PER_DEPARTMENT = 25;
const EMPLOYEES_PER_ORGANISATION = 250;

/** At least 4 departments. Every fourth is at the head office; the others are spread over at least 2 branches. */
export function buildWorkplaces(employees: number): Workplace[] {
  const branches = Math.max(2, Math.ceil(employees / EMPLOYEES_PER_ORGANISATION));
  const count = Math.max(DEPARTMENT_NAMES.length, Math.ceil(employees / EMPLOYEES_PER_DEPARTMENT));
  return Array.from({ length: count }, (_, place) => ({
    department: buildDepartment(place),
    organisationId: place % 4 === 3 ? HEAD_OFFICE : `${12 + (place % branches)}_1`,
  }));
}

function buildDepartment(place: number): Department {
  const assigned = place % 4 !== 2;
  return {
    id: `${201 + place}_1`,
    name: DEPARTMENT_NAMES[place] ?? `Sample Department ${place + 1}`,
    costCentreCode: assigned ? `CC${100 + place}` : '',
    // The first employees manage, one department each.
    manager: assigned ? `${1001 + place}_1` : '',
    payRollCode: assigned ? `D${place + 1}` : '',
    roles: ROLE_NAMES.map((name, index) => buildRole(name, place * ROLE_NAMES.length + index)),
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

function buildShift(id: string, name: string, startHour: number): Shift {
  return { reference: { id, name }, start: startHour * 60, finish: (startHour + SHIFT_HOURS) * 60 };
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
