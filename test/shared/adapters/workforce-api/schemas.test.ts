import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import {
  Activity,
  Address,
  ClockRecord,
  ContractedHours,
  Department,
  Employee,
  Organisation,
  PayPeriod,
  PayRollCode,
  Reference,
  Role,
  Shift,
  SourcePagination,
  Timesheet,
  TimesheetDetail,
  TimesheetPage,
} from '#shared/adapters/workforce-api/schemas.ts';
import {
  activity,
  department,
  employee,
  organisation,
  payPeriod,
  role,
  timesheet,
  timesheetPage,
} from './records.ts';

interface Shape {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly sample: object | undefined;
  /** Fields that docs/source-api.md marks with `?`. */
  readonly nullable?: readonly string[];
  readonly optional?: readonly string[];
}

const SHAPES: Shape[] = [
  { name: 'envelope', schema: TimesheetPage, sample: timesheetPage },
  {
    name: 'pagination',
    schema: SourcePagination,
    sample: timesheetPage.pagination,
    nullable: ['nextPage', 'previousPage'],
    optional: ['nextPage', 'previousPage'],
  },
  {
    name: 'timesheet',
    schema: Timesheet,
    sample: timesheet,
    nullable: [
      'approvedHours',
      'approvedPayroll',
      'clockIn',
      'clockOut',
      'department',
      'processed',
      'role',
      'shift',
    ],
    optional: ['hourlyRate'],
  },
  {
    name: 'clock record',
    schema: ClockRecord,
    sample: timesheet.clockIn,
    nullable: ['localTime', 'overrideEmployee', 'overrideOrganisation'],
  },
  {
    name: 'timesheet detail',
    schema: TimesheetDetail,
    sample: timesheet.details[0],
    nullable: ['activity', 'alternateDepartment', 'alternateOrganisation'],
  },
  { name: 'reference', schema: Reference, sample: timesheet.department },
  { name: 'employee', schema: Employee, sample: employee },
  { name: 'address', schema: Address, sample: employee.address },
  {
    name: 'contracted hours',
    schema: ContractedHours,
    sample: employee.contractedHours[0],
    nullable: ['shift', 'startTime', 'finishTime'],
  },
  { name: 'department', schema: Department, sample: department },
  { name: 'role', schema: Role, sample: role },
  { name: 'pay period', schema: PayPeriod, sample: payPeriod, nullable: ['closed'] },
  { name: 'activity', schema: Activity, sample: activity },
  { name: 'payroll code', schema: PayRollCode, sample: activity.payRollCodes[0] },
  { name: 'organisation', schema: Organisation, sample: organisation },
  { name: 'shift', schema: Shift, sample: organisation.shifts[0] },
];

describe.each(SHAPES)(
  '$name of docs/source-api.md',
  ({ schema, sample = {}, nullable = [], optional = [] }) => {
    const fields = Object.keys(sample).filter((field) => field !== 'inventedLater');
    const accepts = (value: unknown) => schema.safeParse(value).success;

    test('is read as it is, with fields we do not know', () => {
      const more = { ...sample, somethingNew: [1, { a: null }] };

      expect(schema.parse(more)).toEqual(more);
    });

    test('has null only where the document says so', () => {
      expect(fields.filter((field) => accepts({ ...sample, [field]: null }))).toEqual(
        fields.filter((field) => nullable.includes(field)),
      );
    });

    test('has every field, except those that are optional', () => {
      const missing = (field: string) =>
        Object.fromEntries(Object.entries(sample).filter(([name]) => name !== field));

      expect(fields.filter((field) => accepts(missing(field)))).toEqual(optional);
    });

    test('takes no other type for a field, and no number without end', () => {
      for (const wrong of [Symbol('wrong'), Number.POSITIVE_INFINITY, Number.NaN])
        expect(fields.filter((field) => accepts({ ...sample, [field]: wrong }))).toEqual([]);
    });

    test('drops __proto__', () => {
      const poisoned = JSON.parse(
        `{"__proto__":{"polluted":true},${JSON.stringify({ ...sample, last: 1 }).slice(1)}`,
      );

      expect(Object.hasOwn(schema.parse(poisoned) as object, '__proto__')).toBe(false);
    });
  },
);

test.each([
  ['a text that is unset is empty', { ...timesheet, startTime: '', finishTime: '', date: '' }, true],
  ['a local time may have an offset', timesheetClockedAt('2026-03-02T08:58:00+13:00'), true],
  ['a local time may have none', timesheetClockedAt('2026-03-02T08:58:00.000'), true],
  ['a local time is a time', timesheetClockedAt('this morning'), false],
  ['a date is a date', { ...timesheet, date: '2026-02-30' }, false],
])('%s', (_rule, value, accepted) => {
  expect(Timesheet.safeParse(value).success).toBe(accepted);
});

function timesheetClockedAt(localTime: string) {
  return { ...timesheet, clockIn: { ...timesheet.clockIn, localTime } };
}
