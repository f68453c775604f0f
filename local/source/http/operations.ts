/** The 14 operations of the service (section 4 of its specification), as routes under `/api/v1`. */
import { createRoute, z } from '@hono/zod-openapi';
import {
  activitySchema,
  departmentSchema,
  employeeDailyStatusSchema,
  employeeSchema,
  errorSchema,
  organisationSchema,
  payPeriodSchema,
  timesheetPageSchema,
} from '../schemas.ts';
import {
  dailyStatusQuery,
  employeeRangeQuery,
  idParameter,
  organisationQuery,
  rangeQuery,
} from './parameters.ts';

const problem = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorSchema } },
});

const answers = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  200: { description, content: { 'application/json': { schema } } },
  400: problem('Malformed request syntax or invalid parameters'),
  401: problem('Missing or invalid token'),
  403: problem('Valid token, insufficient permissions'),
  404: problem('Requested resource does not exist'),
  429: problem('Rate limit exceeded'),
});

const GET = { method: 'get' as const, security: [{ bearer: [] }] };

export const helloWorld = createRoute({
  ...GET,
  operationId: 'helloWorld',
  path: '/helloworld',
  responses: answers('A greeting with the name of the organisation', z.string()),
});

export const listTimesheets = createRoute({
  ...GET,
  operationId: 'listTimesheets',
  path: '/timesheets',
  request: { query: rangeQuery },
  responses: answers('One page of timesheets', timesheetPageSchema),
});

export const listEmployeeTimesheets = createRoute({
  ...GET,
  operationId: 'listEmployeeTimesheets',
  path: '/employees/{employee_id}/timesheets',
  request: { params: idParameter('employee_id'), query: employeeRangeQuery },
  responses: answers('One page of timesheets of an employee', timesheetPageSchema),
});

export const listDepartmentTimesheets = createRoute({
  ...GET,
  operationId: 'listDepartmentTimesheets',
  path: '/departments/{department_id}/timesheets',
  request: { params: idParameter('department_id'), query: rangeQuery },
  responses: answers('One page of timesheets of a department', timesheetPageSchema),
});

export const getTimesheet = createRoute({
  ...GET,
  operationId: 'getTimesheet',
  path: '/timesheets/{timesheet_id}',
  request: { params: idParameter('timesheet_id') },
  responses: answers('An envelope with exactly one timesheet', timesheetPageSchema),
});

export const listEmployees = createRoute({
  ...GET,
  operationId: 'listEmployees',
  path: '/employees',
  responses: answers('All employees', z.array(employeeSchema)),
});

export const getEmployee = createRoute({
  ...GET,
  operationId: 'getEmployee',
  path: '/employees/{employee_id}',
  request: { params: idParameter('employee_id'), query: dailyStatusQuery },
  responses: answers(
    'The employee, or the daily status instead when it is asked for',
    z.union([employeeSchema, employeeDailyStatusSchema]),
  ),
});

export const listDepartments = createRoute({
  ...GET,
  operationId: 'listDepartments',
  path: '/departments',
  responses: answers('All departments', z.array(departmentSchema)),
});

export const getDepartment = createRoute({
  ...GET,
  operationId: 'getDepartment',
  path: '/departments/{department_id}',
  request: { params: idParameter('department_id') },
  responses: answers('The department', departmentSchema),
});

export const listPayPeriods = createRoute({
  ...GET,
  operationId: 'listPayPeriods',
  path: '/payperiods',
  responses: answers('All pay periods', z.array(payPeriodSchema)),
});

export const getPayPeriod = createRoute({
  ...GET,
  operationId: 'getPayPeriod',
  path: '/payperiods/{payperiod_id}',
  request: { params: idParameter('payperiod_id') },
  responses: answers('The pay period', payPeriodSchema),
});

export const listActivities = createRoute({
  ...GET,
  operationId: 'listActivities',
  path: '/activities',
  responses: answers('All activities', z.array(activitySchema)),
});

export const getActivity = createRoute({
  ...GET,
  operationId: 'getActivity',
  path: '/activities/{activity_id}',
  request: { params: idParameter('activity_id') },
  responses: answers('The activity', activitySchema),
});

export const listOrganisations = createRoute({
  ...GET,
  operationId: 'listOrganisations',
  path: '/organisations',
  request: { query: organisationQuery },
  responses: answers(
    'The head office and the organisations under it, or one of them',
    z.array(organisationSchema),
  ),
});

const OPERATIONS = [
  helloWorld,
  listTimesheets,
  listEmployeeTimesheets,
  listDepartmentTimesheets,
  getTimesheet,
  listEmployees,
  getEmployee,
  listDepartments,
  getDepartment,
  listPayPeriods,
  getPayPeriod,
  listActivities,
  getActivity,
  listOrganisations,
] as const;

export type OperationId = (typeof OPERATIONS)[number]['operationId'];
export const OPERATION_IDS: readonly OperationId[] = OPERATIONS.map(({ operationId }) => operationId);

const PATTERNS = OPERATIONS.map(({ operationId, path }) => ({
  operationId,
  pattern: new RegExp(`^/api/v1${path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The operation that a path belongs to, or `null`. */
export function operationOf(path: string): OperationId | null {
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.operationId ?? null;
}
