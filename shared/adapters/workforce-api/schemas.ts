import * as z from 'zod';

/**
 * Shapes of docs/source-api.md. Objects are loose: unknown fields are kept. A text that is not set is empty, and null
 * only where that document says so. Ids are opaque.
 */

const unset = z.literal('');
const date = z.iso.date().or(unset);
const dateTime = z.iso.datetime({ offset: true, local: true }).or(unset);
/** `THH:MM:SS.mmm`, with up to 9 decimals. */
const timeOfDay = z.string().regex(/^T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?$/);

export const SourcePagination = z.looseObject({
  page: z.int(),
  pageSize: z.int(),
  totalPages: z.int(),
  totalRecords: z.int(),
  nextPage: z.string().nullish(),
  previousPage: z.string().nullish(),
});

/** A department, role or shift as other records name it. */
export const Reference = z.looseObject({ id: z.string(), name: z.string() });

export const ClockRecord = z.looseObject({
  id: z.string(),
  beacon: z.boolean(),
  kiosk: z.boolean(),
  localTime: dateTime.nullable(),
  overrideEmployee: z.string().nullable(),
  overrideOrganisation: z.string().nullable(),
  variance: z.number(),
});

export const TimesheetDetail = z.looseObject({
  id: z.string(),
  activity: z.string().nullable(),
  alternateDepartment: z.string().nullable(),
  alternateOrganisation: z.string().nullable(),
  startTime: dateTime,
  finishTime: dateTime,
  hours: z.number(),
  mealBreak: z.boolean(),
  restBreak: z.boolean(),
});

/** `approvedHours` is an instant in spite of its name; payable hours are `hoursToPay`. */
export const Timesheet = z.looseObject({
  __type: z.string(),
  id: z.string(),
  approvedHours: dateTime.nullable(),
  approvedPayroll: z.string().nullable(),
  casualJob: z.boolean(),
  clockIn: ClockRecord.nullable(),
  clockOut: ClockRecord.nullable(),
  contractedHoursId: z.string(),
  date,
  department: Reference.nullable(),
  details: z.array(TimesheetDetail),
  employeeId: z.string(),
  finishTime: dateTime,
  hourlyRate: z.string().optional(),
  hoursToPay: z.number(),
  includesLeave: z.boolean(),
  organisationPayRollId: z.string(),
  organisationWorkedId: z.string(),
  overnight: z.boolean(),
  processed: z.string().nullable(),
  role: Reference.nullable(),
  shift: Reference.nullable(),
  startTime: dateTime,
});
export type Timesheet = z.output<typeof Timesheet>;

export const TimesheetPage = z.looseObject({
  __type: z.string(),
  data: z.array(Timesheet),
  pagination: SourcePagination,
});
export type TimesheetPage = z.output<typeof TimesheetPage>;

export const Address = z.looseObject({
  id: z.string(),
  line1: z.string(),
  line2: z.string(),
  suburb: z.string(),
  city: z.string(),
  state: z.string(),
  postalCode: z.int(),
  country: z.string(),
});

/** The ranges of `day` and `week` are not specified, so any integer is accepted. */
export const ContractedHours = z.looseObject({
  id: z.string(),
  day: z.int(),
  week: z.int(),
  department: Reference,
  role: Reference,
  shift: Reference.nullable(),
  startTime: timeOfDay.nullable(),
  finishTime: timeOfDay.nullable(),
  minutesTotal: z.int(),
  minutesWorking: z.int(),
  workPattern: z.boolean(),
});

export const Employee = z.looseObject({
  id: z.string(),
  address: Address,
  contractedHours: z.array(ContractedHours),
  firstNames: z.string(),
  lastName: z.string(),
  payRollCode: z.string(),
});
export type Employee = z.output<typeof Employee>;

export const Role = z.looseObject({
  id: z.string(),
  name: z.string(),
  costCentreCode: z.string(),
  defaultActivity: z.string(),
});

export const Department = z.looseObject({
  id: z.string(),
  name: z.string(),
  costCentreCode: z.string(),
  manager: z.string(),
  payRollCode: z.string(),
  roles: z.array(Role),
  workDayStartTime: z.string(),
  workDayFinishTime: z.string(),
});
export type Department = z.output<typeof Department>;

export const PayPeriod = z.looseObject({
  id: z.string(),
  calendar: z.string(),
  startDate: date,
  finishDate: date,
  closed: date.nullable(),
  hours: z.number(),
  numberEmployees: z.int(),
  numberTimesheets: z.int(),
  payRollCompanyId: z.string(),
  payRollProvider: z.string(),
});
export type PayPeriod = z.output<typeof PayPeriod>;

export const PayRollCode = z.looseObject({ id: z.string(), code: z.string(), payRollProvider: z.string() });

export const Activity = z.looseObject({
  id: z.string(),
  name: z.string(),
  costCentre: z.string(),
  isBreak: z.boolean(),
  isPaid: z.boolean(),
  payRollCodes: z.array(PayRollCode),
});
export type Activity = z.output<typeof Activity>;

export const Shift = z.looseObject({
  id: z.string(),
  code: z.string(),
  name: z.string(),
  startTime: z.string(),
  finishTime: z.string(),
});

export const Organisation = z.looseObject({
  id: z.string(),
  name: z.string(),
  address: Address,
  departments: z.array(Department),
  roles: z.array(Role),
  shifts: z.array(Shift),
  workDayStartTime: z.string(),
  workDayFinishTime: z.string(),
});
export type Organisation = z.output<typeof Organisation>;
