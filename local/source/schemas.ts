/** The shapes of answers, as docs/source-api.md describes them. The sample company and tests use these. */
import * as z from 'zod';
import { isDate } from '#shared/core/dates.ts';

const id = z.string().regex(/^\d+_\d+$/);
const idOrEmpty = z.union([id, z.literal('')]);
const date = z.string().refine(isDate);
const utc = z.iso.datetime({ precision: 3 });
const clockTime = z.string().regex(/^\d{2}:\d{2}$/);
const clockTimeOrEmpty = z.union([clockTime, z.literal('')]);
const timeOfDay = z.string().regex(/^T\d{2}:\d{2}:\d{2}\.\d{3}$/);
const reference = z.strictObject({ id, name: z.string() });
const orNull = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, z.null()]);

/** `variance` in minutes, `localTime` without an offset in the company's zone. */
const clockRecordSchema = z.strictObject({
  id,
  beacon: z.boolean(),
  kiosk: z.boolean(),
  localTime: z.iso.datetime({ local: true, precision: 3 }).nullable(),
  overrideEmployee: z.string().nullable(),
  overrideOrganisation: z.string().nullable(),
  variance: z.number(),
});
export type ClockRecord = z.output<typeof clockRecordSchema>;

const timesheetDetailSchema = z.strictObject({
  id,
  activity: id.nullable(),
  alternateDepartment: idOrEmpty.nullable(),
  alternateOrganisation: idOrEmpty.nullable(),
  startTime: utc,
  finishTime: utc,
  hours: z.number(),
  mealBreak: z.boolean(),
  restBreak: z.boolean(),
});
export type TimesheetDetail = z.output<typeof timesheetDetailSchema>;

/** `approvedHours` is a timestamp in spite of its name, `approvedPayroll` a reference. */
export const timesheetSchema = z.strictObject({
  __type: z.string(),
  id,
  approvedHours: utc.nullable(),
  approvedPayroll: z.string().min(1).nullable(),
  casualJob: z.boolean(),
  clockIn: orNull(clockRecordSchema),
  clockOut: orNull(clockRecordSchema),
  contractedHoursId: idOrEmpty,
  date,
  department: orNull(reference),
  details: z.array(timesheetDetailSchema),
  employeeId: id,
  finishTime: utc,
  hourlyRate: z
    .string()
    .regex(/^\$\d+\.\d{2}$/)
    .optional(),
  hoursToPay: z.number(),
  includesLeave: z.boolean(),
  organisationPayRollId: id,
  organisationWorkedId: id,
  overnight: z.boolean(),
  processed: utc.nullable(),
  role: orNull(reference),
  shift: orNull(reference),
  startTime: utc,
});
export type Timesheet = z.output<typeof timesheetSchema>;

/** Paths begin with `/api/v1`; they are empty when there is no such page. */
const paginationSchema = z.strictObject({
  page: z.int().min(1),
  pageSize: z.int().min(1),
  totalPages: z.int().min(0),
  totalRecords: z.int().min(0),
  nextPage: z.string(),
  previousPage: z.string(),
});

export const timesheetPageSchema = z.strictObject({
  __type: z.string(),
  data: z.array(timesheetSchema),
  pagination: paginationSchema,
});
export type TimesheetPage = z.output<typeof timesheetPageSchema>;

const addressSchema = z.strictObject({
  id: idOrEmpty,
  line1: z.string(),
  line2: z.string(),
  suburb: z.string(),
  city: z.string(),
  state: z.string(),
  postalCode: z.int(),
  country: z.string(),
});
export type Address = z.output<typeof addressSchema>;

/** `day` is the ISO weekday from 1 (Monday), `week` counts from 1; totals are minutes. */
const contractedHoursSchema = z.strictObject({
  id,
  day: z.int().min(1).max(7),
  week: z.int().min(1),
  department: reference,
  role: reference,
  shift: orNull(reference),
  startTime: timeOfDay.nullable(),
  finishTime: timeOfDay.nullable(),
  minutesTotal: z.int(),
  minutesWorking: z.int(),
  workPattern: z.boolean(),
});
export type ContractedHours = z.output<typeof contractedHoursSchema>;

export const employeeSchema = z.strictObject({
  id,
  address: addressSchema,
  contractedHours: z.array(contractedHoursSchema),
  firstNames: z.string(),
  lastName: z.string(),
  payRollCode: z.string(),
});
export type Employee = z.output<typeof employeeSchema>;

const roleSchema = z.strictObject({ id, name: z.string(), costCentreCode: z.string(), defaultActivity: id });
export type Role = z.output<typeof roleSchema>;

/** `manager` is the id of an employee. */
export const departmentSchema = z.strictObject({
  id,
  name: z.string(),
  costCentreCode: z.string(),
  manager: z.string(),
  payRollCode: z.string(),
  roles: z.array(roleSchema),
  workDayStartTime: clockTimeOrEmpty,
  workDayFinishTime: clockTimeOrEmpty,
});
export type Department = z.output<typeof departmentSchema>;

export const payPeriodSchema = z.strictObject({
  id,
  calendar: z.string(),
  startDate: date,
  finishDate: date,
  closed: date.nullable(),
  hours: z.number(),
  numberEmployees: z.int().min(0),
  numberTimesheets: z.int().min(0),
  payRollCompanyId: z.string(),
  payRollProvider: z.string(),
});
export type PayPeriod = z.output<typeof payPeriodSchema>;

export const activitySchema = z.strictObject({
  id,
  name: z.string(),
  costCentre: z.string(),
  isBreak: z.boolean(),
  isPaid: z.boolean(),
  payRollCodes: z.array(z.strictObject({ id, code: z.string(), payRollProvider: z.string() })),
});
export type Activity = z.output<typeof activitySchema>;

const shiftSchema = z.strictObject({
  id,
  code: z.string(),
  name: z.string(),
  startTime: clockTime,
  finishTime: clockTime,
});

export const organisationSchema = z.strictObject({
  id,
  name: z.string(),
  address: addressSchema,
  departments: z.array(departmentSchema),
  roles: z.array(roleSchema),
  shifts: z.array(shiftSchema),
  workDayStartTime: clockTime,
  workDayFinishTime: clockTime,
});
export type Organisation = z.output<typeof organisationSchema>;
