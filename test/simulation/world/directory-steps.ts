import type { RawRecord } from '#local/source/world/records.ts';
import type { Random } from '../random.ts';
import type { Step, StepContext } from './timesheet-steps.ts';

/** Employees and departments as lists have them: `contractedHours` is how an employee has a department. */

const DEPARTMENTS = ['5_1', '5_2', '5_3', '5_4'] as const;
const NAMES = ['Kitchen', 'Bar', 'Floor', 'Office'] as const;
const MANAGERS = ['7_1', '7_2', 'Jo Lee', null] as const;

export function newEmployee(id: string, { random }: StepContext): RawRecord {
  return {
    id,
    address: { id: '', city: 'Sample City' },
    contractedHours: someHours(random),
    firstNames: 'Jo',
    lastName: `Example ${random.between(1, 99)}`,
    payRollCode: '',
  };
}

export function newDepartment(id: string, { random }: StepContext): RawRecord {
  return {
    id,
    name: random.pick(NAMES),
    costCentreCode: '',
    manager: random.pick(MANAGERS),
    payRollCode: '',
    roles: [],
    workDayStartTime: '',
    workDayFinishTime: '',
  };
}

export const EMPLOYEE_STEPS: readonly Step[] = [
  (record, { random }) => ({ ...record, contractedHours: someHours(random) }),
  (record, { random }) => ({ ...record, contractedHours: someHours(random) }),
  // nothing that is watched: another order, other hours, another name
  (record) => ({ ...record, contractedHours: (record.contractedHours as readonly unknown[]).toReversed() }),
  (record, { random }) => ({ ...record, lastName: `Example ${random.between(1, 99)}` }),
];

export const DEPARTMENT_STEPS: readonly Step[] = [
  (record, { random }) => ({ ...record, name: random.pick(NAMES) }),
  (record, { random }) => ({ ...record, manager: random.pick(MANAGERS) }),
  (record, { random }) => ({ ...record, name: random.pick(NAMES), manager: random.pick(MANAGERS) }),
  (record, { random }) => ({ ...record, costCentreCode: `C${random.between(1, 99)}` }),
];

/** A list of up to three entries, two of which may be of one department. */
function someHours(random: Random): RawRecord[] {
  return Array.from({ length: random.between(0, 3) }, (_, place) => {
    const id = random.pick(DEPARTMENTS);
    const name = NAMES[DEPARTMENTS.indexOf(id)];
    return { id: `60_${place}`, day: place + 1, week: 1, department: { id, name }, minutesTotal: 480 };
  });
}
